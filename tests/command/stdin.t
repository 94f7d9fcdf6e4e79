#!/bin/sh
#
# --stdin: what the attempts read.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # the attempts' shells expand

. lib/harness.sh

printf '1\n2\n3\n4\n' >numbers
mkfifo idle wait
exec 8<>idle

# By default
while read -r number; do
	echo "$number"
	retry true
done <numbers >got
check 'a loop that reads keeps its input' cmp got numbers
status 0 'an idle pipe on standard input delays nothing' \
    sh -c 'retry true <idle'
{ read -r _; retry -q -d 0 -a 2 sh -c 'cat; exit 1'; } <numbers >got
is 'a file is put back to where it stood' "$(tr '\n' ' ' <got)" '2 3 4 2 3 4 '
{ read -r _; retry -q -d 0 -a 2 sh -c 'cat; exit 1'; cat; } <numbers >got
is 'a file is put back to where it stood, but not after the last attempt' "$(tr '\n' ' ' <got)" '2 3 4 2 3 4 '
retry -q -d 0 -a 2 sh -c 'cat; exit 1' <>numbers >got
check 'one that can be written to is left alone' cmp got numbers
retry -q -d 0 -a 2 sh -c 'cat; exit 1' <&- >got 2>&1
is 'no standard input is none for attempts' "$(sort -u got)" \
    'cat: -: Bad file descriptor
cat: closing standard input: Bad file descriptor'
if command -v losetup >/dev/null && [ "$(id -u)" = 0 ] &&
    dd if=/dev/zero of=disk bs=4096 count=1 2>/dev/null &&
    loop=$(losetup -r -f --show disk 2>/dev/null); then
	retry -q -d 0 -a 2 sh -c 'wc -c; exit 1' <"$loop" >got
	losetup -d "$loop"
	is 'a block device is put back' "$(tr '\n' ' ' <got)" '4096 4096 '
else
	skip 'a block device is put back' 'there is no loop device'
fi

# A pipe to which nobody writes any more: each attempt reads all of it.
# twice OPTION...: a command that reads stdin fails, and is tried again.
twice() {
	retry -q -d 0 -a 2 "$@" sh -c 'cat; [ "$RETRY_ATTEMPT" = 2 ]'
}
# finished: copies the numbers to a pipe, and ends before `twice` begins.
finished() {
	{ cat numbers; : >written; } | {
		wait_for test -e written && rm written
		"$@"
	}
}
is 'a finished pipe is read by each attempt' \
    "$(finished twice | tr '\n' ' ')" '1 2 3 4 1 2 3 4 '
# echoed: thirty times a writer that begins beside its reader.
echoed() {
	for i in $(seq 30); do
		/bin/echo "$i" | twice || return
	done >got
	[ "$(wc -l <got)" = 60 ]
}
check 'a writer that is about to end has its output read by each attempt' \
    retried echoed
is 'a here-document is read by each attempt' "$(twice "$@" <<E2 | tr '\n' ' '
text
E2
)" 'text text '
is 'a finished pipe is read by each attempt, with --stdin=replay too' \
    "$(finished twice --stdin=replay | tr '\n' ' ')" '1 2 3 4 1 2 3 4 '
is 'a finished pipe is read by each attempt, but not with --stdin=inherit' \
    "$(finished twice --stdin=inherit | tr '\n' ' ')" '1 2 3 4 '
# half: an attempt that reads a part, and leaves the rest to what follows.
half() {
	retry -q -d 0 -a 3 sh -c 'head -c 2; [ "$RETRY_ATTEMPT" = 3 ]'
	cat
}
is 'each attempt reads a finished pipe from its beginning' \
    "$(finished half | tr '\n' ' ')" '1 1 1 2 3 4 '
late_reader() {
	retry -q -d 0 -a 3 sh -c '[ "$RETRY_ATTEMPT" != 1 ] || exit 1
	    cat; [ "$RETRY_ATTEMPT" = 3 ]'
}
is 'an attempt after the first may be the first that reads' \
    "$(finished late_reader | tr '\n' ' ')" '1 2 3 4 1 2 3 4 '
loop() {
	while read -r number; do
		retry -q -d 0 -a 2 sh -c '[ "$RETRY_ATTEMPT" = 2 ]'
		echo "$number"
	done
}
is 'a loop that reads a pipe keeps its input' \
    "$(finished loop | tr '\n' ' ')" '1 2 3 4 '
greedy_loop() {
	while read -r number; do
		retry -q -d 0 -a 2 sh -c 'cat; [ "$RETRY_ATTEMPT" = 2 ]'
		echo "read $number"
	done
}
is 'a command that reads the list of its loop, as ssh does, reads it again' \
    "$(finished greedy_loop | tr '\n' ' ')" '2 3 4 2 3 4 read 1 '
head -c 65536 /dev/urandom >full
{ cat full; : >written; } | {
	wait_for test -e written
	twice "$@"
} >got
check 'a pipe may be full' sh -c 'cat full full | cmp - got'
if have 'a pipe may be larger than most' python3; then
	check 'a pipe may be larger than most' python3 -c '
import fcntl, os, subprocess
here, there = os.pipe()
fcntl.fcntl(there, 1031, 1 << 19)
data = os.urandom(1 << 19)
os.write(there, data)
os.close(there)
run = subprocess.run(["retry", "-q", "-d", "0", "-a", "2", "sh", "-c",
    "cat; [ $RETRY_ATTEMPT = 2 ]"], stdin=here, stdout=subprocess.PIPE)
raise SystemExit(run.stdout != data + data)'
fi

# Input that later attempts lack
# warned COMMAND...: how often that is told.
warned() {
	"$@" 2>&1 >/dev/null | grep -c "retry: [a-z]*: attempt 2 does not get the$(
	) input that attempt 1 read; --stdin=replay gives it to each$"
}
# lives COMMAND...: gives it a pipe whose writer lives on.
lives() {
	{ cat numbers; : >written; wait_for test -e over; } | {
		wait_for test -e written && rm written
		"$@"
		: >over
	}
	rm over
}
fails() {
	retry -d 0 -a 4 "$@" sh -c 'head -c 2; exit 1'
}
is 'a pipe that is read while it is written to is told, once' \
    "$(lives warned fails)" 1
is 'a pipe that is read while it is written to is told, once, with -q, too' "$(lives warned fails -q)" 1
is 'a pipe that is read while it is written to is told, once, and with --output=chronic' "$(lives warned fails --output=chronic)" 1
is 'a chronic success says it' "$(lives warned retry --output=chronic -d 0 sh -c \
    'read -r _; [ $RETRY_ATTEMPT = 2 ]')" 1
# late COMMAND...: gives it a pipe that is empty until an attempt has begun.
late() {
	{ wait_for test -e begun; cat numbers; wait_for test -e over; } | {
		"$@"
		: >over
	}
	rm over begun
}
is 'a pipe that was empty when an attempt began, which read a part, is told' \
    "$(late warned retry -d 0 -a 2 sh -c ': >begun; read -r _; exit 1')" 1
is 'a pipe that was empty when an attempt began, which read nothing, is not' \
    "$(late warned retry -d 0 -a 2 sh -c ': >begun; exit 1')" 0
is 'a pipe that ends without a byte while an attempt reads it is not' \
    "$({ wait_for test -e begun; } | warned retry -d 0 -a 2 sh -c '
    : >begun; cat; exit 1')" 0
# much COMMAND...: gives it a pipe to which more is written than it holds.
much() {
	{ seq 10000; : >written; seq 100000; } | {
		wait_for test -e written && rm written
		"$@"
	}
}
is 'a pipe that is larger than its capacity is told' \
    "$(much warned fails)" 1
like 'a pipe that is larger than its capacity is told, and a success says what it lacked' "$(much retry -d 0 sh -c \
    'head -c 2; [ $RETRY_ATTEMPT = 3 ]' 2>&1)" \
    'succeeded at attempt 3/5 in [^,]*, without the input that attempt 1 read$'
is 'a pipe that is larger than its capacity is told, which JSON has, too' "$(much retry -q -d 0 --log=json:log sh -c \
    'head -c 2; [ $RETRY_ATTEMPT = 3 ]' >/dev/null 2>&1; tail -n 1 log |
    jq .lost_input)" 1
is 'a first success warns of no lost input' "$(much warned retry cat)" 0
is 'input that is left warns of nothing' \
    "$(much warned retry -d 0 -a 4 sh -c 'exit 1')" 0
is 'input that may still be written warns of nothing' \
    "$(warned retry -d 0 -a 4 sh -c 'exit 1' <>idle)" 0
is 'a finished pipe warns of nothing' "$(finished warned fails)" 0
is 'a file that was read warns of nothing' "$(warned fails <numbers)" 0
is '--stdin=replay warns of nothing' \
    "$(much warned fails --stdin=replay)" 0
is '--stdin=inherit warns of nothing' \
    "$(much warned fails --stdin=inherit)" 0
{ wait_for test -e empty; warned fails >count; } <./wait &
: >./wait
: >empty
wait
is 'an empty input warns of nothing' "$(cat count)" 0
if have 'a socket that is used up is told' python3; then
	check 'a socket that is used up is told' python3 -c '
import socket, subprocess, sys
here, there = socket.socketpair()
here.send(b"x")
here.shutdown(socket.SHUT_WR)
run = subprocess.run(["retry", "-d", "0", "-a", "2", "sh", "-c",
    "cat; exit 1"], stdin=there, stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE)
raise SystemExit(run.stderr.count(b"attempt 1 read; ") != 1)'
fi

# Each kind of input with each --output: what two attempts read, what comes out, and
# how often it is said that the second one gets less.
cat >reader <<'END'
read -r line
echo "$line" >>seen
echo "$RETRY_ATTEMPT"
[ "$RETRY_ATTEMPT" = 2 ]
END
cat >both <<'END'
exec retry -q -d 0 -a 2 $how sh ./reader 2>err
END
export how
file() { sh ./both <numbers; }
shared() { { read -r _; sh ./both; } <numbers; }
document() {
	sh ./both <<E3
1
E3
}
pipe() { finished sh ./both; }
growing() { { cat numbers; wait_for grep -q . seen; cat numbers; } | sh ./both; }
large() { much sh ./both; }
fifo() { printf '1\n2\n' >&8 && sh ./both <idle; }
socket() {
	python3 -c 'import os, socket
here, there = socket.socketpair()
here.send(b"1\n2\n")
os.dup2(there.fileno(), 0)
os.execlp("sh", "sh", "./both")'
}
terminal() {
	script -qec 'sh ./both >out' /dev/null <numbers >/dev/null
	cat out
}
for mode in stream:12 hold:2 all:12 last:2 failed:1 chronic:; do
	while read -r input seen warnings stdin; do
		how="--output=${mode%:*} $stdin"
		case $input in
		socket) have "$how: $input" python3 || continue ;;
		terminal) have "$how: $input" script || continue ;;
		esac
		: >seen
		out=$($input </dev/null | tr -d '\n')
		is "$how: $input" "$(tr -d '\n' <seen):$out:$(
		    grep -c 'does not get the input' err)" \
		    "$seen:${mode#*:}:$warnings"
	done <<END
file     11 0
shared   22 0
document 11 0
pipe     11 0
growing  12 1
large    12 1
fifo     12 1
socket   12 1
terminal 12 0
large    11 0 --stdin=replay
file     12 0 --stdin=inherit
END
done

# A file that cannot seek, and one that a process holds which hangs.
if strace -o trace true 2>/dev/null; then
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
	run strace -o trace -P "$T/numbers" -e inject=lseek:error=ESPIPE \
	    "$RETRY" -q -d 0 -a 2 sh -c 'cat; exit 1' <numbers
	is 'a file that cannot seek is read as a pipe is' \
	    "$code $(echo "$out" | tr '\n' ' ')" '1 1 2 3 4 '
	# shellcheck disable=SC2016 # for the attempt
	run strace -o trace -P "$T/numbers" -e trace=lseek \
	    "$RETRY" -q -d 0 -a 2 sh -c 'cat
		[ $RETRY_ATTEMPT = 2 ] || { sleep 9 & echo $! >held; }; exit 1' \
	    <numbers
	is 'an attempt that leaves a process does not keep the next one from it' \
	    "$(echo "$out" | tr '\n' ' ') $(grep -c 'lseek(0' trace)" \
	    '1 2 3 4 1 2 3 4  1'
	kill "$(cat held)"
else
	skip 'a file that cannot seek is read as a pipe is' 'strace cannot trace'
fi

# leaves: the first attempt leaves a process that reads on, when it may.
leaves() {
	rm -f read
	retry -q -d 0 -a 2 sh -c 'if [ $RETRY_ATTEMPT = 1 ]; then
		exec 3<&0
		{ until [ -e begun ]; do sleep .01; done; head -c 2 <&3; : >read
		} >/dev/null &
		exit 1
	fi
	: >begun
	until [ -e read ]; do sleep .01; done
	cat'
	rm begun
}
is 'what is left reads nothing that the next attempt lacks' \
    "$(finished leaves | tr '\n' ' ')" '1 2 3 4 '
is 'what is left moves no place of the next attempt in a file' \
    "$(leaves <numbers | tr '\n' ' ')" '1 2 3 4 '

# inherit, null
retry -q --stdin=inherit -d 0 -a 2 sh -c 'head -c 2; exit 1' <numbers >got
is 'what is inherited is read on' "$(tr '\n' ' ' <got)" '1 2 '
printf '%s\n' 1 2 3 4 |
    retry -q --stdin=inherit -d 0 -a 4 sh -c 'read -r line; echo "$line"; exit 1' >got
is 'by all attempts' "$(tr '\n' ' ' <got)" '1 2 3 4 '
retry -q --stdin=null -d 0 -a 2 sh -c 'readlink /proc/self/fd/0; exit 1' \
    <numbers >got
is 'null is /dev/null' "$(sort -u got)" /dev/null

ls /proc/self/fd >want
for how in null replay; do
	retry --stdin=$how ls /proc/self/fd >got <numbers
	check "with $how an attempt gets no other descriptor" cmp got want
done

# replay
head -c 300000 /dev/urandom >bytes
retry -q --stdin=replay -d 0 -a 3 sh -c 'cat; exit 1' <idle >got 8<&- &
cat bytes >idle 8<&-
exec 8<&-
wait
check 'each attempt reads all of a pipe' \
    sh -c 'cat bytes bytes bytes | cmp - got'
{ read -r _; retry -q --stdin=replay -d 0 -a 2 sh -c 'cat; exit 1'; } \
    <numbers >got
is 'a file is replayed from where it stood' "$(tr '\n' ' ' <got)" \
    '2 3 4 2 3 4 '
: | retry -q --stdin=replay -d 0 -a 2 sh -c 'wc -c; exit 1' >got
is 'what is empty is replayed as such' "$(sort -u got)" 0
seq 100000 | retry --stdin=replay -d 0 -a 2 \
    sh -c 'head -c 1 >>first; [ $RETRY_ATTEMPT = 2 ]' 2>/dev/null
is 'a command need not read it all' "$?:$(cat first)" 0:11
seq 3 | retry -q --stdin=replay -d 0 -a 2 sh -c '
	case $RETRY_ATTEMPT in
	1) exec 7<&0; { read x; cat wait; cat; } <&7 >>late & exit 1 ;;
	esac
	cat >again
	echo >wait'
wait_for sh -c '[ "$(wc -l <late)" = 3 ]'
is 'each attempt has a place of its own in it' \
    "$(tr '\n' ' ' <again):$(tail -n 2 late | tr '\n' ' ')" '1 2 3 :2 3 '
check 'replayed input cannot be written to' sh -c 'echo x | retry -q --stdin=replay -a 1 \
    sh -c "! echo y >&0" 2>/dev/null'
seq 3 | retry --stdin=replay --check='readlink /proc/self/fd/0 >seen' cat >got
is 'a check does not read it' "$(cat seen)" /dev/null
status 0 'no standard input is replayed as none' \
    sh -c 'retry --stdin=replay sh -c "! readlink /proc/self/fd/0" <&-'
if have 'a socket can be replayed' python3; then
	check 'a socket can be replayed' python3 -c '
import socket, subprocess
here, there = socket.socketpair()
run = subprocess.Popen(["retry", "--stdin=replay", "cmp", "-", "bytes"],
    stdin=there)
there.close()
here.sendall(open("bytes", "rb").read())
here.close()
raise SystemExit(run.wait())'
fi

# peak ARGUMENT...: what a run needs, in kB; the command is looked for, so that
# nothing of its own is counted.
peak() {
	retry --on-success='sed -n "s/VmHWM:[^0-9]*\([0-9]*\).*/\1/p" \
	    /proc/$PPID/status >&3' "$@" 3>peak >/dev/null </dev/null
	cat peak
}
plain=$(peak true)
replayed=$(head -c 40M /dev/zero | {
	retry --stdin=replay --on-success='sed -n \
	    "s/VmHWM:[^0-9]*\([0-9]*\).*/\1/p" /proc/$PPID/status' \
	    cat 2>&1 >/dev/null
})
check "memory does not grow with it ($plain kB, then $replayed kB)" \
    test "$replayed" -lt $((plain + 2000))

# while it is read
exec 8<>idle
retry --stdin=replay touch ran <idle 2>err &
pid=$!
echo x >&8
wait_for sh -c "readlink /proc/$pid/fd/* | grep -q deleted"
kill "$pid"
wait "$pid" 2>/dev/null
is 'a signal ends the reading' "$?" 143
run sh -c 'retry --stdin=replay -T 0.05 touch ran <idle'
is 'the limit on the run ends it' "$code" 124
like 'the limit on the run ends it, and standard input is to blame' "$err" \
    ': standard input had not ended after --max-time 50ms$'
check 'the limit on the run ends it, and nothing is run then' not test -e ran

# what fails
run sh -c 'seq 3 | TMPDIR=$T/none retry -q --stdin=replay -d 0 -a 2 \
    sh -c "cat; exit 1"'
is 'without a folder for temporary files input is kept in memory' \
    "$(printf '%s' "$out" | tr '\n' ' ')" '1 2 3 1 2 3'
run sh -c 'retry --stdin=replay touch ran <.'
is 'a standard input that cannot be read is one' \
    "$code:$err" '125:retry: touch: standard input: Is a directory'
run sh -c 'ulimit -f 64; head -c 1M /dev/zero |
    TMPDIR=$T retry --stdin=replay touch ran'
is 'a standard input that cannot be read is one, so is a limit on the size of files' "$code:$err" \
    "125:retry: touch: temporary file in $T: File too large"
head -c 1M /dev/zero >much
run sh -c 'ulimit -f 64; TMPDIR=$T retry --stdin=replay touch ran <much'
is 'input from a file that cannot be stored is an error' "$code:$err" \
    "125:retry: touch: temporary file in $T: File too large"
check 'nothing is run then either' not test -e ran

run sh -c 'retry --stdin=null readlink /proc/self/fd/0 <&-'
is 'null is there where nothing was given' "$out" /dev/null

finish
