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
is 'but not after the last attempt' "$(tr '\n' ' ' <got)" '2 3 4 2 3 4 '
retry -q -d 0 -a 2 sh -c 'cat; exit 1' <>numbers >got
check 'one that can be written to is left alone' cmp got numbers
printf '1\n2\n3\n4\n' | retry -q -d 0 -a 2 sh -c 'cat; exit 1' >got
check 'and so is a pipe' cmp got numbers
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

# A pipe that the first attempt used up
used='standard input is used up; --stdin=replay gives it to each attempt'
# warned COMMAND...: how often that is told
warned() {
	"$@" 2>&1 >/dev/null | grep -cxF "retry: sh: $used"
}
is 'a pipe that the first attempt used up is told, once' \
    "$({ seq 3; : >written; } | {
	wait_for test -e written
	warned retry -d 0 -a 4 sh -c 'cat; exit 1'
    })" 1
is 'a here-document too' "$(warned retry -d 0 -a 2 sh -c 'cat; exit 1' <<E2
text
E2
)" 1
is '-q leaves the warning of used-up input out' "$(seq 3 | warned retry -q -d 0 -a 4 sh -c 'cat; exit 1')" 0
is 'a first success warns of no used-up input' "$(seq 3 | warned retry cat)" 0
is 'input that is left warns of nothing' \
    "$(seq 3 | warned retry -d 0 -a 4 sh -c 'exit 1')" 0
is 'input that may still be written warns of nothing' \
    "$(warned retry -d 0 -a 4 sh -c 'exit 1' <>idle)" 0
is 'a file that was read warns of nothing' \
    "$(warned retry -d 0 -a 4 sh -c 'cat; exit 1' <numbers)" 0
is '--stdin=replay warns of nothing' \
    "$(seq 3 | warned retry --stdin=replay -d 0 -a 4 sh -c 'cat; exit 1')" 0
is '--stdin=inherit warns of nothing' \
    "$(seq 3 | warned retry --stdin=inherit -d 0 -a 4 sh -c 'cat; exit 1')" 0
{ wait_for test -e empty; warned retry -d 0 -a 4 false >count; } <./wait &
: >./wait
: >empty
wait
is 'an empty input warns of nothing' "$(cat count)" 0
mkfifo said
{ read -r _ <said; } | warned retry -d 0 -a 2 sh -c '[ $RETRY_ATTEMPT = 2 ] ||
    : >said; cat; exit 1' >count
is 'a pipe without a byte warns of nothing' "$(cat count)" 0
if have 'a socket that is used up is told' python3; then
	check 'a socket that is used up is told' python3 -c '
import socket, subprocess, sys
here, there = socket.socketpair()
here.send(b"x")
here.shutdown(socket.SHUT_WR)
run = subprocess.run(["retry", "-d", "0", "-a", "2", "sh", "-c",
    "cat; exit 1"], stdin=there, stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE)
raise SystemExit(run.stderr.count(sys.argv[1].encode()) != 1)' "$used"
fi

# inherit, null
retry -q --stdin=inherit -d 0 -a 2 sh -c 'head -c 2; exit 1' <numbers >got
is 'what is inherited is read on' "$(tr '\n' ' ' <got)" '1 2 '
printf '%s\n' 1 2 3 4 |
    retry -q -d 0 -a 4 sh -c 'read -r line; echo "$line"; exit 1' >got
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
check 'it cannot be written to' sh -c 'echo x | retry -q --stdin=replay -a 1 \
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
like 'and standard input is to blame' "$err" \
    ': standard input had not ended after --max-time 50ms$'
check 'and nothing is run then' not test -e ran

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
is 'so is a limit on the size of files' "$code:$err" \
    "125:retry: touch: temporary file in $T: File too large"
head -c 1M /dev/zero >much
run sh -c 'ulimit -f 64; TMPDIR=$T retry --stdin=replay touch ran <much'
is 'also if a file is read' "$code:$err" \
    "125:retry: touch: temporary file in $T: File too large"
check 'nothing is run then either' not test -e ran

run sh -c 'retry --stdin=null readlink /proc/self/fd/0 <&-'
is 'null is there where nothing was given' "$out" /dev/null

finish
