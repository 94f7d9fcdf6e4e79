#!/bin/sh
#
# Memory that runs out: the kernel kills a process of the attempt, and counts it
# in the cgroup.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# within VERSION PATH THERE COMMAND...: with cgroups of this version. That of the
# command is said to have the first path; $count is in the second.
cat >within <<'END'
version=$1 path=$2 there=${3%/}
shift 3
mount -t tmpfs none /sys/fs/cgroup || exit
case $version in
1) echo "7:cpu,cpuacct:/x" >cgroup; echo "4:memory:$path" >>cgroup
   count=/sys/fs/cgroup/memory$there/memory.oom_control ;;
2) echo "0::$path" >cgroup
   count=/sys/fs/cgroup$there/memory.events ;;
esac
mkdir -p "${count%/*}"
printf 'oom 9\noom_kill 3\noom_group_kill 0\n' >"$count"
mount --bind cgroup "/proc/$$/cgroup" || exit
export count
exec "$@"
END
[ "$(id -u)" -eq 0 ] || user=-Ur
within() {
	run unshare ${user:+"$user"} -m sh within "$@"
}
within 2 / / true
if [ "$code" -ne 0 ]; then
	skip 'memory that runs out' 'no cgroups can be imitated here'
	finish
fi

# One more is killed, as soon as retry waits.
cat >oom_kill <<'END'
until grep -q '^State:.*sleeping' /proc/$PPID/status; do :; done
echo "${RETRY_LAST-}:${RETRY_LAST_OOM-}"
printf 'oom 9\noom_kill %d\noom_group_kill 0\n' $((RETRY_ATTEMPT + 3)) >"$count"
END
killed='. ./oom_kill; kill -KILL $$'
told=': attempt 1/2 killed by SIGKILL \(out of memory\) after .*; next at once$'
for where in '1 /a/b /a/b' '1 /outside ' '2 /a/b /a/b' '2 / ' '2 /outside '; do
	# shellcheck disable=SC2086 # words are meant
	set -- $where
	within "$1" "$2" "${3-}" retry -a 2 -d 0 sh -c "$killed"
	like "an attempt without memory is told with cgroups of version $where" "$err" "$told"
	is "an attempt without memory keeps its status with cgroups of version $where" "$code" 137
done
within 2 /a /a sh -c 'echo "oom 9" >/sys/fs/cgroup/memory.events
	exec retry -a 2 -d 0 sh -c "ls -l /proc/\$PPID/fd >open; $0"' "$killed"
like 'a file without the count is passed over' "$err" "$told"
is 'a file without the count is passed over, and closed' "$(grep -c 'memory\.events' open)" 1
is 'the next attempt is told' "$out" ':
signal:1'
like 'the next attempt is told, so is the end' "$err" \
    'giving up after 2 attempts in .*: killed by SIGKILL \(out of memory\)$'
within 2 /a /a retry -a 2 -d 0 sh -c '. ./oom_kill; exit 137'
like 'a shell says it by its status' "$err" \
    'attempt 1/2 exited 137 \(out of memory\) after'
within 2 /a /a retry -a 2 -d 0 sh -c '. ./oom_kill; exit 1'
unlike 'an attempt that outlives it may fail otherwise' "$err" 'out of memory'
within 2 /a /a retry -a 2 -d 0 -t 0.2 -k 0.1 \
    sh -c '. ./oom_kill; trap "" TERM; while :; do sleep .05; done'
unlike 'an attempt that outlives it may fail otherwise, so may an attempt that retry itself kills' "$err" 'out of memory'
within 2 /a /a sh -c '
	printf "oom_kill 7\n" >"$count"; exec retry -a 2 -d 0 sh -c "kill -KILL \$\$"'
unlike 'a count of earlier kills says nothing' "$err" 'out of memory'
within 2 /a /a retry -a 2 -d 0 \
    --before-retry='echo oom_kill 12 >"$count"' sh -c 'kill -KILL $$'
unlike 'kills between attempts are not counted' "$err" 'out of memory'
within 2 /a /a sh -c \
    'rm "$count"; exec retry -a 2 -d 0 sh -c "kill -KILL \$\$"'
is 'without a count all is as ever' "$code" 137

# --- reports ---

within 2 /a /a retry -a 2 -d 0 -q --log=json sh -c "$killed"
is 'JSON tells it beside the signal' "$(printf '%s\n' "$err" |
    sed -n 's/.*"outcome":\("[a-z]*"\).*"name":\("[A-Z]*","oom":[a-z]*\).*/\1 \2/p')" \
    '"signal" "SIGKILL","oom":true
"signal" "SIGKILL","oom":true'

# --- for real ---

# limited COMMAND...: in a cgroup with little memory.
cat >limited <<'END'
if [ -w /sys/fs/cgroup/cgroup.subtree_control ]; then
	group=/sys/fs/cgroup/retry-test-$$ limit=memory.max swap=memory.swap.max
else
	group=/sys/fs/cgroup/memory/retry-test-$$ limit=memory.limit_in_bytes
	swap=memory.memsw.limit_in_bytes
fi
mkdir "$group" && echo $((32 << 20)) >"$group/$limit" || exit
[ ! -e "$group/$swap" ] || echo 33554432 >"$group/$swap" || echo 0 >"$group/$swap"
sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@"
status=$?
rmdir "$group"
exit "$status"
END
if sh limited true 2>/dev/null; then
	run sh limited retry -a 1 -d 0 \
	    perl -e 'my $text = "x" x (256 << 20); print "survived"'
	like 'the kernel kills an attempt for its memory' "$err" \
	    '^retry: perl: giving up after 1 attempt in .*: killed by SIGKILL \(out of memory\)$'
else
	skip 'the kernel kills an attempt for its memory' \
	    'no cgroup can be made here'
fi

finish
