#!/bin/sh
#
# --leftovers: what becomes of the processes that an attempt leaves when it
# ends by itself.
#
# shellcheck disable=SC2016 # it is for another shell to expand
# shellcheck disable=SC2317 # check calls the functions

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/jobs.sh
. "$TESTS/lib/jobs.sh"

# leaves FILE [N]: waits until N processes have written their numbers there.
program leaves <<'END2'
until [ "$(cat "$1" 2>/dev/null | wc -l)" -ge "${2-1}" ]; do sleep .05; done
END2
# stubborn FILE: writes its number there and stays, whatever SIGTERM says.
program stubborn <<'END2'
trap 'echo heard >>"$1.heard"' TERM
echo $$ >>"$1"
exec >/dev/null 2>&1
while :; do sleep 9 & wait; done
END2
none_alive() {
	while read -r pid; do
		! alive "$pid" || return 1
	done <"$1"
}
end_all() {
	xargs kill -KILL <"$1"
}

# --- spare: habits of build servers, of ssh and of docker compose up -d ---

program serve <<'END2'
echo $$ >>"$1"
exec sleep 100d
END2
run retry -a 2 -d 0 sh -c "[ -s server ] || { setsid ./serve server &
	./leaves server; }; exit 3"
check 'a server that an attempt leaves serves the next one' \
    alive "$(cat server)"
is 'a server that an attempt leaves was started once' "$(wc -l <server)" 1
like 'the failed attempt names it' "$err" \
    '^retry: sh: attempt 1/2 exited 3 after [^;]*; left 1 process: (serve|sleep); next'
unlike 'the next one does not, since it was there before' "$err" \
    'attempt 2/2 .*left'
end_all server
run retry -a 1 --log=json:log sh -c 'setsid ./serve two & setsid ./serve one &
	./leaves two; ./leaves one'
is 'an attempt that succeeds says nothing' "$code$err" 0
is 'an attempt that succeeds says nothing, but JSON counts what it left' "$(jq .left log | grep -v null)" 2
check 'a success leaves it alone' alive "$(cat two)"
end_all two && end_all one
run retry -a 1 perl -e 'for (1, 2) {
	my $pid = fork;
	sleep 60, exit unless $pid;
	print "$pid\n";
} exit 3'
like 'what has one name is named once' "$err" 'left 2 processes: perl$'
printf '%s\n' "$out" >twins
end_all twins
run retry -a 2 -d 0 sh -c 'exit 3'
unlike 'an attempt that left nothing says nothing' "$err" left
run retry -q -t 9 -k .1 -a 1 sh -c 'setsid ./stubborn limited & ./leaves limited'
check 'a limit of time does not end what is left in time' \
    alive "$(cat limited)"
end_all limited

# --- end ---

# ends NAME STATUS OPTION... -- COMMAND: its attempts leave processes, which
# write their numbers to the file of that name, and none of which is left.
ends() {
	name=$1 want=$2
	shift 2
	run retry -d 0 -k .1 --leftovers=end "$@"
	is "the status is the attempt's: $name" "$code" "$want"
	check "the status is the attempt's: $name, and none is left: $name" none_alive "$name"
}
ends failure 3 -a 2 sh -c './stubborn failure &
	./leaves failure "$RETRY_ATTEMPT"; exit 3'
is 'each attempt had left one' "$(wc -l <failure)" 2
unlike 'no message tells of leftovers that --leftovers=end ended after a failure' "$err" left
ends success 0 sh -c './stubborn success & ./leaves success'
check 'SIGTERM comes first' test -s success.heard
ends apart 3 -a 1 sh -c '(setsid ./stubborn apart &); ./leaves apart; exit 3'
ends polite 0 -k 100d sh -c 'setsid sleep 60 & echo $! >polite'
ends -k0 0 -k 0 sh -c 'sleep 60 & echo $! >-k0'
ends silent 3 -a 1 --output=hold --retry-match=x sh -c '
	setsid ./stubborn silent & ./leaves silent; exit 3'
ends crashed 137 -a 1 sh -c './stubborn crashed & ./leaves crashed; kill -KILL $$'
run retry -a 2 -d 0 -k 0 --leftovers=end sh -c '
	./stubborn deaf$RETRY_ATTEMPT & ./leaves deaf$RETRY_ATTEMPT; exit 3'
is 'SIGTERM comes first, with -k 0 the next attempt starts all the same' "$code" 3
is 'SIGTERM comes first, and what cannot be ended is named, once for each attempt' "$(echo "$err" |
	grep -c '^retry: sh: process [0-9]* (stubborn) does not end and is left')" 2
unlike 'SIGTERM comes first, and not counted besides' "$err" '; left [0-9]'
end_all deaf1 && end_all deaf2
run retry -v -a 1 -k .1 --leftovers=end sh -c './stubborn told & ./leaves told'
like 'SIGTERM comes first, with -v the signals are told' "$err" 'sending SIGTERM to what the attempt left'
like 'SIGTERM comes first, and SIGKILL' "$err" 'sending SIGKILL to what the attempt left'
run retry -a 1 -k .1 --leftovers=end sh -c './stubborn back & ./leaves back'
like 'a success says what it left and is ended' "$err" \
    'the attempt exited 0; --leftovers=end ends what it left: (stubborn|sh), sleep$'
run retry -q -a 1 -k .1 --leftovers=end sh -c './stubborn mute & ./leaves mute'
is 'a success that is quiet says nothing of what it left' "$err" ''
run retry -v -a 1 --leftovers=end true
unlike 'SIGTERM comes first, but none if nothing is left' "$err" sending
run retry -a 1 -k 60 -s USR1 --leftovers=end sh -c 'setsid sh -c "
	trap \"echo usr1 >signal; exit\" USR1; echo >ready; while :; do sleep .05; done" &
	./leaves ready'
is 'the signal is that of --signal' "$(cat signal)" usr1
run retry -q -a 1 -k .1 --leftovers=end --on-success='setsid ./stubborn hook &
	./leaves hook' true
check 'what a hook leaves is spared' alive "$(cat hook)"
end_all hook

# A filter of the output has a second for its last lines, and is not told as left.
filters() {
	rm -f filtered
	run retry -a 1 --leftovers="$1" bash -c '
		exec > >(sed "s/^/x /" >>filtered; echo end >>filtered); seq 4
		exit 3'
	[ "$1" = end ] || wait_for grep -q end filtered
	[ "$code $(xargs <filtered)" = '3 x 1 x 2 x 3 x 4 end' ] &&
	    not grep -q left <<-END
		$err
	END
}
if have 'a filter of the output may end by itself' bash; then
	for mode in end spare; do
		check "a filter of the output may end by itself: $mode" \
		    retried filters $mode
	done
fi

# A server whose input is a pipe of the attempt's, and a reader of our copy of the
# input, are asked to end as others are.
program server <<'END2'
trap 'echo heard >"$1.heard"; exit' TERM
echo $$ >"$1"
while :; do sleep .05; done
END2
run retry -q -a 1 --leftovers=end perl -e 'open P, "|exec ./server piped";
	select undef, undef, undef, .05 until -s "piped"; require POSIX; POSIX::_exit(3)'
check 'a server whose input is a pipe gets the signal first' test -e piped.heard
echo text | retry -q -a 2 -d 0 --leftovers=end sh -c '
	./server reader$RETRY_ATTEMPT <&0 & ./leaves reader$RETRY_ATTEMPT; exit 3'
check 'a reader of the input gets the signal first' test -e reader1.heard
check 'a reader of the input gets the signal first, of its copy too' test -e reader2.heard

# What dies of the signal that ends the run is not left.
program slow_end <<'END2'
trap 'sleep 1; exit' TERM
echo $$ >slow
while :; do sleep .05; done
END2
run sh -c 'setsid -w "$RETRY" sh -c "./slow_end & ./leaves slow; echo \$PPID >retry
	while :; do sleep .05; done" & until [ -s retry ]; do sleep .05; done
	kill "$(cat retry)"; wait $!'
is 'what dies of the signal that ends the run is not left' \
    "$code $(echo "$err" | grep -c left)" '143 0'
# However slowly processes are found.
if have 'a leftover may clean up' strace; then
	run env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" \
	    strace -o trace -e trace=getdents64 \
	    -e inject=getdents64:delay_enter=200000 \
	    "$RETRY" -a 1 --leftovers=end sh -c 'setsid sh -c "
	trap \"sleep 1 && echo clean >cleaned; exit\" TERM
	echo >cleans; while :; do sleep .05; done" &
	./leaves cleans'
	is 'a leftover may clean up' "$code $(cat cleaned)" '0 clean'
fi

# A signal comes while a leftover has its time.
retry -q -d 0 -k 100d --leftovers=end --stop-timeout=.1 sh -c 'echo $PPID >retry
	./stubborn meanwhile & ./leaves meanwhile; exit 3' &
wait_for test -s meanwhile.heard
kill -TERM "$(cat retry)"
wait $!
is "a signal meanwhile ends the run in the attempt's status" $? 3
check "a signal meanwhile ends the run in the attempt's status, and --stop-timeout kills what is left" none_alive meanwhile

# A master and its workers, as a web server has them: one worker holds the port.
program master <<'END2'
mkdir port || exit 98
setsid sh -c 'trap "rmdir port; exit" TERM; echo $$ >>workers
	while :; do sleep .05; done' &
./leaves workers
: >"serves$RETRY_ATTEMPT"
wait
END2
run retry -a 2 -d 0 -k 9 --health='[ -d port ] || exit 1
	[ "$RETRY_ATTEMPT" = 2 ] || { [ ! -e serves1 ] || kill -KILL "$RETRY_PID"; exit 0; }
	[ ! -e serves2 ] || kill -KILL "$RETRY_PID"' --health-interval=20ms --health-retries=1000 ./master
is "with --health no worker of an earlier attempt holds the port" "$code" 137
check 'each attempt served' test -e serves2
check 'each attempt served, and no worker is left in the end' none_alive workers
run retry -a 1 --leftovers=spare --health-interval=10ms --health=true \
    sh -c './stubborn spared & ./leaves spared'
check '--leftovers=spare outdoes --health' alive "$(cat spared)"
end_all spared

# On a terminal, where attempts have no group of their own.
on_terminal tty -- retry -a 1 -k .1 --leftovers=end sh -c 'PATH=..:$PATH
	cd ..; ./stubborn near & setsid ./stubborn far & ./leaves near; ./leaves far
	exit 3'
wait
is 'on a terminal too the status is the attempt'"'s" \
    "$(grep -a ^status tty/seen)" 'status 3'
check 'on a terminal too the status is the attempt, and nothing is left there' none_alive near
check 'on a terminal too the status is the attempt, nor elsewhere' none_alive far

# As process 1, and without /proc.
own='--user --map-root-user'
[ "$(id -u)" -eq 0 ] && own=
# shellcheck disable=SC2086 # words are meant
if ! unshare $own --pid --fork --mount-proc true 2>/dev/null; then
	skip 'process 1 ends what is left' 'no name space can be made'
else
	run unshare $own --pid --fork --mount-proc "$RETRY" -a 2 -d 0 -k .1 \
	    --leftovers=end sh -c '(setsid ./stubborn first &)
		./leaves first; ps -C stubborn -o pid= | wc -l; rm first; exit 3'
	is 'process 1 ends what is left' "$code $(echo "$out" | xargs)" '3 1 1'
	if sanitized; then
		skip 'without /proc a group is ended' 'AddressSanitizer reads it'
	else
		run setsid -w unshare $own --mount --pid --fork sh -c '
			mount -t tmpfs none /proc && exec "$@"' sh "$RETRY" \
		    -a 2 -d 0 -k .1 --leftovers=end sh -c '
			./stubborn group$RETRY_ATTEMPT &
			./leaves group$RETRY_ATTEMPT
			[ $RETRY_ATTEMPT = 1 ] || ! kill -0 "$(cat group1)" ||
			    echo overlap
			exit 3'
		is 'without /proc a group is ended' "$code$out" 3
		is 'without /proc a group is ended, and what else may be left is told once' "$(echo "$err" |
			grep -c 'cannot see what an attempt leaves: /proc:')" 1
	fi
fi

finish
