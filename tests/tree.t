#!/bin/sh
# What a timed-out attempt leaves behind, and what it may not.

. ./harness.sh

# Each writes the pid of the process that matters and stays.
cat >stubborn <<'END'
#!/bin/sh
trap '' TERM
echo $$ >>"$1"
while :; do sleep 60 & wait; done
END
chmod +x stubborn

alive() {
	kill -0 "$1" 2>/dev/null
}

none_alive() {
	while read -r pid; do
		if alive "$pid"; then
			note "process $pid is left"
			return 1
		fi
	done <"$1"
}

run "$RETRY" -a 2 -d 0 -t .5 -k .1 -- sh -c './stubborn in & wait'
is 'a timed-out attempt ends in 124' "$code" 124
is 'each attempt had started its own' "$(wc -l <in)" 2
check 'what ignores SIGTERM is killed' none_alive in

run "$RETRY" -a 2 -d 0 -t .5 -k .1 -- sh -c 'setsid ./stubborn out & wait'
check 'what called setsid is killed' none_alive out

run "$RETRY" -a 1 -t .5 -k .1 -- \
	sh -c '(setsid ./stubborn orphan &) ; exec sleep 60'
check 'what its parent left is killed' none_alive orphan

run "$RETRY" -a 1 -t .5 -k 20 -- sh -c 'setsid sh -c "
	trap \"echo said >said; exit\" TERM
	echo >ready
	while :; do sleep .05; done" & while :; do sleep .05; done'
is 'a descendant with a session of its own hears --signal' \
	"$(cat said)" said

run "$RETRY" -a 2 -d 0 -t 2 -k .1 -- sh -c '
	if [ "$RETRY_ATTEMPT" = 1 ]; then
		setsid ./stubborn daemon & (./stubborn plain &)
		while [ ! -s daemon ] || [ ! -s plain ]; do sleep .01; done
		exit 1
	fi
	exec sleep 60'
is 'the second attempt timed out' "$code" 124
check 'the daemon of an attempt that ended by itself lives on' \
	alive "$(cat daemon)"
check 'a plain process that it left lives on too' alive "$(cat plain)"
kill -9 "$(cat daemon)" "$(cat plain)"

run sh -c './stubborn older & exec "$RETRY" -a 1 -t .5 -k .1 -- sleep 60'
check 'a child from before retry began lives on' alive "$(cat older)"
kill -9 "$(cat older)"

run "$RETRY" -a 3 -d 0 -T .5 -k .1 -- sh -c 'setsid ./stubborn whole & wait'
is '--max-time ends an attempt in 124' "$code" 124
check '--max-time leaves nothing either' none_alive whole

run "$RETRY" -a 1 -t .5 -k 0 -- sh -c './stubborn kept & exec sleep 60'
is 'with -k 0 the run ends all the same' "$code" 124
like 'what is left with -k 0 is named' "$err" \
	"process [0-9]+ \(stubborn\) cannot be ended and is left"
check 'what is left with -k 0 was not killed' alive "$(cat kept)"
kill -9 "$(cat kept)"

run "$RETRY" -a 1 -T .5 -k 0 -- ./stubborn alone
is 'an attempt that does not end is given up after --max-time' "$code" 124
like 'it is named' "$err" 'process [0-9]+ does not end'

finish
