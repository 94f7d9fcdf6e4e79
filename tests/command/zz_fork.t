. lib/harness.sh
soon='--leftovers=spare --health-interval=50ms --health-retries=1'
cat >forks <<'END'
#!/bin/sh
trap '' TERM
trap 'echo "$1" >>hung_up' HUP
trap 'echo "$1" >>heard' USR1
echo $$ >"$1.pid"
exec >/dev/null 2>&1
while :; do sleep 9 & wait; done
END
chmod +x forks
one=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
taskset -c "$one" sh -c 'for i in 1 2 3 4 5 6; do
	sh -c "until [ -e forked ]; do :; done" &
done
for i in $(seq 24); do
	"$RETRY" '"$soon"' --health="test ! -s $i.pid" -a 1 -k 0 -- \
	    sh -c "./forks $i & exec sleep 60" 2>/dev/null &
	runs="$runs $!"
done
wait $runs
: >forked'
cat [0-9]*.pid | xargs kill -USR1
wait_for sh -c 'test "$(wc -l <heard)" = 24'
check 'what is left in the midst of a fork is not left stopped' test ! -e hung_up
finish
