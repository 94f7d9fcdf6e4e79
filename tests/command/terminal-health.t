#!/bin/sh
#
# --health on a terminal: its keys, its size, the status line, and its modes,
# which a probe leaves alone.
#
# shellcheck disable=SC2016,SC2034 # it is for another shell, or eval, to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/jobs.sh
. "$TESTS/lib/jobs.sh"
export TERM=xterm

# It waits for ^C.
program flaky <<'END'
echo "out $RETRY_ATTEMPT"
echo $PPID >retry
exec perl -e '
	$SIG{WINCH} = sub { open my $file, ">", "resized" };
	open my $pid, ">", "pid";
	print $pid "$$\n";
	close $pid;
	select undef, undef, undef, .01 while 1'
END
# A probe that takes its time.
program hangs <<'END'
await test -s pid
echo $$ >probe
exec sleep 100d
END
# One in a process group of its own.
program timed <<'END'
await test -s pid
exec timeout 500 sh -c 'echo $$ >probe; exec sleep 100d'
END
program all_stopped <<'END'
both_stopped && for name; do await is_stopped "$name"; done
END
program all_go_on <<'END'
for name in pid retry "$@"; do await goes_on "$name"; done
END
program told <<'END'
exec grep -q "\"health\":\"$1\"" log
END
program is_gone <<'END'
! grep -qs '^State:.[^Z]' "/proc/$(cat "$1")/status"
END

# Every way that output may take. The run stops and goes on, sees another size, and
# ends by ^C.
outputs='stream hold all last chronic failed'
for output in $outputs; do
	case $output in
	stream | hold) line=. narrow=. ;;
	*)	line='^retry: flaky: attempt 1/1 runs [0-9]+s$'
		narrow='^attempt 1/1 runs [0-9]+s$' ;;
	esac
	on_shell "$output" "retry --output=$output -a 1 --health=hangs \
--health-interval=10ms flaky" \
	    . 'run=await test -s pid && await test -e probe' "$line" show \
	    . 'type=\x1a' Stopped 'run=all_stopped probe' . show \
	    . 'type=fg\n' 'fg\n' 'run=all_go_on probe' "$line\\Z" show \
	    . wide=24 . 'run=await test -e resized' "$narrow" show \
	    . wide=80 . 'type=\x03' "$prompt" "$ends"
done
wait

# The status line, next to a probe that writes.
on_terminal writes 'runs 1s' 'run=: >go' . 'run=await told healthy' \
    'runs [2-9]s' 'run=: >end' -- \
    retry -v -a 1 --output=last --health='await test -e go; echo one; printf two' \
    --health-interval=10ms --log=auto --log=json:log \
    sh -c 'await test -e end'
on_terminal silent -- retry -v -a 1 --output=chronic --health='echo one' \
    --health-interval=10ms --log=auto --log=json:log \
    sh -c 'await told healthy'
on_terminal name 'attempt 1/1 runs' show . 'type=\x03' -- \
    sh -c 'stty columns 40; exec retry -a 1 --output=last \
    --name=a-long-name-of-a-test-suite sleep 100d'

# A stop stops the clock of a probe.
on_shell clock 'retry -a 1 --health="hangs || exit 0" --health-interval=10ms \
    --health-timeout=10s --log=auto --log=json:log flaky' \
    . 'run=await test -s pid && await test -s probe' \
    . 'type=\x1a' Stopped 'run=all_stopped probe; sleep 10.5' . 'type=fg\n' \
    'fg\n' 'run=all_go_on probe; sleep .2
	! told failing && : >still; tell KILL pid' "$prompt" "$ends"

on_shell group 'retry -a 1 --health="exec timed" --health-interval=10ms flaky' \
    . 'run=await test -s pid && await test -s probe' \
    . 'type=\x1a' Stopped 'run=all_stopped probe' . 'type=fg\n' \
    'fg\n' 'run=all_go_on probe' . 'type=\x03' "$prompt" "$ends"

# A probe cannot change the terminal, and its end changes nothing there.
on_terminal modes -- sh -c '"$@"; stty -a >after' sh \
    retry -q -a 1 --health='[ ! -e set ] || : >known; stty -icanon </dev/tty
	exec sleep 100d' --health-interval=10ms --health-timeout=50ms \
    --health-retries=9999 sh -c 'stty -echo; : >set; await test -e known
	sleep .2; stty -a >meanwhile'
wait

# screen NAME N: the Nth that was shown of it.
screen() {
	awk -v n="$2" '$0 == "--------------------" { n--; next } n == 1' "$1/seen"
}

for output in $outputs; do
	is "$output: ^Z, fg, a size and ^C do what they should" \
	    "$(grep -a '^status' "$output/seen" | head -n 1)" 'status 130'
	check "$output: no probe is left" await is_gone "$output/probe"
	case $output in
	stream | hold) continue ;;
	esac
	is "$output: the line is there, gone while all is stopped, and there again" \
	    "$(for n in 1 3 4; do
		screen "$output" $n | tail -n 1
	done | grep -c 'attempt 1/1 runs [0-9]*s$')" 3
	unlike "$output: the line is not before a shell" \
	    "$(screen "$output" 2; tail -n 9 "$output/seen")" 'runs [0-9]*s$'
done

is 'a probe writes above the status line' \
    "$(grep -A1 'check: one$' writes/seen | head -n 2)" \
    'retry: sh: health check: one
retry: sh: health check: two'
check 'a probe writes above the status line, and ends its line' not grep -q 'two.' writes/seen
is 'a probe writes above the status line, with --output=chronic it writes nothing of a success' \
    "$(xargs <silent/seen)" 'status 0'
like 'the count outlasts a long name' "$(screen name 1)" \
    '^retry: attempt 1/1 runs [0-9]+s$'
check 'a stop stops the clock of a probe' test -e clock/still
is 'a stop stops the clock of a probe, and a process group of its own' \
    "$(grep -a '^status' group/seen | head -n 1)" 'status 130'
check 'a probe is ended by ^C' await is_gone group/probe

for word in echo icanon; do
	is "a killed probe leaves the terminal's $word alone" \
	    "$(grep -ow -e "-\?$word" modes/meanwhile modes/after |
		sed 's/.*://' | xargs)" \
	    "$([ $word = echo ] && echo -echo -echo || echo icanon icanon)"
done

finish
