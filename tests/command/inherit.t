#!/bin/sh
#
# What retry was given its attempts get, all of it and nothing else, each
# time. A command tells what it finds, by itself and then under retry.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# same NAME PREFIX... -- COMMAND...: under the prefix, the command says twice
# under retry what it says by itself.
same() {
	same_name=$1 same_prefix=
	shift
	while [ "$1" != -- ]; do
		same_prefix="$same_prefix $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # words are meant
	$same_prefix "$@" >itself
	# shellcheck disable=SC2086 # words are meant
	run $same_prefix "$RETRY" -qa 2 -d 0 --success-on='!0' "$@"
	is "$same_name" "$out" "$(cat itself itself)"
}

# Signals. AddressSanitizer handles some of them unless told not to.

export ASAN_OPTIONS="${ASAN_OPTIONS:-}:handle_segv=0:handle_sigbus=0"
export ASAN_OPTIONS="$ASAN_OPTIONS:handle_sigfpe=0"
signals='grep -E ^Sig(Blk|Ign) /proc/self/status'
# shellcheck disable=SC2086 # words are meant
{
	same 'ordinary signals stay' -- $signals
	same 'a mask is handed on' env --block-signal=USR1,HUP,TERM -- $signals
	musl && skip 'all signals may be blocked' 'musl keeps signal 34'
	musl || same 'all signals may be blocked' env --block-signal -- $signals
	same 'what is ignored stays ignored' \
	    env --ignore-signal=INT,QUIT,HUP,TERM,PIPE -- $signals
	same 'everything may be ignored' env --ignore-signal -- $signals
	same 'an ignored SIGCHLD too' env --ignore-signal=CHLD -- $signals
	same 'both may be' env --ignore-signal=PIPE,CHLD --block-signal=CHLD,INT \
	    -- $signals
}

for how in --ignore-signal=CHLD --block-signal=CHLD --block-signal \
    --ignore-signal=PIPE; do
	run env "$how" "$RETRY" -qa 2 -d 1ms sh -c 'exit 3'
	is "statuses arrive with $how" "$code" 3
	run env "$how" "$RETRY" -qa 2 -d 1ms -t 20ms -k 20ms sleep 100d
	is "statuses arrive with $how, and so do timeouts with $how" "$code" 124
done

env --ignore-signal=HUP,INT "$RETRY" -qa 2 -d 100d --success-on='!0' \
    hear heard 10 &
retry=$!
wait_for grep -q ready heard
kill -HUP $retry
kill -INT $retry
kill -USR1 $retry
wait_for grep -qx 10 heard
wait_for not pgrep -P $retry
kill -HUP $retry
kill -INT $retry
kill -URG $retry
wait_for sh -c 'test "$(grep -cx ready heard)" -eq 2'
kill -USR1 $retry
status 1 'an ignored signal ends no run' wait $retry
is 'an ignored signal ends no run, and is not forwarded' "$(paste -sd ' ' heard)" 'ready 10 ready 10'

# Descriptors.

same 'the descriptors are its own' -- ls /proc/self/fd
cat >hands <<'end'
#!/bin/sh
exec "$@" 5<"$T" 9>>"$T/file"
end
chmod +x hands
same 'those from 3 up pass through' ./hands \
    -- stat -c '%A %N' /proc/self/fd/5 /proc/self/fd/9
run retry -qa 2 --success-on='!0' -d 1ms -t 99 -T 99 --log=json:log \
    --budget=bucket --check='ls /proc/self/fd; exit 1' \
    --before-retry='ls /proc/self/fd' --on-give-up='ls /proc/self/fd' \
    ls /proc/self/fd
ls /proc/self/fd >itself
is 'no option leaves a descriptor to an attempt' "$out" "$(cat itself itself)"
is 'no option leaves a descriptor to a check or a hook' "$err" "$(cat itself itself itself itself)"

cat >fds <<'end'
#!/bin/sh
ls /proc/self/fd >"$T/found.$1" 2>&1
end
chmod +x fds
wrong=
for closed in '' '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' \
    '<&- >&- 2>&-'; do
	eval "./fds itself $closed"
	eval "retry -a 2 -d 1ms -t 99 ./fds under $closed"
	code=$?
	cmp -s found.itself found.under && [ $code -eq 0 ] ||
	    wrong="$wrong|$closed: $code $(paste -sd ' ' found.under)"
	eval "retry -a 2 -d 1ms --check='exit 1' sh -c 'exit 3' $closed" 2>log
	code=$?
	[ $code -eq 3 ] || wrong="$wrong|check $closed: $code"
	eval "retry -a 2 -d 1ms sh -c 'exit 3' $closed" 2>log
	code=$?
	[ $code -eq 3 ] || wrong="$wrong|failing $closed: $code"
done
is 'any of 0, 1 and 2 may be closed' "$wrong" ''

mkfifo pipe
exec 7<>pipe
exec 8>pipe 7<&-
for how in --default-signal=PIPE --ignore-signal=PIPE --block-signal=PIPE; do
	env "$how" "$RETRY" -v -a 2 -d 1ms sh -c 'exit 3' 2>&8
	is "a reader of stderr that went away changes no status with $how" $? 3
done
retry -b mimd:up=2,down=.5 -d 0 -a 1 sh -c 'exit 3' 2>&8
is 'a warning that nobody reads changes no status' $? 3
echo 'retry-state 1 damaged' >kept
retry --state=kept -a 1 sh -c 'exit 3' 2>&8
is 'a warning of a damaged state that nobody reads changes no status' $? 3
exec 8>&-
sh -c 'exec retry -v -a 2 -d 1ms sh -c "exit 3" 2>/dev/full'
is 'a full standard error changes no status' $? 3

# All else.

cat >state <<'end'
#!/bin/sh
umask
pwd -P
nice
cat /proc/self/limits /proc/self/timerslack_ns /proc/self/oom_score_adj \
    /proc/self/personality /proc/self/cgroup
grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp)' /proc/self/status
env | grep -vE '^(RETRY_|_=)'
end
chmod +x state
# AddressSanitizer needs more memory than it may have here.
memory='ulimit -v 1000000'
sanitized && memory=
cat >odd <<end
#!/bin/sh
umask 027
cd sub
ulimit -n 100
ulimit -f 1000
ulimit -s 4096
$memory
exec env -u _ -u OLDPWD A='a b' nice -n 5 "\$@"
end
chmod +x odd
mkdir sub
same 'umask, directory, niceness, limits and environment stay' \
    ./odd -- ../state
like 'the limits in this test are unusual ones' "$out" '^Max open files +100 +100 '
run env -i PATH="$PATH" EMPTY= WORD='a b' "$RETRY" env
is 'the environment is that of retry but for what it adds' \
    "$(printf '%s\n' "$out" | grep -v '^RETRY_')" \
    "$(env -i PATH="$PATH" EMPTY= WORD='a b' env)"
run env RETRY_ATTEMPT=99 RETRY_LAST=x RETRY_MINE=y RETRY_ATTEMPTED=z "$RETRY" env
is 'what another run exported is no news' \
    "$(printf '%s\n' "$out" |
	grep -cE '^RETRY_(ATTEMPT=1|MINE=y|ATTEMPTED=z)$'
	printf '%s\n' "$out" | grep '^RETRY_LAST')" 3
run retry -q -a 2 -d 0 sh -c 'exec retry -q -a 3 -d 0 sh -c "
	echo \$RETRY_ATTEMPT/\$RETRY_ATTEMPTS; exit 1"'
is 'runs nest' "$(printf '%s' "$out" | paste -sd ' ')" \
    '1/3 2/3 3/3 1/3 2/3 3/3'

cat >listen <<'end'
#!/bin/sh
[ "$LISTEN_PID $WATCHDOG_PID" = "$$ $$" ] && echo -n 'own '
echo "$LISTEN_FDS $LISTEN_FDNAMES $WATCHDOG_USEC ${LISTEN_PIDFDID-none}"
end
chmod +x listen
export LISTEN_FDS=1 LISTEN_FDNAMES=web WATCHDOG_USEC=9 LISTEN_PIDFDID=7
run sh -c 'LISTEN_PID=$$ WATCHDOG_PID=$$ exec \
	retry -qa 2 -d 0 --success-on="!0" ./listen'
is "what names retry's pid names the attempt's, each time" "$out" \
    'own 1 web 9 none
own 1 web 9 none'
run sh -c 'LISTEN_PID=$$ WATCHDOG_PID=$$ exec \
	retry -qa 2 -d 0 --check=". ./listen; exit 1" --before-retry=". ./listen" \
	--on-give-up=". ./listen" true 2>&1'
is "what names retry's pid names the attempt's, each time, and of a check, a gate and a hook the own pid" "$out" \
    "$(yes 'own 1 web 9 none' | head -n 4)"
for pid in 1 99999999999999999999 -5 x ''; do
	run env LISTEN_PID="$pid" WATCHDOG_PID="$pid" "$RETRY" \
	    sh -c 'echo "<$LISTEN_PID> <$WATCHDOG_PID> $LISTEN_PIDFDID"'
	is "another's pid is left alone: '$pid'" "$out" "<$pid> <$pid> 7"
done
unset LISTEN_FDS LISTEN_FDNAMES WATCHDOG_USEC LISTEN_PIDFDID

wrong=
for flags in 0 1 2 4 8 16 32 255 4294967295 x; do
	run env LIBEV_FLAGS=$flags "$RETRY" -qa 2 -d 1ms \
	    sh -c 'test "$LIBEV_FLAGS" = '$flags' && exit 3'
	[ "$code" -eq 3 ] || wrong="$wrong $flags"
done
is '$LIBEV_FLAGS is for the command' "$wrong" ''

run sh -c 'true & sleep .02 & exec retry -qa 2 -d 50ms sh -c "exit 3"'
is 'children that retry was born with are not its attempts' "$code" 3

finish
