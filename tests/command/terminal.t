#!/bin/sh
#
# A command has the use of its terminal, whose keys reach it and retry alike.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/jobs.sh
. "$TESTS/lib/jobs.sh"
export TERM=dumb

# What the attempts do.
program ask <<'END'
printf '%s? ' "$RETRY_ATTEMPT"
read -r answer </dev/tty
echo "heard $answer"
exit 6
END
# A shell that starts others could be stopped halfway, and not look it.
program work <<'END'
exec perl -e '
	$SIG{INT} = sub {
		print "stopped by ^C\n";
		exit(system("await test -e released") ? 99 : $ARGV[0]);
	};
	$| = 1;
	print "ready\n";
	select undef, undef, undef, .01 until -e "released";
	exit $ARGV[0]' "$1"
END

# What the tests do meanwhile.
program heard <<'END'
test "$(grep -cx "$1" heard)" -eq "$2"
END
# As long as it lasts all is stopped, in nanoseconds.
program pause <<'END'
both_stopped && moment >paused && sleep .3 && moment >>paused
END

# Where an attempt may be: in retry's group, in one of its own, which timeout(1)
# makes, or in a session of its own, which nobody but retry can stop; and with
# timeout(1) the one that is looked at is a child of the attempt.
program plain <<'END'
exec "$@"
END
program group <<'END'
exec perl -e 'setpgrp; exec @ARGV' "$@"
END
program session <<'END'
exec perl -e 'use POSIX; POSIX::setsid(); exec @ARGV' "$@"
END
program timed <<'END'
exec timeout 500 "$@"
END
program begun <<'END'
echo $PPID >retry; exec "$@"
END
# One that ^C and ^\ do not end, unlike ^Z.
program count <<'END'
exec perl -e '
	use IO::Handle;
	open my $heard, ">", "heard";
	$heard->autoflush(1);
	sub hear { my $n = shift; $SIG{$n} = sub { print $heard "$n\n" } }
	hear $_ for qw(INT QUIT WINCH);
	$SIG{USR2} = sub { exit 9 };
	open my $pid, ">", "pid";
	print $pid "$$\n";
	close $pid;
	print $heard "ready\n";
	select undef, undef, undef, .01 while 1'
END
places='plain group session timed'
outputs='stream hold all last chronic searched'

# The terminal is the command's.

on_terminal reads '1\?' 'type=one\n' '2\?' 'type=two\n' -- \
    retry -qa 2 -d 0 ask
on_terminal piped '1\?' 'type=one\n' '2\?' 'type=two\n' -- \
    sh -c 'seq 9 | retry -qa 2 -d 0 ask | cat'
on_terminal gates 'gate\?' 'type=open\n' -- retry -qa 2 -d 0 \
    --before-retry='printf "gate? "; read x </dev/tty; test "$x" = open' \
    sh -c 'echo "attempt $RETRY_ATTEMPT"; exit 6'

# What it sends to both is not sent again.

on_terminal once . 'run=await heard ready 1' \
    . 'type=\x03' '(SIGINT(.*\n?)+){1}' 'run=await heard 2 1' \
    . 'type=\x03' '(SIGINT(.*\n?)+){2}' 'run=await heard 2 2' \
    . 'type=\x1c' SIGQUIT 'run=await heard 3 1' \
    . wide=100 SIGWINCH 'run=await heard 28 1; tell USR2 pid' -- \
    retry -v -d 100d known hear heard 12
on_terminal check . 'run=await heard ready 1' . 'type=\x03' \
    SIGINT 'run=await heard 2 1; tell USR2 pid' -- \
    retry -v -d 100d --check='exec known hear heard 12' true
for status in 0 9 130; do
	on_terminal "cleans-$status" ready 'type=\x03' 'by \^C' \
	    'run=tell 0 retry && : >alive; : >released' -- \
	    retry -d 0 known work $status
done
on_terminal dies . 'run=await test -s pid' . 'type=\x03' -- \
    retry -v -d 100d known sleep 100d
on_terminal waits 'next in' 'type=\x03' -- retry -d 100d false
# Stopped so, it finds both that its wait is over and the ^C.
on_terminal late 'next in' 'run=tell STOP retry && await is_stopped retry' \
    . 'type=\x03' . 'run=sleep 6; tell CONT retry' -- \
    retry -b constant -j none -d 6 -a 2 --log=text --log=json:log \
    known sh -c 'exit 6'
# It comes while the attempt's process is made.
if strace -o /dev/null true 2>/dev/null; then
	mkdir born
	on_terminal born begins 'run=await grep -q rt_sigpending trace' \
	    . 'type=\x03' -- sh -c 'echo begins; exec strace -fo trace \
	    -e trace="rt_sigpending,$1" -e inject="$1:delay_enter=1000000" \
	    "$RETRY" -a 1 sleep 100d' sh "$(any_libc clone)"
fi
# A bucket that is locked keeps it for a tenth of a second from the next
# attempt, which the ^C then does not reach.
on_terminal between ready 'run=cp pid first; : >released
	await sh -c "! tell 0 first"' \
    . 'type=\x03' -- sh -c 'trap : INT; exec 3>>bucket; flock 3
	retry -q -d 0 -a 2 --budget=bucket known sh -c "
		test \$RETRY_ATTEMPT -eq 1 || exec sleep 100d
		echo ready; await test -e released; exit 6" 3>&-
	echo "ended $?"'
program listen <<'END'
echo $$ >"$1.pid"; exec hear "$1" 10
END
on_terminal pipeline . 'run=await test -s code
	await grep -q ready left && tell USR1 left.pid
	await grep -q ready right && tell USR1 right.pid' -- sh -c '
	echo begins >/dev/tty; listen left | {
	    retry -qa 1 -t .1 -k .1 sh -c "sleep 100d & exec sleep 100d"
	    echo $? >code; } | listen right'

# ^Z, a background, a hang-up.

for place in $places; do
	for output in $outputs; do
		option=--output=$output
		[ "$output" = searched ] && option=--retry-match=nothing
		on_shell "keys-$place-$output" \
		    "retry -a 1 $option begun $place count" \
		    . 'run=await heard ready 1' . 'type=\x1a' \
		    Stopped run=both_stopped . 'type=fg\n' \
		    'fg\n' 'run=await goes_on pid && await goes_on retry' \
		    . 'type=\x1c' . 'run=await grep -qx QUIT heard' \
		    . wide=90 . 'run=await grep -qx WINCH heard' \
		    . 'type=\x03' . 'run=await grep -qx INT heard' \
		    . 'run=sleep .1; tell USR2 pid' \
		    "$prompt" "$ends"
	done
	wait
done

release='run=await goes_on pid && await goes_on retry; : >released'
on_shell stops 'retry -a 1 --log=json:log known work 7' \
    ready 'type=\x1a' Stopped run=pause . 'type=fg\n' \
    'fg\n' "$release" "$prompt" "$ends"
on_shell idles 'retry -a 2 -d 100d --log=text --log=json:log known false' \
    'next in' 'type=\x1a' Stopped 'run=await is_stopped retry
	moment >paused; sleep .3; moment >>paused' . 'type=fg\n' \
    'fg\n' 'run=await goes_on retry; tell URG retry' "$prompt" "$ends"
on_shell killed 'retry -a 1 known work 7' \
    ready 'run=tell TSTP retry' Stopped run=both_stopped \
    . 'type=fg\n' 'fg\n' "$release" "$prompt" "$ends"
on_shell tostop 'stty tostop; retry -a 2 -d 0 false &' \
    'giving up' 'type=echo $((6 * 7)); jobs; exit\n'
on_shell wants 'retry -a 1 known ask &' \
    '1\?' 'run=both_stopped' . 'type=\n' Stopped 'type=fg\n' \
    'fg\n' 'run=await goes_on pid' . 'type=word\n' "$prompt" "$ends"
on_shell wants-all "retry -a 1 known perl -e 'kill TTIN => 0; exit 7' &" \
    . 'run=await test -s pid; both_stopped' . 'type=\n' Stopped 'type=fg\n' \
    "(?s)fg.*$prompt" "$ends"
# With such a PATH an attempt takes its time until it is a program.
program searches <<'END'
echo $$ >retry
exec env PATH="$(printf %060000d 0 | sed s/0/x:/g)" "$RETRY" -qa 0 -d 0 \
    --retry-on=unstartable nosuch
END
program executed <<'END'
exec grep -qx "${RETRY##*/}" "/proc/$(cat retry)/comm"
END
on_shell early searches . 'run=await executed; sleep .5' . 'type=\x1a' Stopped \
    'type=kill -KILL %%; exit\nexit\n'
on_terminal orphan . 'run=await heard ready 1' . 'type=\x1a' \
    . 'run=await heard 18 1; tell USR2 pid' -- \
    retry -v -a 1 known hear heard 12
on_terminal hangs . 'run=await heard ready 1' . hang -- \
    retry -v known hear heard 1
on_terminal hangs-up . 'run=await test -s pid' . hang -- \
    retry -v -d 100d known sleep 100d
on_terminal hangs-idle 'next in' hang -- retry -d 100d false
wait

# last NAME: what it ended with.
last() {
	tail -n 1 "$1/seen"
}

# signals NAME [FILE]: what was heard, in one line.
signals() {
	paste -sd ' ' "$1/${2:-heard}"
}

is 'a command reads its terminal on every attempt' "$(cat reads/seen)" \
    '1? one
heard one
2? two
heard two
status 6'
is 'an attempt reads the terminal if the input is a pipe' "$(sed '$d' piped/seen)" \
    "$(sed '$d' reads/seen)"
is 'a gate reads the terminal if the input is a pipe' "$(cat gates/seen)" 'attempt 1
gate? open
attempt 2
status 6'

is '^C, ^\ and a new size reach the attempt once each' "$(signals once)" \
    'ready 2 2 3 28 12'
is '^C, ^\ and a new size reach the attempt once each, and end the run when it ends' "$(last once)" 'status 0'
unlike 'retry forwards none' "$(cat once/seen)" forwarded
is 'they reach a check once too' "$(signals check)" 'ready 2 12'
is 'they reach a check once too, and end the run' "$(last check)" 'status -2'
for status in 0 9 130; do
	is "^C lets the command clean up and exit $status" \
	    "$(last cleans-$status)" "status $status"
	check "^C lets the command clean up and exit $status, which retry waits for, status $status" \
	    test -e cleans-$status/alive
	is "^C lets the command clean up and exit $status, and does not follow with an attempt, status $status" \
	    "$(grep -c ready cleans-$status/seen)" 1
done
is 'a command that dies of ^C takes retry with it' "$(last dies)" 'status -2'
is '^C ends a wait at once' "$(last waits)" 'status -2'
is '^C ends a wait that is over at the same moment' \
    "$(last late) $(grep -c '"event":"attempt"' late/log)" 'status -2 1'
is '^C is not lost between two attempts' \
    "$(grep -o 'ended.*' between/seen)" 'ended 130'
is 'a timeout does not touch the rest of a pipeline' \
    "$(signals pipeline left), $(signals pipeline right)" 'ready 10, ready 10'
is 'a timeout does not touch the rest of a pipeline, but ends the attempt' "$(cat pipeline/code)" 124

# Every way that output takes, for every place that an attempt may be in.
for place in $places; do
	for output in $outputs; do
		case=keys-$place-$output
		is "^Z, ^C, ^\\ and a size: $place, $output" \
		    "$(sort -u "$case"/heard | paste -sd ' ') $(grep '^status' \
			"$case"/seen | head -n 1)" 'INT QUIT WINCH ready status 9'
		# timeout(1) itself may send it twice.
		[ "$place" = timed ] || is "once each: $place, $output" \
		    "$(sort "$case"/heard | uniq -d)" ''
	done
done

# outlasted NAME EVENT FIELD: in the log this time has not the pause in it.
outlasted() {
	awk -v event="$2" -v field="$3" '
	FILENAME ~ /paused/ {
		pause = FNR == 1 ? -$1 : (pause + $1) / 1e9
		next
	}
	{
		n = split($0, words, /[":,{}]+/)
		for (i = 2; i < n; i++)
			fields[words[i]] = words[i + 1]
		if (FNR == 1)
			begun = fields["time"]
		if (fields["event"] == event) {
			passed = fields["time"] - begun
			print fields[field] < passed - pause + .01 ? "yes" : "no"
		}
	}' "$1/paused" "$1/log"
}

is '^Z stops both, fg resumes both, and the status is kept' \
    "$(grep '^status' stops/seen | head -n 1)" 'status 7'
is 'the attempt did not last while it was stopped' \
    "$(outlasted stops outcome duration)" yes
is 'a wait does not last while it was stopped' "$(outlasted idles end waited)" yes
is 'after which the retry comes' \
    "$(grep '^status' idles/seen | head -n 1)" 'status 1'
like '^Z stops also a command that is not running yet' \
    "$(cat early/seen)" '^\[1\].*Stopped'
is 'SIGTSTP by kill(1) is like ^Z' \
    "$(grep '^status' killed/seen | head -n 1)" 'status 7'
like 'a background job is not stopped by what retry writes' \
    "$(cat tostop/seen)" '^retry: false: giving up after 2'
like 'a background job takes no terminal' "$(cat tostop/seen)" '^42$'
unlike 'no background job is stopped by what retry writes' "$(cat tostop/seen)" Stopped
is 'if its command wants the terminal, fg gives it' \
    "$(grep -c '^heard word' wants/seen) $(grep '^status' wants/seen |
    head -n 1)" '1 status 6'
is 'fg gives the terminal to a command that asks for it as a shell does' \
    "$(grep '^status' wants-all/seen | head -n 1)" 'status 7'
if [ -d born ]; then
	is '^C ends an attempt whose process is being made' \
	    "$(last born)" 'status -2'
else
	skip '^C ends an attempt whose process is being made' 'no strace'
fi
is 'where nobody could resume it ^Z does not stop it' "$(last orphan)" \
    'status 0'
is 'a hang-up reaches the attempt' "$(signals hangs)" 'ready 1'
is 'whose end is that of the run' "$(last hangs)" 'status 0'
is 'one that dies of it takes retry with it' "$(last hangs-up)" 'status -1'
is 'a hang-up ends a wait' "$(last hangs-idle)" 'status -1'

# A terminal in another.

# in_tmux COMMAND...: by a shell, which an account need not have.
in_tmux() {
	SHELL=/bin/sh tmux -S socket -f /dev/null "$@"
}

# is_gone FILE: the process that it names; perhaps nobody has waited for it.
is_gone() {
	not grep -qs '^State:.[^Z]' "/proc/$(cat "$1")/status"
}

mkdir tmux && cd tmux || exit
if in_tmux new-session -d -s first 'exec retry -q known sleep 100d' \
    2>/dev/null; then
	wait_for test -s pid
	mv pid first
	mv retry first-retry
	in_tmux new-session -d -s reads \
	    'seq 9 | retry -qa 2 -d 0 ask >answers; echo "status $?" >>answers'
	in_tmux send-keys -t reads one Enter two Enter
	wait_for grep -q status answers
	is 'inside tmux a command reads its terminal' \
	    "$(paste -sd ' ' answers)" '1? heard one 2? heard two status 6'
	in_tmux new-session -d -s once \
	    'exec retry -v known hear heard 12 2>log'
	wait_for heard ready 1
	in_tmux send-keys -t once C-c
	wait_for grep -q SIGINT log
	wait_for heard 2 1
	tell USR2 pid
	wait_for is_gone retry
	is '^C reaches it once there' "$(paste -sd ' ' heard)" 'ready 2 12'
	in_tmux kill-server
	check '^C reaches it once there, and the end of tmux is its end' wait_for is_gone first
	check '^C reaches it once there, and that of retry' wait_for is_gone first-retry
else
	skip 'inside tmux a command reads its terminal' 'there is no tmux'
fi

if have 'no look for a terminal waits for the carrier of a serial line' strace
then
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
	    run setsid -w strace -o trace -e trace=openat "$RETRY" -a 1 true
	is 'no look for a terminal waits for the carrier of a serial line' \
	    "$(grep '"/dev/tty"' trace | grep -c -v O_NONBLOCK) $(
		grep -c '"/dev/tty".*O_NONBLOCK' trace)" '0 1'
fi

finish
