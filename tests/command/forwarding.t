#!/bin/sh
#
# Signals to retry reach its attempt once, and are never lost. Which of them end
# the run is in signals.t.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# shoot SIGNALS FILE COMMAND...: tells how the command ends that gets these signals
# once FILE has a line with "ready" or "next": see lib/shoot.pl.
shoot() {
	rm -f "$2"
	perl "$TESTS/lib/shoot.pl" "$@"
}

# listen COMMAND...: runs it in the background, with no signal ignored, and
# waits until `hear heard` is ready. $retry is its pid, $! that of its parent.
listen() {
	rm -f heard pid
	env --default-signal "$@" 2>log &
	wait_for grep -q ready heard
	hear=$!
}

# tell SIGNAL: to retry, and waits until its attempt has heard it once more.
tell() {
	tell_before=$(grep -cx "$1" heard)
	kill -"$1" "$retry"
	wait_for heard_more "$1"
}

# shellcheck disable=SC2317 # wait_for calls it
heard_more() {
	test "$(grep -cx "$1" heard)" -gt "$tell_before"
}

# In an attempt.

first=34 # of the real-time signals, whatever libc says
deadly="$(seq 1 8) $(seq 10 16) $(seq 24 27) $(seq 29 31) $(seq $first 64)"
strace=
[ -n "$(command -v strace)" ] && strace -o sent true 2>/dev/null &&
    strace='strace -o sent -e trace=kill'
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # strace(1) traces too
# shellcheck disable=SC2086 # words are meant
listen $strace "$RETRY" -v sh -c 'echo $PPID >pid; exec hear heard 40'
retry=$(cat pid)
for n in 23 28 $deadly; do
	[ "$n" -eq 40 ] || tell "$n"
done
kill -40 "$retry"
status 0 'an attempt that exits 0 after signals ends the run so' ended $hear
# shellcheck disable=SC2086 # words are meant
is 'every deadly signal reaches the attempt, SIGURG and SIGWINCH too' \
    "$(grep -vx 18 heard | sort -n | paste -sd ' ')" \
    "$(printf '%s\n' ready 23 28 $deadly | sort -n | paste -sd ' ')"
if [ -n "$strace" ]; then
	is 'each was sent once' \
	    "$(grep -v SIGCONT sent | sed -n 's/.*kill([^,]*, \(.*\)).*/\1/p' |
		sort | uniq -d)" ''
else
	skip 'each was sent once' 'there is no strace to count them'
fi
like 'the report names them' "$(cat log)" '^retry: sh: received SIGHUP, forwarded$'
like 'real-time signals too' "$(cat log)" \
    '^retry: sh: received SIGRTMIN\+3, forwarded$'

listen "$RETRY" -k 50ms sh -c 'echo $PPID >pid; exec hear heard 10'
retry=$(cat pid)
tell 15
tell 15
is 'a second SIGTERM is forwarded too' "$(grep -cx 15 heard)" 2
sleep .15
kill -USR1 "$retry"
status 0 'no SIGKILL follows a signal that was forwarded' ended $hear

# Each ignores SIGTERM, in a session of its own too, and is one that retry waits
# for: what it started in the one place and in the other is ended.
cat >ignores <<'END'
#!/bin/sh
trap '' TERM
setsid sh -c 'echo $$ >apart; exec sleep 100' &
until [ -s apart ]; do sleep .05; done
echo ready >ready
while :; do sleep .05; done
END
chmod +x ignores
for case in attempt check gate hook; do
	rm -f apart
	case $case in
	attempt) set -- ./ignores ;;
	check) set -- --check="exec ./ignores" true ;;
	gate) set -- -d 0 --before-retry="exec ./ignores" false ;;
	hook) set -- -a 1 --on-give-up="exec ./ignores" sh -c 'exit 7' ;;
	esac
	case $case in
	attempt) want='signal 9' ;;
	hook) want='exit 7' ;;
	*) want='signal 15' ;;
	esac
	is "--stop-timeout bounds the stop: $case" \
	    "$(shoot TERM ready "$RETRY" -q --stop-timeout=.1 "$@")" "$want"
	check "--stop-timeout bounds the stop: $case, with all that it has started: $case" not alive "$(cat apart)"
done
is 'who ends in time is not killed by --stop-timeout' \
    "$(shoot TERM ready "$RETRY" -q --stop-timeout=100 sh -c '
	trap "sleep .1; exit 9" TERM
	echo ready >ready
	while :; do sleep .05; done')" 'exit 9'

if setsid -w true; then
	listen setsid -w "$RETRY" sh -c '
		echo $PPID >pid
		hear heard2 10 &
		exec hear heard 10'
	retry=$(cat pid)
	wait_for grep -q ready heard2
	tell 10
	ended $hear
	is 'what does not end the run is for the attempt alone' \
	    "$(cat heard2)" ready
fi

run retry -d 100d --stop-on=4 sh -c '
	(until grep -q "^State:.T" /proc/$$/status; do :; done
	kill -CONT $$) &
	kill -STOP $$
	exit 4'
is 'an attempt that stops and goes on has not ended' "$code" 4
for option in --before-retry --on-give-up; do
	rm -f asked
	setsid "$RETRY" -q -d 0 -a 2 $option='echo $$ >asked; kill -STOP $$; :' \
	    sh -c 'exit 7' &
	retry=$!
	wait_for sh -c 'grep -q "^State:.T" "/proc/$(cat asked)/status"'
	kill -CONT "$retry"
	check "$option: what was stopped goes on with SIGCONT" wait_for not alive "$retry"
done
is 'SIGKILL of retry is the end of its attempt too' \
    "$(shoot KILL ready "$RETRY" sh -c 'echo ready >ready; exec sleep 100d')" \
    'signal 9'

if [ -n "$strace" ]; then
	# Its child goes on once it is gone.
	strace -f -qq -o sent -e trace=prctl -e inject=prctl:delay_enter=300000 \
	    "$RETRY" sh -c 'sleep 20; echo >late' &
	tracer=$!
	wait_for pgrep -P $tracer -x retry
	retry=$(pgrep -P $tracer -x retry)
	wait_for pgrep -P "$retry"
	kill -KILL "$retry"
	ended $tracer
	check 'an attempt dies with retry, even if retry dies before the attempt executes' not test -e late
else
	skip 'an attempt dies with retry, even if retry dies before the attempt executes' 'there is no strace to delay it'
fi

listen "$RETRY" -q perl -e 'open F, ">pid"; print F getppid; close F;
	setpgrp 0, getpgrp getppid; exec qw(hear heard 10)'
retry=$(cat pid)
tell 15
kill -USR1 "$retry"
status 0 'an attempt that left its group hears signals' ended $hear

# SIGHUP: without a terminal it asks a daemon to read its configuration again.

rm -f heard
setsid "$RETRY" -qd 100d hear heard 15 &
retry=$!
wait_for grep -q ready heard
for _ in 1 2; do
	tell_before=$(grep -cx 1 heard)
	kill -HUP "$retry"
	wait_for heard_more 1
done
check 'without a terminal SIGHUP is passed on each time' kill -TERM "$retry"
ended "$retry"
is 'without a terminal SIGHUP is passed on each time, and does not end the run' "$(grep -cx 1 heard) $(grep -cx 15 heard)" '2 1'
# A daemon's first process reloads, and its workers need not understand.
cat >daemon <<'END'
#!/bin/sh
sleep 60 &
echo $! >worker
trap 'echo "$1" >>reloaded' "$1"
trap 'exit 0' TERM
echo ready >>reloaded
while :; do
	wait
done
END
chmod +x daemon
for signal in HUP USR1 USR2 RTMIN+1 WINCH; do
	rm -f reloaded
	setsid "$RETRY" -q ./daemon $signal &
	retry=$!
	wait_for grep -q ready reloaded
	kill -"$signal" "$retry"
	wait_for grep -q "$signal" reloaded
	check "SIG$signal reaches the attempt, not its workers" \
	    alive "$(cat worker)"
	kill -TERM "$retry"
	ended "$retry"
	check "after SIG$signal, SIGTERM ends the workers too" \
	    wait_for not alive "$(cat worker)"
done

# Storms, and moments.

listen "$RETRY" -q sh -c 'echo $PPID >pid; exec hear heard 64'
retry=$(cat pid)
perl -e 'kill 10, $ARGV[0] for 1 .. 3000; kill '$first', $ARGV[0] for 1 .. 1000' \
    "$retry"
check 'a storm of signals does not end the run' kill -64 "$retry"
status 0 'the run outlives a signal after the storm' ended $hear
check 'SIGUSR1 is heard in a storm' grep -qx 10 heard
is 'a thousand real-time signals reach the attempt once each' \
    "$(grep -cx $first heard)" 1000

# As many as are read at once, and none more: SIGCONT is the last.
rm -f log
timeout 20 env --ignore-signal=$first "$RETRY" -a 2 -d 1 -j none \
    sh -c 'echo $PPID >pid; exit 7' 2>log &
timeout=$!
wait_for grep -q 'next in' log
retry=$(cat pid)
kill -STOP "$retry"
for _ in $(seq 31); do
	kill -$first "$retry"
done
kill -CONT "$retry"
status 7 'signals that came together make no wait last for ever' ended $timeout

# Two processes send faster than retry can read. Nothing is printed if a busy
# machine has not begun the attempt before its time is over. All processes of a
# user share the room for signals that wait, so that a flood must not take it all.
flooded() {
	rm -f flooded
	perl -e '
		use POSIX qw(WNOHANG);
		use Time::HiRes qw(time);
		my $pid = fork;
		if ($pid == 0) {
			exec("prlimit", "--sigpending=2000", @ARGV) or
			    exec @ARGV;
		}
		until (-e "flooded") {
			exit if waitpid($pid, WNOHANG) == $pid;
			select undef, undef, undef, .01;
		}
		my @senders;
		for (1, 2) {
			my $sender = fork;
			if ($sender == 0) {
				my $end = time + 100;
				1 while (kill '"$first"', $pid or $!{EAGAIN}) and
				    time < $end;
				exit(time >= $end);
			}
			push @senders, $sender;
		}
		waitpid $pid, 0;
		print $? >> 8;
		for (@senders) {
			waitpid $_, 0;
			print " late" if $?;
		}' "$@"
}
# shellcheck disable=SC2317 # wait_for calls it
limited() {
	got=$(flooded "$@" "$RETRY" -q -a 1 -t .5 -k .5 \
	    env --ignore-signal="$first" sh -c ': >flooded; exec sleep 100d')
	test -n "$got"
}
retried limited
is 'a flood of signals keeps no limit from its end' "$got" 124
if have 'a flood with a signal always pending keeps no limit from its end' strace; then
	retried limited strace -D -o sent -e trace="$(any_libc pselect6)" \
	    -e inject="$(any_libc pselect6:delay_enter=5000)"
	is 'a flood with a signal always pending keeps no limit from its end' "$got" 124
fi

wrong=
for n in $(seq 40); do
	rm -f ran
	run retry -qd 100d sh -c 'echo >>ran; kill -TERM $PPID; exit 9'
	case $code in
	9 | 143) ;;
	*) wrong="$wrong $code" ;;
	esac
	[ "$(wc -l <ran)" -eq 1 ] || wrong="$wrong ran again"
done
is 'a signal that comes with the end of the attempt ends the run' "$wrong" ''

is 'SIGTERM at any moment from the start ends all' "$(perl -e '
	use POSIX ();
	$SIG{ALRM} = sub { print "hangs or leaves an orphan\n"; exit };
	for my $round (1 .. 60) {
		alarm 20;
		pipe my $out, my $in;
		my $pid = fork;
		if ($pid == 0) {
			POSIX::dup2(fileno $in, 1);
			exec @ARGV;
		}
		close $in;
		select undef, undef, undef, $round * .0001;
		kill "TERM", $pid;
		waitpid $pid, 0;
		print "round $round: $?\n" if $? != 15;
		1 while sysread $out, my $rest, 4096;
	}' "$RETRY" -qa 0 -d 0 sleep 100d)" ''
is 'SIGTERM at any moment ends a run whose attempts all fail at once' "$(perl -e '
	use POSIX ();
	$SIG{ALRM} = sub { print "hangs or leaves an orphan\n"; exit };
	for my $round (1 .. 60) {
		alarm 20;
		my $pid = fork;
		exec @ARGV if $pid == 0;
		select undef, undef, undef, $round * .0001;
		kill "TERM", $pid;
		waitpid $pid, 0;
		print "round $round: $?\n" if $? != 15 && $? != 256;
	}' "$RETRY" -qa 0 -d 0 false)" ''

# Stopping.

# stops PID: it is stopped.
# shellcheck disable=SC2317 # wait_for calls it
stops() {
	grep -q '^State:.T' "/proc/$1/status"
}

# A shell that starts others could be stopped halfway, and not look it.
listen perl -e 'setpgrp; exec @ARGV' "$RETRY" -q -t 6 \
    sh -c 'echo $PPID >pid; echo $$ >attempt
	exec perl -e "\$SIG{USR1} = sub { exit }; qx(echo ready >heard);
	    select undef, undef, undef, .01 while 1"'
retry=$(cat pid)
kill -TSTP "$retry"
check 'SIGTSTP stops retry' wait_for stops "$retry"
check 'SIGTSTP stops retry, and its attempt' wait_for stops "$(cat attempt)"
sleep 6.1
kill -CONT "$retry"
wait_for not stops "$(cat attempt)"
kill -TSTP "$retry"
check 'SIGTSTP stops retry, and does so once more' wait_for stops "$(cat attempt)"
kill -CONT "$retry"
kill -USR1 "$retry"
status 0 'SIGCONT resumes both, and the time so stopped does not count' \
    ended $hear
# What goes out is stopped too: here the reader has read but a byte.
mkfifo unread
exec 8<>unread
perl -e 'setpgrp; exec @ARGV' "$RETRY" --output=last seq 200000 >unread 8<&- &
retry=$!
head -c 1 <&8 >got
kill -TSTP $retry
check 'SIGTSTP stops held output that goes out' wait_for stops "$retry"
kill -CONT $retry
check 'SIGCONT continues it' wait_for not stops "$retry"
cat <unread >>got 8<&- &
reader=$!
exec 8<&-
ended $retry
ended $reader
seq 200000 >want
check 'SIGCONT continues it, and nothing is lost' cmp got want
# stopped_reader: a reader that takes some, is stopped with retry for a second, and
# takes the rest after half a second, has all: both have a second again.
stopped_reader() {
	perl -e 'setpgrp; exec @ARGV' "$RETRY" -q --output=last -a 2 -T 1 \
	    sh -c 'head -c 300000 /dev/zero; exec sleep 60' >unread &
	retry=$!
	exec 8<unread
	dd bs=65536 count=1 iflag=fullblock of=got <&8 2>dd.log
	sleep .8
	kill -TSTP "$retry"
	sleep 1
	kill -CONT "$retry"
	sleep .5
	cat <&8 >>got
	exec 8<&-
	ended "$retry"
	[ "$(wc -c <got)" -eq 300000 ]
}
check 'the reader has a second after a stop, too' retried stopped_reader
listen setsid -w "$RETRY" -q sh -c 'trap "exit 0" USR1
	echo $PPID >pid; echo ready >heard
	while :; do sleep .05; done'
retry=$(cat pid)
kill -TSTP "$retry"
kill -USR1 "$retry"
status 0 'who leads a session with nobody to resume it is not stopped' \
    ended $hear

finish
