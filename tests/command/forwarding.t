#!/bin/sh
#
# Signals to retry reach its attempt once, end the run where they should, and
# are never lost.
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

# shellcheck disable=SC2317 # wait_for calls it
ready_again() {
	test "$(grep -cx ready heard)" -eq 2
}

# In an attempt.

first=34 # of the real-time signals; musl keeps one more to itself
musl && first=35
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
status 0 'an attempt that exits 0 after signals ends the run so' wait $hear
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

wrong=
for n in 2 3 6 13 14 15 24 29 30 31; do
	rm -f ran
	got=$(shoot "$n" ran "$RETRY" -qd 100d sh -c '
		ulimit -c 0; echo ready >>ran; exec sleep 100d')
	[ "$got $(wc -l <ran)" = "signal $n 1" ] || wrong="$wrong $n: $got"
done
is 'a signal that ends the run is what it dies of' "$wrong" ''
for want in 0 7; do
	is "what the attempt makes of the signal is the status: $want" \
	    "$(shoot TERM ready "$RETRY" -qd 100d sh -c "
		trap 'exit $want' TERM
		echo ready >ready
		while :; do sleep .05; done")" "exit $want"
done
is 'no check, no hook and no retry follows' "$(
	shoot TERM ready "$RETRY" -qd 100d --check='echo >>"$T/asked"' \
	    --on-give-up='echo >>"$T/asked"' --before-retry='echo >>"$T/asked"' \
	    sh -c 'trap "exit 7" TERM
		echo ready >ready
		while :; do sleep .05; done'
	ls asked 2>/dev/null)" "exit 7"

listen "$RETRY" -k 50ms sh -c 'echo $PPID >pid; exec hear heard 10'
retry=$(cat pid)
tell 15
tell 15
is 'a second SIGTERM is forwarded too' "$(grep -cx 15 heard)" 2
sleep .15
kill -USR1 "$retry"
status 0 'no SIGKILL follows a signal that was forwarded' wait $hear

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

wrong=
for n in 10 12 $first 37 64; do
	listen "$RETRY" -qa 2 -d 0 --success-on='!0' \
	    sh -c 'echo $PPID >pid; exec hear heard '"$n"
	retry=$(cat pid)
	tell "$n"
	wait_for ready_again
	kill -"$n" "$retry"
	wait $hear
	[ $? -eq 1 ] || wrong="$wrong $n"
done
is 'SIGUSR1, SIGUSR2 and real-time signals do not end the run' "$wrong" ''
rm -f log
run sh -c 'sh -c "SYSTEMD_EXEC_PID=\$\$ exec retry -a 2 -d 5 false" 2>log &
    until grep -q "next in" log; do sleep .05; done
    kill -USR1 $!; wait $!'
is 'SIGUSR1 of a manager ends a wait' "$code" 143

if setsid -w true; then
	listen setsid -w "$RETRY" sh -c '
		echo $PPID >pid
		hear heard2 10 &
		exec hear heard 10'
	retry=$(cat pid)
	wait_for grep -q ready heard2
	tell 10
	wait $hear
	is 'what does not end the run is for the attempt alone' \
	    "$(cat heard2)" ready
fi

is 'a stopped attempt hears SIGTERM' \
    "$(shoot TERM ready "$RETRY" -qd 100d sh -c '
	(until grep -q "^State:.T" /proc/$$/status; do :; done; echo ready >ready) &
	kill -STOP $$')" 'signal 15'
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
	wait $tracer
	check 'an attempt dies with retry, even if retry dies before the attempt executes' not test -e late
else
	skip 'an attempt dies with retry, even if retry dies before the attempt executes' 'there is no strace to delay it'
fi

listen "$RETRY" -q perl -e 'open F, ">pid"; print F getppid; close F;
	setpgrp 0, getpgrp getppid; exec qw(hear heard 10)'
retry=$(cat pid)
tell 15
kill -USR1 "$retry"
status 0 'an attempt that left its group hears signals' wait $hear

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
wait "$retry"
is 'without a terminal SIGHUP is passed on each time, and does not end the run' "$(grep -cx 1 heard) $(grep -cx 15 heard)" '2 1'
rm -f log
setsid "$RETRY" -v -a 2 -d 100d sh -c 'exit $((9 - RETRY_ATTEMPT))' 2>log &
retry=$!
wait_for grep -q 'next in' log
kill -HUP "$retry"
wait_for grep -q '^retry: sh: received SIGHUP$' log
check 'SIGHUP in a wait is only reported' kill -URG "$retry"
status 7 'a wait goes on after SIGHUP' wait "$retry"


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
	wait "$retry"
	check "after SIG$signal, SIGTERM ends the workers too" \
	    wait_for not alive "$(cat worker)"
done

for option in --before-retry --check; do
	rm -f asked told
	setsid "$RETRY" -q -d 0 -a 2 $option='echo >>asked
		until [ -e told ]; do sleep .05; done' sh -c 'exit 7' &
	retry=$!
	wait_for test -s asked
	kill -HUP "$retry"
	kill -USR1 "$retry"
	: >told
	wait "$retry"
	is "$option: what is for an attempt does not end what judges it" $? \
	    "$([ $option = --check ] && echo 0 || echo 7)"
done

# In a wait.

wrong=
for n in 2 3 6 13 14 15 24 29 30 31; do
	got=$(shoot "$n" log sh -c 'exec retry -d 100d false 2>log')
	[ "$got" = "signal $n" ] || wrong="$wrong $n: $got"
done
is 'a signal ends a wait at once' "$wrong" ''
rm -f log
"$RETRY" -v -a 2 -d 100d sh -c 'exit $((9 - RETRY_ATTEMPT))' 2>log &
retry=$!
wait_for grep -q 'next in' log
for n in USR1 USR2 $first WINCH CHLD CONT TTIN TTOU 64; do
	kill -"$n" $retry
done
wait_for grep -q "^retry: sh: received SIGRTMIN+$((64 - first))$" log
check 'others do not' kill -URG $retry
status 7 'others do not, and SIGURG means retry now' wait $retry
like 'nothing is forwarded where there is no attempt' "$(cat log)" \
    '^retry: sh: received SIGUSR1$'
is 'a signal ends a check' \
    "$(shoot TERM ready "$RETRY" -qd 100d \
	--check='echo ready >"$T/ready"; exec sleep 100d' true)" 'signal 15'
is 'a signal ends a check, and a gate' \
    "$(shoot TERM ready "$RETRY" -qd 0 \
	--before-retry='echo ready >"$T/ready"; exec sleep 100d' false)" 'signal 15'

# Storms, and moments.

listen "$RETRY" -q sh -c 'echo $PPID >pid; exec hear heard 64'
retry=$(cat pid)
perl -e 'kill 10, $ARGV[0] for 1 .. 3000; kill '$first', $ARGV[0] for 1 .. 1000' \
    "$retry"
check 'a storm of signals does not end the run' kill -64 "$retry"
status 0 'the run outlives a signal after the storm' wait $hear
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
status 7 'signals that came together make no wait last for ever' wait $timeout

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
				1 while (kill '$first', $pid or $!{EAGAIN}) and
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
	    env --ignore-signal=$first sh -c ': >flooded; exec sleep 100d')
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
    wait $hear
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
wait $retry
wait $reader
seq 200000 >want
check 'SIGCONT continues it, and nothing is lost' cmp got want
# continued COMMAND...: sends it a SIGCONT right behind a SIGTSTP, at growing
# gaps, and sees each time that it still hears a signal.
continued() {
	perl -e '
		use Time::HiRes qw(time);
		pipe my $log, my $in;
		my $pid = fork;
		if ($pid == 0) {
			setpgrp;
			open STDERR, ">&", $in;
			exec @ARGV;
		}
		close $in;
		$SIG{ALRM} = sub { kill "KILL", $pid; print "stopped\n"; exit };
		alarm 20;
		while (<$log>) { last if /next in|starts/ }
		for my $round (1 .. 400) {
			kill "TSTP", $pid;
			my $end = time + $round % 100 * 1e-6;
			1 while time < $end;
			kill "CONT", $pid;
			kill "USR2", $pid;
			while (<$log>) { last if /USR2/ }
			alarm 20;
		}
		kill "KILL", $pid' "$@"
}
is 'a SIGCONT right behind SIGTSTP resumes a wait' \
    "$(continued "$RETRY" -v -d 100d false)" ''
is 'a SIGCONT right behind SIGTSTP resumes a wait, and an attempt' "$(continued "$RETRY" -v hear heard 10)" ''
# An attempt in the background that wants the terminal: retry stops with it, and
# whoever continues retry may be quick.  The attempt is what does both here.
is 'a SIGCONT right behind SIGTTIN resumes both' "$(perl -e '
	pipe my $rounds, my $in;
	my $pid = fork;
	if ($pid == 0) {
		setpgrp;
		open STDOUT, ">&", $in;
		exec @ARGV;
	}
	close $in;
	$SIG{ALRM} = sub { kill "KILL", $pid; print "stopped\n"; exit };
	alarm 20;
	alarm 20 while <$rounds>;
	waitpid $pid, 0;
	print $?' "$RETRY" -q perl -e '
	use Time::HiRes qw(time);
	my $retry = getppid;
	$SIG{TTIN} = $SIG{TTOU} = "IGNORE";
	$SIG{USR2} = sub { $heard = 1 };
	$| = 1;
	for my $round (1 .. 2000) {
		kill $round % 2 ? "TTIN" : "TTOU", $retry;
		my $end = time + $round % 200 * 1e-6;
		1 while time < $end;
		kill "CONT", $retry;
		kill "USR2", $retry;
		select undef, undef, undef, .001 until $heard;
		$heard = 0;
		print "$round\n";
	}')" 0
# A stranger's comes first, and is one with the one that stops the attempt.
listen perl -e 'setpgrp; exec @ARGV' "$RETRY" -q \
    sh -c 'echo $PPID >pid; echo $$ >attempt; echo ready >heard; kill -TTIN $$'
retry=$(cat pid)
wait_for stops "$(cat attempt)"
kill -TTIN "$retry"
check 'SIGTTIN of a stranger stops retry if it has stopped the attempt' \
    wait_for stops "$retry"
kill -CONT "$retry"
status 0 'SIGTTIN of a stranger stops retry if it has stopped the attempt, and SIGCONT resumes both' wait $hear
listen setsid -w "$RETRY" -q sh -c 'trap "exit 0" USR1
	echo $PPID >pid; echo ready >heard
	while :; do sleep .05; done'
retry=$(cat pid)
kill -TSTP "$retry"
kill -USR1 "$retry"
status 0 'who leads a session with nobody to resume it is not stopped' \
    wait $hear

finish
