#!/bin/sh
#
# --trials and --health on a terminal: its keys, its size, the status line of
# trials, and its modes, which a probe leaves alone.
#
# shellcheck disable=SC2016,SC2034 # it is for another shell, or eval, to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/jobs.sh
. "$TESTS/lib/jobs.sh"
export TERM=xterm

# The first trial fails, the second one waits for ^C.
program flaky <<'END'
echo "out $RETRY_ATTEMPT"
[ "$RETRY_ATTEMPT" -gt 1 ] || [ -z "${FIRST-}" ] || exit 3
echo $PPID >retry
exec perl -e '
	$SIG{WINCH} = sub { open my $file, ">", "resized" };
	open my $pid, ">", "pid";
	print $pid "$$\n";
	close $pid;
	select undef, undef, undef, .01 while 1'
END
# A probe of the second one, which takes its time.
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

# Every kind of run with every way that its output may take. Two stop and go on,
# see another size, and end by ^C.
outputs='stream hold all last chronic failed'
kinds='trials health both'
trials='--trials=9'
health='-a 1 --health=hangs --health-interval=10ms'
both='--trials=9 --health=hangs --health-interval=10ms'
for kind in $kinds; do
	options=
	eval "options=\$$kind"
	probe=
	[ "$kind" = trials ] || probe=probe
	begun="run=await test -s pid && await test -e ${probe:-retry}"
	for output in $outputs; do
		case $kind-$output in
		health-* | *-stream | *-hold) line=. gone=. narrow=. ;;
		*)	line='^retry: flaky: trial 2/9: 1 failed$'
			narrow='^trial 2/9: 1 failed$' ;;
		esac
		first=
		[ "$kind" = health ] || first='FIRST=1 '
		on_shell "$kind-$output" \
		    "${first}retry --output=$output $options flaky" \
		    . "$begun" "$line" show \
		    . 'type=\x1a' Stopped "run=all_stopped $probe" . show \
		    . 'type=fg\n' 'fg\n' "run=all_go_on $probe" "$line\\Z" show \
		    . wide=24 . 'run=await test -e resized' "$narrow" show \
		    . wide=80 . 'type=\x03' "$prompt" "$ends"
	done
	wait
done

# The line of trials that succeed, beside a probe that writes.
on_terminal writes 'trial 1/2: 0' 'run=: >go' 'trial 2/2: 0' 'run=: >end' -- \
    retry -v --trials=2 --health='await test -e go; echo one; printf two' \
    --health-interval=10ms --log=auto --log=json:log \
    sh -c 'await told healthy; [ $RETRY_ATTEMPT = 1 ] ||
	await test -e end'
on_terminal silent -- retry -v -a 1 --output=chronic --health='echo one' \
    --health-interval=10ms --log=auto --log=json:log \
    sh -c 'await told healthy'
on_terminal name 'trial 1/1: 0 failed' show . 'type=\x03' -- \
    sh -c 'stty columns 40; exec retry --trials=1 \
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

for kind in $kinds; do
	for output in $outputs; do
		name=$kind-$output
		is "$name: ^Z, fg, a size and ^C do what they should" \
		    "$(grep -a '^status' "$name/seen" | head -n 1)" 'status 130'
		case $name in
		health-*) continue ;;
		*-stream | *-hold) count=0 ;;
		*) count=1 ;;
		esac
		is "$name: the line is there, gone while all is stopped, and \
there again" "$(for n in 1 3 4; do
			screen "$name" $n | tail -n 1
		done | grep -c 'trial 2/9: 1 failed$')" $((3 * count))
		unlike "$name: and not before a shell" \
		    "$(screen "$name" 2; tail -n 9 "$name/seen")" '1 failed$'
		like "$name: ^C ends the series with its figures so far" \
		    "$(tr -d '\n' <"$name/seen")" \
		    '1 of 1 trial failed: 100% .*; exited 3: 1.*retry: flaky: 8 of 9 were not made: ended by SIGINT'
	done
done
for name in health both; do
	for output in $outputs; do
		check "$name-$output: no probe is left" \
		    await is_gone "$name-$output/probe"
	done
done

is 'a probe writes above the status line' \
    "$(grep -A1 'check: one$' writes/seen | head -n 2)" \
    'retry: sh: health check: one
retry: sh: health check: two'
check 'and ends its line' not grep -q 'two.' writes/seen
is 'with --output=chronic it writes nothing of a success' \
    "$(xargs <silent/seen)" 'status 0'
is 'the count outlasts a long name' "$(screen name 1)" 'retry: trial 1/1: 0 failed'
check 'a stop stops the clock of a probe' test -e clock/still
is 'and a process group of its own' \
    "$(grep -a '^status' group/seen | head -n 1)" 'status 130'
check 'which ^C ends' await is_gone group/probe

for word in echo icanon; do
	is "a killed probe leaves the terminal's $word alone" \
	    "$(grep -ow -e "-\?$word" modes/meanwhile modes/after |
		sed 's/.*://' | xargs)" \
	    "$([ $word = echo ] && echo -echo -echo || echo icanon icanon)"
done

finish
