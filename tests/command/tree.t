#!/bin/sh
#
# What a timed-out attempt leaves behind, and what it may not.
#
# shellcheck disable=SC2016 # it is for another shell to expand
# shellcheck disable=SC2317 # check calls the functions
# shellcheck disable=SC3045 # dash and bash know ulimit -n

# SPDX-License-Identifier: MIT

. lib/harness.sh

# stubborn FILE: writes its pid there and stays, whatever SIGTERM says.
cat >stubborn <<'END'
#!/bin/sh
trap '' TERM
echo $$ >>"$1"
exec >/dev/null 2>&1
while :; do sleep 9 & wait; done
END
chmod +x stubborn

# founder: once there is a file `second` it starts an orphan in its session,
# and a session of its own.
cat >founder <<'END'
#!/bin/sh
trap '' TERM
echo $$ >founded
exec >/dev/null 2>&1
until [ -e second ]; do sleep .05; done
(./stubborn orphaned &)
setsid ./stubborn separate &
while :; do sleep 9 & wait; done
END
chmod +x founder

# An attempt that --health ends is ended as one that times out is. With these options
# it is ended as soon as it is ready, when the command of --health fails.
soon='--leftovers=spare --health-interval=50ms --health-retries=1'

# begin CASE TEST RETRY-OPTION... -- COMMAND...: all cases run side by side; attempts
# end once TEST holds.
begin() {
	case=$1 test=$2
	shift 2
	(
		# shellcheck disable=SC2086 # words are meant
		"$RETRY" $soon --health="! { $test; }" -k .2 -d 0 "$@" 2>"$case.err"
		echo $? >"$case.code"
	) &
}

# limited CASE FILE LIMIT RETRY-OPTION... -- COMMAND...: the same for a limit, which is
# doubled until what it ends has written its file.
limited() {
	case=$1 file=$2 limit=$3 time=1
	shift 3
	(
		until [ -s "$file" ] || [ $time -gt 64 ]; do
			rm -f "$case"-*
			"$RETRY" "$limit" $time -d 0 "$@" 2>"$case.err"
			echo $? >"$case.last"
			time=$((time * 2))
		done
		mv "$case.last" "$case.code"
	) &
}

none_alive() {
	while read -r pid; do
		if alive "$pid"; then
			note "process $pid is left"
			return 1
		fi
	done <"$1"
}

# hears NAME COMMAND...: runs the command, writes its pid to NAME.ready, and to NAME
# that it got SIGTERM.
cat >hears <<'END'
#!/bin/sh
name=$1
shift
trap 'echo heard >"$name"; exit' TERM
echo $$ >"$name.ready"
"$@"
while :; do sleep .05; done
END

# The first attempt ends by itself and leaves processes, the second is ended.
cat >leaves_daemon <<'END'
#!/bin/sh
if [ "$RETRY_ATTEMPT" = 1 ]; then
	setsid ./stubborn daemon &
	(./stubborn plain &)
	while [ ! -s daemon ] || [ ! -s plain ]; do sleep .05; done
	exit 1
fi
exec sleep 60
END
cat >leaves_founder <<'END'
#!/bin/sh
if [ "$RETRY_ATTEMPT" = 1 ]; then
	setsid ./founder &
	until [ -s founded ]; do sleep .05; done
	exit 1
fi
: >second
exec sleep 60
END

# leaves_asked ASKER STATUS: the first attempt ends so and leaves processes, for
# --check or --before-retry to spare.
cat >leaves_asked <<'END'
#!/bin/sh
[ "$RETRY_ATTEMPT" = 1 ] || exit "$2"
setsid ./stubborn "$1-apart" &
./stubborn "$1-near" &
until [ -s "$1-apart" ] && [ -s "$1-near" ]; do sleep .05; done
exit "$2"
END
cat >zombie.pl <<'END'
$SIG{TERM} = 'IGNORE';
my $child = fork or exit;
select undef, undef, undef, .01 until do {
	open S, "/proc/$child/stat";
	<S> =~ /\) Z/;
};
open F, '>zombie';
print F $$;
close F;
sleep 60
END
chmod +x hears leaves_*

begin inside '[ "$(wc -l <inside)" -ge "$RETRY_ATTEMPT" ]' -a 2 -- \
    sh -c './stubborn inside & wait'
begin outside '[ -s outside ]' -a 1 -- sh -c 'setsid ./stubborn outside & wait'
begin orphan '[ -s orphan ]' -a 1 -- \
    sh -c '(setsid ./stubborn orphan &) ; exec sleep 60'
begin hears '[ -s heard.ready ]' -a 1 -k 60 -- \
    sh -c 'setsid ./hears heard true & while :; do sleep .05; done'
begin daemon '[ $RETRY_ATTEMPT = 2 ]' -a 2 -- ./leaves_daemon
begin kept '[ -s kept ]' -a 1 -k 0 -- sh -c './stubborn kept & exec sleep 60'
begin heirs '[ -s orphaned ] && [ -s separate ]' -a 2 -- ./leaves_founder
begin once 'grep -q . once.apart && grep -q . once.near && grep -q . once.child' \
    -a 1 -k 3 -s 40 -- sh -c 'setsid hear once.apart 10 &
	hear once.near 10 & exec hear once.child 10'
begin stopped 'grep "^State:.T" /proc/"$(cat stopped.ready)"/status' -a 1 -k 9 -- \
    sh -c 'setsid ./hears stopped sh -c "kill -STOP \$PPID" & exec sleep 60'
cp stubborn 'a) Z 1 1 ('
begin odd '[ -s odd ]' -a 1 -- sh -c 'setsid "./a) Z 1 1 (" odd & wait'
begin zombie '[ -s zombie ]' -a 1 -k 0 -- sh -c 'perl zombie.pl & exec sleep 60'
(
	ulimit -n 24
	begin many '[ "$(wc -l <many)" = 30 ]' -a 1 -- sh -c 'for i in $(seq 30); do
		setsid sh -c "echo \$\$ >>many; exec sleep 60" & done; wait'
)
# A check and a gate may end what they have started, and nothing else.
limited check check-own -t -a 1 -k .2 \
    '--check=[ "$RETRY_LAST" = timeout ] || setsid ./stubborn check-own & sleep 60' -- ./leaves_asked check 0
limited before-retry before-retry-own -t -a 2 -k .2 \
    '--before-retry=[ "$RETRY_LAST" = timeout ] ||
	setsid ./stubborn before-retry-own & sleep 60' -- \
    ./leaves_asked before-retry 1
# The limits of a run and of an attempt.
limited all all -T -a 3 -k .2 -- sh -c 'setsid ./stubborn all & wait'
limited alone alone -T -a 1 -k 0 -- ./stubborn alone
limited preserved preserved -T -p -a 1 -k 0 -- ./stubborn preserved
(
	sh -c './stubborn older & until [ -s older ]; do sleep .05; done
	    exec "$RETRY" -q -a 1 -t 1 -k .2 sleep 60'
	echo $? >older.code
) &
for case in inside outside orphan hears daemon older kept alone heirs all \
    preserved once stopped check before-retry odd zombie many; do
	wait_for test -s $case.code
done

is 'an attempt that is ended means 124' "$(cat inside.code)" 124
is 'each attempt had started its own' "$(wc -l <inside)" 2
check 'what ignores SIGTERM is killed' wait_for none_alive inside
check 'what called setsid is killed' wait_for none_alive outside
check 'what its parent left is killed' wait_for none_alive orphan
is 'a descendant with a session of its own hears --signal' \
	"$(cat heard)" heard
is 'the attempt after a daemon is ended' "$(cat daemon.code)" 124
check 'the daemon of an attempt that ended by itself lives on' \
	alive "$(cat daemon)"
check 'a plain process that it left lives on too' alive "$(cat plain)"
check 'a child from before retry began lives on' alive "$(cat older)"
is '--max-time ends an attempt in 124' "$(cat all.code)" 124
check '--max-time leaves nothing either' wait_for none_alive all
is 'with -k 0 the run ends all the same' "$(cat kept.code)" 124
like 'what is left with -k 0 is named' "$(cat kept.err)" \
	'process [0-9]+ \(stubborn\) does not end and is left'
check 'what is left with -k 0 was not killed' alive "$(cat kept)"
is 'an attempt that does not end is given up after --max-time' \
	"$(cat alone.code)" 124
like 'an attempt that does not end is named' "$(cat alone.err)" 'process [0-9]+ \(stubborn\) does not end and is left'
check 'an attempt that does not end is left, since SIGKILL never follows' alive "$(cat alone)"
is 'with --preserve-status, too, it has not succeeded' "$(cat preserved.code)" 124
check 'with --preserve-status, too, it lives on' kill -9 "$(cat preserved)"

for asker in check before-retry; do
	check "--$asker that times out spares an attempt's daemon" \
	    alive "$(cat $asker-apart)"
	check "--$asker that times out spares what an attempt left" \
	    alive "$(cat $asker-near)"
	check "what a --$asker that times out has started is killed" \
	    wait_for none_alive $asker-own
	kill -9 "$(cat $asker-apart)" "$(cat $asker-near)"
done

check 'the session of a daemon is spared, of what it then starts' \
	alive "$(cat orphaned)"
check 'a session that a daemon then starts is spared' alive "$(cat separate)"
is 'each process hears the signal once' \
	"$(cat once.child once.near once.apart | grep -cx 40)" 3
is 'one that is stopped hears it' "$(cat stopped)" heard
check 'a name may look like what follows it' wait_for none_alive odd
check 'an attempt may start more processes than there are descriptors' wait_for none_alive many
is 'a zombie is not named' "$(grep -c "is left$" zombie.err)" 1

# On a busy processor a signal often meets a process in the midst of fork(2).  A child
# that stayed stopped would have the kernel hang up the group as retry ends.
cat >forks <<'END'
#!/bin/sh
trap '' TERM
trap 'echo "$1" >>hung_up' HUP
trap 'echo "$1" >>answered' USR1
echo $$ >"$1.pid"
exec >/dev/null 2>&1
while :; do sleep 9 & wait; done
END
chmod +x forks
one=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
taskset -c "$one" sh -c 'for i in 1 2 3 4 5 6; do
	sh -c "until [ -e forked ]; do :; done" &
done
for i in $(seq 24); do
	"$RETRY" '"$soon"' --health="test ! -s $i.pid" -a 1 -k 0 -- \
	    sh -c "./forks $i & exec sleep 60" 2>/dev/null &
	runs="$runs $!"
done
wait $runs
: >forked'
cat [0-9]*.pid | xargs kill -USR1
wait_for sh -c 'test "$(wc -l <answered)" = 24'
check 'what is left in the midst of a fork is not left stopped' test ! -e hung_up
cat [0-9]*.pid | xargs kill -9

# An attempt that was ended is gone, what it left is not.
# shellcheck disable=SC2086 # words are meant
"$RETRY" -q $soon --health='test ! -s left' -k 100d sh -c 'echo $$ >main; echo $PPID >retry
	sh -c "trap \"\" TERM; echo \$\$ >left; exec sleep 60" &
	exec sleep 60' 2>left.err &
wait_for test -s left
wait_for not alive "$(cat main)"
kill "$(cat retry)"
kill -9 "$(cat left)"
wait $!
is 'a signal then ends the run all the same' "$?" 124
is 'without a word of the process that is gone' "$(cat left.err)" ''

# What dies just while retry looks at what is left: once its parent has been
# waited for, and before the list of processes is read.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # strace(1) traces too
if strace -o trace true 2>/dev/null; then
	# shellcheck disable=SC2086 # words are meant
	status 124 'an attempt is ended that leaves what ends by itself' \
	    strace -o trace -e trace=getdents64,wait4 \
	    -e inject=getdents64:delay_enter=50000 \
	    "$RETRY" -q -a 1 $soon --health='test ! -s late' -k 100d sh -c '
		sh -c "trap \"\" TERM; echo \$\$ >late
			while kill -0 $$; do :; done 2>/dev/null" &
		exec sleep 60'
	check 'what ends by itself is waited for as well' grep -q "= $(cat late)\$" trace
else
	skip 'what ends by itself is waited for' 'strace cannot trace here'
fi

# What a process starts because of --signal does not get it, however long the
# look for all processes takes: in a group of the attempt's or of its own, of a
# check, and on a terminal, where there is no group.
cat >cleaner <<'END'
#!/bin/sh
trap 'setsid sleep .5 && echo clean >>"$1"; exit' TERM
while :; do sleep .05; done
END
chmod +x cleaner
slow='strace -o /dev/null -e trace=getdents64 -e inject=getdents64:delay_enter=200000'
if strace -o trace true 2>/dev/null; then
	# shellcheck disable=SC2086 # words are meant
	{
		$slow "$RETRY" -a 1 -t 3 ./cleaner group &
		$slow "$RETRY" -a 1 -t 3 setsid -w ./cleaner apart &
		$slow "$RETRY" -a 1 -t 3 --check='./cleaner check' true &
		script -qec "$slow $RETRY -a 1 -t 3 ./cleaner terminal" /dev/null &
	} >/dev/null 2>&1
	for name in group apart check terminal; do
		wait_for test -s $name
		is "a clean-up because of --signal is spared: $name" \
		    "$(cat $name)" clean
	done
else
	skip 'a clean-up because of --signal is spared' 'strace cannot trace here'
fi

# Where numbers of processes can be chosen: one is used again, of an attempt or of
# a probe, and one that started another has a higher number.
cat >numbers <<'END'
#!/bin/sh
next_pid=/proc/sys/kernel/ns_last_pid

# The second attempt ends what the first has left, and starts a process of the
# same number, which the timeout has to end.
reuse() {
	if [ "$RETRY_ATTEMPT" = 1 ]; then
		setsid ./stubborn used &
		until [ -s used ]; do sleep .05; done
		exit 1
	fi
	kill -9 -"$(cat used)"
	while kill -0 -"$(cat used)"; do sleep .05; done 2>/dev/null
	sleep .05
	echo $(($(cat used) - 1)) >$next_pid
	perl -e 'setpgrp; exec qw(./stubborn again)' &
	exec sleep 60
}

# An attempt's child has a lower number than its parent, which ends later.
lower() {
	echo 20000 >$next_pid
	setsid "$0" lower_child &
	exec sleep 60
}

lower_child() {
	trap '' TERM
	echo 10000 >$next_pid
	setsid hear lower 15 &
	wait
}

# The third probe lasts, so that nobody else takes the number of the first.
probed() {
	until [ "$(grep -c . probes)" -ge 3 ]; do sleep .05; done
	echo $(($(head -n 1 probes) - 1)) >$next_pid
	setsid ./stubborn probed &
	exec sleep 60
}

if [ $# -gt 0 ]; then
	"$1"
	exit
fi
"$RETRY" -q -a 2 -d 0 -t 8 -k .2 "$0" reuse
echo $?
cmp used again && ! kill -0 "$(cat again)" 2>/dev/null && echo killed
"$RETRY" -q -a 1 -t 4 -k .2 "$0" lower
grep -x 15 lower
"$RETRY" -q -a 1 -t 4 -k .2 --health-interval=50ms --health-timeout=60s --health='
	echo $$ >>probes; [ "$(grep -c . probes)" -lt 3 ] || exec sleep 60' "$0" probed
[ "$(cat probed)" = "$(head -n 1 probes)" ] &&
    ! kill -0 "$(cat probed)" 2>/dev/null && echo killed
END
chmod +x numbers
own='--user --map-root-user'
[ "$(id -u)" -eq 0 ] && own=
# shellcheck disable=SC2086 # words are meant
if unshare $own --pid --fork --mount-proc \
    sh -c 'echo 9000 >/proc/sys/kernel/ns_last_pid' 2>/dev/null; then
	run unshare $own --pid --fork --mount-proc ./numbers
	is 'a number that is used again spares nobody, and none is too low' \
	    "$(printf '%s' "$out" | paste -sd ' ')" '124 killed 15 killed'
else
	skip 'a number that is used again spares nobody' 'none can be chosen here'
fi

# A /proc that is not there, cannot be read or is of another name space.

# leaves OPTION...: its attempts leave one process in a session of its own and
# one in theirs, which both ignore SIGTERM.
leaves() {
	rm -f apart near
	# shellcheck disable=SC2086 # words are meant
	run setsid -w "$@" -a 2 -d 0 -k .1 $soon --health='
		[ "$(cat apart near | wc -l)" -ne $((2 * RETRY_ATTEMPT)) ]' \
	    sh -c 'setsid ./stubborn apart & ./stubborn near & wait'
}
hidden='cannot see what an attempt leaves: /proc:'
# shellcheck disable=SC2086 # words are meant
if sanitized; then
	skip 'without /proc a timeout ends in 124' 'AddressSanitizer reads it'
elif unshare $own --pid --fork --mount mount -t tmpfs none /proc 2>/dev/null
then
	leaves unshare $own --mount sh -c '
		mount -t tmpfs none /proc && exec "$RETRY" "$@"' sh
	is 'without /proc a timeout ends in 124' "$code" 124
	is 'without /proc a timeout ends in 124, and says once what may be left' \
	    "$(printf '%s\n' "$err" | grep -c "$hidden No such file or dir")" 1
	check "the attempt's group has ended" wait_for none_alive near
	xargs kill -9 <apart
	leaves unshare $own --pid --fork "$RETRY"
	is 'in a name space of its own too' "$code" 124
	is 'in a name space of its own too, which says why' \
	    "$(printf '%s\n' "$err" | grep -c "$hidden it belongs to another PID")" 1
	unlike 'in a name space of its own too, and names no process' "$err" '^retry: [^ ]*: process '
	run unshare $own --pid --fork "$RETRY" -a 1 -t .3 sleep 60
	unlike 'nothing is said if nothing is left' "$err" "$hidden"
else
	skip 'without /proc a timeout ends in 124' 'no name space can be made'
fi
if strace -o trace true 2>/dev/null; then
	leaves sh -c 'exec strace -D -o trace -P /proc/$$/task/$$/children -e inject="$0" \
	    "$RETRY" "$@"' "$(any_libc openat):error=EMFILE"
	is 'without a descriptor for /proc a timeout ends in 124' "$code" 124
	is 'without a descriptor for /proc a timeout ends in 124, and says why' \
	    "$(printf '%s\n' "$err" | grep -cE "$hidden (Too many open files|No file descriptors)")" 1
	check "the attempt's group has ended without that too" wait_for none_alive near
	xargs kill -9 <apart
else
	skip 'without a descriptor for /proc' 'strace cannot trace here'
fi

# A /proc that hides processes that this user may not trace: here those of a
# program that the user may not read.  The last one has a parent that is seen.
cat >hides <<'END'
#!/bin/sh
mount -t proc -o hidepid=2 proc /proc || exit
rm -f started
while [ "$(pgrep -xc unreadable)" -lt 3 ]; do
	sleep .05
done >/dev/null && : >started &
setpriv --reuid 65534 --regid 65534 --clear-groups "$RETRY" "$@" \
    -a 1 -- sh -c 'deaf="trap \"\" TERM; exec ./unreadable 61"
	setsid sh -c "$deaf" & sh -c "$deaf" &
	setsid sh -c "($deaf) & wait" &
	exec sleep 60'
echo "$?, left $(pgrep -xc unreadable)"
pkill -x unreadable
:
END
cp "$(command -v sleep)" unreadable
chmod 711 unreadable "$T" "${T%/*}"
chmod +x hides
if [ "$(id -u)" -ne 0 ] || ! unshare --pid --fork --mount-proc \
    mount -t proc -o hidepid=2 proc /proc 2>/dev/null; then
	skip 'what /proc hides is killed' 'only root can hide processes'
elif ! ./unreadable 0 2>/dev/null; then
	skip 'what /proc hides is killed' 'sleep needs its own name here'
else
	# shellcheck disable=SC2086 # words are meant
	run unshare --pid --fork --mount-proc ./hides $soon \
	    --health='test ! -e started' -k .2
	is 'what /proc hides is killed' "$(printf '%s\n' "$out" | grep .)" \
	    '124, left 0'
	# shellcheck disable=SC2086 # words are meant
	run unshare --pid --fork --mount-proc ./hides $soon \
	    --health='test ! -e started' -k 0
	like 'without SIGKILL what /proc hides is named' "$err" \
	    'process [0-9]+ \(hidden\) does not end and is left$'
fi

# A process whose first thread has ended.
if have 'half a process is killed' python3; then
	cat >threads.py <<'END'
import ctypes, os, subprocess, threading, time

def first_has_ended():
	with open('/proc/self/stat') as file:
		return file.read().rsplit(')', 1)[1].split()[0] == 'Z'

def stay():
	while not first_has_ended():
		time.sleep(.01)
	subprocess.Popen(['hear', 'thread', '15'], start_new_session=True)
	with open('threads', 'w') as file:
		print(os.getpid(), file=file)
	time.sleep(60)

threading.Thread(target=stay).start()
ctypes.CDLL(None).pthread_exit(None)
END
	# shellcheck disable=SC2086 # words are meant
	status 124 'an attempt is ended that leaves half a process' \
	    retry -q -a 1 $soon --health='! cat threads || ! grep . thread' \
	    sh -c 'setsid python3 threads.py & exec sleep 60'
	check 'an attempt is ended that leaves half a process, which is ended' \
	    not alive "$(cat threads)"
	is 'a child of the second thread hears --signal' "$(grep -cx 15 thread)" 1
fi

status 124 'an attempt that started hundreds of processes times out' retry -q -a 1 -t 1 -k .1 \
    sh -c 'for i in $(seq 300); do sleep 984.'$$' & done; wait'
check 'none of hundreds of processes is left' wait_for not pgrep -f "^sleep 984.$$\$"

kill -9 "$(cat daemon)" "$(cat plain)" "$(cat older)" "$(cat kept)" "$(cat alone)" \
    "$(cat founded)" "$(cat orphaned)" "$(cat separate)" "$(cat zombie)"
cat >coloured.pl <<'END'
if (!fork) {
	$SIG{TERM} = 'IGNORE';
	$0 = "e\033[31m";
	open F, '>coloured';
	print F $$;
	close F;
	sleep 9;
	exit;
}
sleep 60
END
# shellcheck disable=SC2086 # words are meant
run retry -a 1 $soon --health='test ! -s coloured' -k 0 perl coloured.pl
kill -9 "$(cat coloured)"
like 'what is left is named' "$err" '\(e'
unlike 'the name of what is left cannot command a terminal' "$err" "$(printf '\033')"

finish
