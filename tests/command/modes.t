#!/bin/sh
#
# A terminal whose modes an attempt has changed, or whose foreground it has
# taken, when it is killed.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
have 'modes of a terminal' python3 || finish
export TERM=dumb

# modes OPTION... COMMAND...: what echo and icanon are after that run, in $modes.
# On a slow machine the limit may come before stty(1): then once more.
modes() {
	rm -f changed
	for _ in 1 2 3 4 5 6 7 8; do
		run python3 "$TESTS/lib/terminal.py" 80 -- sh -c '
		retry "$@"; code=$?
		stty -a | grep -o "[-]*echo\\>\|[-]*icanon\\>\|[-]*opost\\>" | xargs echo
		stty sane; echo "code $code"' sh "$@"
		[ ! -e changed ] || break
	done
	[ -e changed ] || out='no modes were changed'
	modes=$(printf '%s\n' "$out" | grep '^ *-*opost\|icanon')
}
raw='stty -echo -icanon; : >changed; '
modes -a 2 -d 0 -t 0.3 -k 0.1 sh -c "$raw exec sleep 60"
is 'an attempt that timed out leaves the modes as they were' "$modes" \
    'opost icanon echo'
for way in stream hold last chronic; do
	modes -a 1 --output=$way -t 0.3 -k 0.1 sh -c "stty raw -echo; : >changed; exec sleep 60"
	is "an attempt that timed out leaves the modes as they were, so with --output=$way" "$modes" 'opost icanon echo'
done
modes -a 1 --health=false --health-retries=1 --health-interval=0.3 \
    sh -c "$raw exec sleep 60"
is 'an attempt that timed out leaves the modes as they were, so does an unhealthy one' "$modes" 'opost icanon echo'
modes -a 1 sh -c "$raw kill -KILL \$\$"
is 'an attempt that timed out leaves the modes as they were, and one that died of a signal' "$modes" 'opost icanon echo'
modes -a 1 -t 0.3 -k 0.1 --check="stty -echo </dev/tty; : >changed; exec sleep 60" true
is 'an attempt that timed out leaves the modes as they were, and a check that timed out' "$modes" 'opost icanon echo'
modes -a 1 sh -c "$raw exit 3"
is 'an attempt that ends by itself leaves the modes as it likes' "$modes" \
    'opost -icanon -echo'
modes -a 1 --leftovers=end sh -c "$raw sleep 60 & exit 3"
is 'an attempt keeps its modes if --leftovers=end ends what it leaves' "$modes" 'opost -icanon -echo'

# The modes are no business of a run in the background.
cat >job <<'END'
set -m
retry -a 1 -t 3 -k 0.1 sh -c 'touch begun; exec sleep 60' &
while [ ! -e begun ]; do sleep .05; done
stty -echo
wait $!
stty -a | grep -o '[-]*echo\>' | sed 's/^/mode /'
stty sane
END
run python3 "$TESTS/lib/terminal.py" 80 -- bash job
like 'retry in the background changes no modes' "$out" '^mode -echo$'

# An attempt that has taken the foreground.
cat >taken <<'END'
import os, signal, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.setpgid(0, 0)
tty = os.open('/dev/tty', os.O_RDWR)
os.tcsetpgrp(tty, os.getpgrp())
open('took', 'w').close()
time.sleep(60)
END
cat >asks <<'END'
[ "$RETRY_ATTEMPT" = 2 ] || exec python3 taken
printf 'name? '
read -r name </dev/tty
echo "heard $name"
END
run timeout -s KILL 60 python3 "$TESTS/lib/terminal.py" 80 \
    'name\?' 'type=me\n' -- retry -a 2 -d 0 -t 20 --idle-timeout=5 sh asks
like 'the foreground that it had taken is given back' "$out" '^heard me'
check 'the foreground that it had taken is given back, which it had' test -e took
cat >leaves <<'END'
import os, sys
os.waitpid(os.spawnl(os.P_NOWAIT, sys.executable, 'python3', 'takes'), 0)
sys.exit(3)
END
sed '$d' taken >takes
sed -i s/taken/leaves/ asks
run timeout -s KILL 60 python3 "$TESTS/lib/terminal.py" 80 \
    'name\?' 'type=me\n' -- retry -a 2 -d 0 sh asks
like 'a group that has ended keeps no attempt from the foreground' \
    "$out" '^heard me'

finish
