#!/bin/sh
#
# retry in containers that crun runs: from scratch, read-only, without /proc,
# and those of the cookbook.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"
# shellcheck source=tests/lib/crun.sh
. "$TESTS/lib/crun.sh"

crun_start 'retry runs in containers' busybox
recipes

# The image has the program, with its libraries if it needs any, and a shell
# that is where no program looks for one.
mkdir -p image/.busybox image/bin
cp "$RETRY" image/retry
ln image/retry image/bin/retry
ldd "$RETRY" 2>/dev/null | grep -o '/[^ ]*' >libraries
while read -r name; do
	mkdir -p "image/${name%/*}"
	cp -L "$name" "image/$name"
done <libraries
cp "$(command -v busybox)" image/.busybox/busybox
busybox --list | grep -vx busybox | while read -r name; do
	ln -s busybox "image/.busybox/$name"
done

# image COMMAND [LINE...]: puts a script in it.
image() {
	name=$1
	shift
	printf '%s\n' '#!/.busybox/sh' 'PATH=/.busybox' "$@" >"image/$name"
	chmod +x "image/$name"
}

inside /.busybox/true
[ "$code" -eq 0 ] || crun_lacks "crun cannot run a container: ${err%%
*}"

inside /retry -a 2 -d 1ms /.busybox/sh -c 'echo out; exit 3'
is 'an exit status is passed on' "$code $(echo "$out" | xargs)" '3 out out'
like 'an exit status is passed on, and so are messages' "$err" '^retry: sh: giving up after 2 attempts'
inside /retry -a 2 -d 1ms /.busybox/sh -c 'kill -KILL $$'
is 'a death is 128 and the signal' "$code" 137
inside /retry /nosuch
is 'a command that is not there is 127' "$code $err" \
    '127 retry: cannot execute /nosuch: No such file or directory'
inside /retry -a 2 --check=true /.busybox/false
is 'what needs a shell fails without one' "$code $(echo "$err" | head -n 1)" \
    '125 retry: false: cannot run --check: /bin/sh: No such file or directory'
inside /retry -a 1 /.busybox/sh -c 'touch /file'
like 'nothing can be written there' "$err" 'Read-only file system'

seq 30000 >input
container . /retry --stdin=replay --output=last -a 3 -d 0 /.busybox/sh -c '
	cat; exit $((RETRY_ATTEMPT < 3))'
in_crun run test <input >output 2>err
is 'though input and output are held' $? 0
check 'though input and output are held, and passed on as they are' cmp input output

# No process is left of an attempt, nor of what it left to process 1.
left='
	for i in $(seq 20); do (sh -c "exit 5" &); done
	until set -- /proc/[0-9]*; [ $# -eq 2 ]; do sleep .05; done
	for file in /proc/[0-9]*/status; do grep -s "^State:.Z" $file; done
	exit 3'
for change in . '.process.user = {uid: 1234, gid: 1234} |
    del(.process.capabilities)'; do
	case $change in .) who=root ;; *) who='an ordinary user' ;; esac
	container "$change" /retry -a 2 -d 1ms /.busybox/sh -c "
		PATH=/.busybox; $left"
	run in_crun run test
	is "orphans are reaped, as $who" "$code$out" 3
	container "$change" /retry -a 2 -d 1ms -t 3 -k 100ms \
	    /.busybox/sh -c 'set -- /proc/[0-9]*
		echo $#
		PATH=/.busybox
		trap "" TERM; setsid sleep 9d & sleep 9d'
	run in_crun run test
	is "an attempt that times out leaves nothing, as $who" \
	    "$code $(echo "$out" | xargs)" '124 2 2'
done
if sanitized; then
	skip 'without /proc a time limit says so' 'a sanitizer needs /proc'
else
	container '.mounts = [] | del(.linux.maskedPaths, .linux.readonlyPaths)' \
	    /retry -a 2 -d 1ms -t 200ms -k 100ms /.busybox/sh -c '
		trap "" TERM; /.busybox/setsid /.busybox/sleep 9d &
		/.busybox/sleep 9d'
	run in_crun run test
	is 'without /proc a time limit ends an attempt' "$code" 124
	like 'without /proc a time limit ends an attempt, and tells what it cannot see' "$err" 'cannot see .* /proc'
fi

mkdir image/run
image collector '[ -e /run/failed ] || { touch /run/failed; exit 7; }
	trap "touch /run/reloaded" HUP
	trap "exit 5" TERM
	touch /run/started
	while :; do sleep .05; done'
ln image/collector image/bin/collector
image bin/nc '[ "$*" = "-z db 5432" ] || exit 9
	[ -e /run/failed ] || { touch /run/failed; exit 1; }'
image convert 'tr 0-9 a-j
	[ -e /run/failed ] || { touch /run/failed; exit 1; }'

# recipe NAME CHANGE: the container of this recipe.
recipe() {
	words=$(sed -z 's/\\\n *//g' "recipes/$1" | sed -nE 's/^ *(ENTRYPOINT|CMD|entrypoint:|command:) (\[.*)/\2/p' |
	    jq -cs add)
	container "$crun_may_write | .process.args = $words | ${2:-.}"
}

recipe 'An image from scratch'
starts failed
wait_for grep 'next in' err
signalled TERM
wait $!
is 'SIGTERM ends a wait' $? 143
like 'SIGTERM ends a wait, and that is told' "$(cat err)" 'ended by SIGTERM after 1 attempt'
starts failed
wait_for grep 'next in' err
signalled URG
wait_for test -e run/started
signalled HUP
wait_for test -e run/reloaded
signalled TERM
wait $!
is 'SIGTERM ends an attempt, whose status is passed on' $? 5
recipe 'The entry point of an image'
starts failed
wait_for grep 'next in' err
signalled URG
wait_for test -e run/started
signalled TERM
wait $!
is 'an entry point passes signals and statuses on' $? 5
starts failed
wait_for grep 'next in' err
signalled URG
wait_for test -e run/started
signalled KILL
wait $!
is 'SIGKILL ends everything' "$? $(pgrep -f "$T" | xargs)" '137 '
image bin/server 'rm -f /run/sick; trap "exit 5" TERM; echo $$ >>/run/servers
	while :; do sleep .05; done'
image bin/curl '[ "$*" = "-fsS localhost/health" ] || exit 9
	[ ! -e /run/sick ] || exit 22'
ln -s /.busybox/busybox image/bin/sh
for name in 'A server that stops answering' 'A server under compose'; do
	recipe "$name" '.process.env = ["PATH=/bin:/.busybox"] |
	    .process.args |= [.[0], "--health-interval=500ms"] +
	    (.[1:] - ["--health-interval=1s"])'
	rm -f run/*
	starts servers
	wait_for grep 'is healthy' err
	touch run/sick
	wait_for grep 'was unhealthy' err
	wait_for sh -c 'test "$(wc -l <run/servers)" -eq 2'
	like "$name: it is started again" "$(cat err)" \
	    'was unhealthy after .*: health check exited 22 three times'
	signalled TERM
	wait $!
	is "$name: and stops as ever" $? 5
done
recipe 'An init container' '.process.env = ["PATH=/bin:/.busybox"]'
rm -f run/*
run in_crun run test
is 'an init container waits' "$code $(echo "$err" | grep -c 'next in')" '0 1'
image bin/server 'echo $$ >/run/server'
recipe 'Wait, then start' '.process.env = ["PATH=/bin:/.busybox"]'
rm -f run/*
run in_crun run test
is 'a server that starts after a wait is process 1' \
    "$code $(cat run/server)" '0 1'

words='["retry", "--stdin=replay", "--output=hold", "./convert"]'
container "$crun_may_write | .process.args = $words"
rm -f run/*
in_crun run test <input >output 2>err
is 'a read-only container gets over a failure' $? 0
check 'a read-only container gets over a failure, and converts its input' sh -c 'tr 0-9 a-j <input | cmp - output'
finish
