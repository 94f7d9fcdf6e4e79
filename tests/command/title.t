#!/bin/sh
#
# What ps(1) shows, and that attempts do not suffer from it.

. lib/harness.sh

# shown PID: its command line.
shown() {
	tr '\0' ' ' <"/proc/$1/cmdline" | sed 's/ *$//'
}

# shows PID ERE
# shellcheck disable=SC2317 # wait_for calls it
shows() {
	shown "$1" | grep -Eq "$2"
}

mkfifo gate
retry -q -a 3 -d 20 --log=json:log sh -c 'read line <gate; exit 7' secret &
wait_for shows $! secret
is 'the first attempt needs no title' "$(shown $!)" \
    'retry -q -a 3 -d 20 --log=json:log sh -c read line <gate; exit 7 secret'
echo >gate
wait_for shows $! next
like 'a wait is shown' "$(shown $!)" \
    '^retry: sh: attempt 1/3 exited 7 after [0-9.]+[mu]?s; next in [0-9.]+s$'
unlike 'and no argument' "$(shown $!)" secret
is 'the name of the process stays' "$(cat /proc/$!/comm)" retry
kill -URG $!
wait_for shows $! 2/3
is 'then the next attempt is' "$(shown $!)" 'retry: sh: attempt 2/3 runs'
kill -TERM $!
wait $!

# All that children are given stands where the title is written.
long=$(printf %02000d 7)
lines=$(printf 'a\nb')
export long lines BLANKS='a  b' EMPTY=''
env >wanted
retry -q -a 3 -d 1ms --log=json:file-with-a-long-name \
    --before-retry='env >>gate.log; test -n "$long"' \
    --on-give-up='env >>hook.log; echo gone >&2; exit 3' \
    sh -c 'env >env.$RETRY_ATTEMPT; echo "$@" >words.$RETRY_ATTEMPT; exit 1' \
    sh a 'b  c' '' "$long" 2>err
# same FILE: the environment in it is the one that retry was given.
same() {
	sed '/^RETRY_[A-Z_]*=/d; /^_=/d; /^\(PWD\|OLDPWD\|SHLVL\)=/d' "$1" |
	    sort >found
	sed '/^RETRY_[A-Z_]*=/d; /^_=/d; /^\(PWD\|OLDPWD\|SHLVL\)=/d' wanted |
	    sort | cmp -s - found
}
for n in 1 2 3; do
	check "attempt $n finds its whole environment" same env.$n
	is 'and its words' "$(cat words.$n)" "a b  c  $long"
done
check 'a gate does' test "$(grep -c "^long=$long" gate.log)" -eq 2
check 'a hook does' same hook.log
is "retry's own name is in its errors" "$(tail -n 1 err)" \
    'retry: --on-give-up exited 3'

env -i "$RETRY" -q -a 2 -d 1ms /bin/false
is 'it works without an environment' $? 1
status 0 'and with services of systemd' sh -c '
	LISTEN_PID=$$ WATCHDOG_PID=$$ exec retry -q -a 3 -d 1ms sh -c "
		test \$LISTEN_PID = \$\$ && test \$WATCHDOG_PID = \$\$ &&
		exit \$((RETRY_ATTEMPT < 3))"'

finish
