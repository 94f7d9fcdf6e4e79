#!/bin/sh
#
# retry as the first process of a container, as root and as an ordinary user.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
chmod 755 "$tap_dir"
chmod 777 "$T"

# first COMMAND...: runs it as process 1.
first() {
	# shellcheck disable=SC2086 # words are meant
	$become unshare $own --pid --fork --mount-proc "$@"
}

cat >zombies <<'end'
#!/bin/sh
for file in /proc/[0-9]*/status; do
	grep -q '^State:.Z' "$file" 2>/dev/null && echo "$file"
done
exit 0
end
chmod +x zombies

promises() {
	wrong=
	while read -r want command; do
		run first "$RETRY" -qa 2 -d 1ms -t 99 sh -c "$command"
		[ "$code" -eq "$want" ] || wrong="$wrong $want: $code"
	done <<'end'
0 exit 0
3 exit 3
127 exit 127
137 kill -KILL $$
143 kill -TERM $$
138 kill -USR1 $$
129 kill -HUP $$
134 ulimit -c 0; kill -ABRT $$
end
	is "statuses are passed on, and deaths as 128 and the signal, as $who" \
	    "$wrong" ''
	status 124 "a timeout is 124, as $who" \
	    first "$RETRY" -a 1 -t 20ms sleep 100d
	status 127 "what is not found is 127, as $who" first "$RETRY" ./nosuch
	status 126 "what is no program is 126, as $who" first "$RETRY" /
	status 3 "process 1 may be the parent, as $who" first sh -c '
		retry -qa 2 -d 0 sh -c "exit 3"
		exit $?'

	run first "$RETRY" -q -a 1 --health='sh -c "exit 5" & (exit 5) &
		(setsid sh -c "exit 5" &); echo >>probes' \
	    --health-interval=10ms --health-retries=1 \
	    sh -c 'until [ "$(cat probes 2>/dev/null | wc -l)" -gt 20 ]; do
		sleep .01
	done; sleep .1; ./zombies | wc -l'
	is "what probes leave is reaped, as $who" \
	    "$code $((out < 9))" '0 1' || note "$out zombies"
	rm -f probes

	run first "$RETRY" -qa 1 sh -c '
		for i in $(seq 40); do (sh -c "exit 5" &); done
		until [ -z "$(./zombies)" ] &&
		    [ "$(ls -d /proc/[0-9]* | wc -l)" -le 5 ]; do
			sleep .01
		done
		exit 3'
	is "orphans are reaped while an attempt runs, as $who" "$code" 3
	run first "$RETRY" -qa 2 -d 3 -j none sh -c '
		[ $RETRY_ATTEMPT -eq 2 ] && exec ./zombies
		for i in $(seq 40); do (sh -c "sleep .01; exit 5" &); done
		exit 3'
	is "orphans are reaped while an attempt runs, as $who, and in a wait, as $who" "$code$out" 0
	run first "$RETRY" -qa 2 -d 0 -t 3 -k 9 sh -c '
		[ $RETRY_ATTEMPT -eq 2 ] && { pgrep sleep; exit 3; }
		setsid sleep 100d &
		wait'
	is "a timeout ends all that was started, as $who" "$code$out" 3
}

become='' own='' who=root
[ "$(id -u)" -eq 0 ] || own='--user --map-root-user' who=user
if first true 2>/dev/null; then
	promises
else
	skip "retry is process 1 as $who" 'no namespace can be made'
fi
if [ "$who" = root ]; then
	become='setpriv --reuid 65534 --clear-groups'
	own='--user --map-root-user' who=user
	if first "$RETRY" true 2>/dev/null; then
		promises
	else
		skip "retry is process 1 as $who" 'no namespace can be made'
	fi
fi

finish
