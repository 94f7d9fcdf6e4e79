#!/bin/sh
#
# Under valgrind no error, no memory that is still there at the end, and no
# descriptor but the one that signals come through, and the one that holds the
# state's lock. With the argument `units` the unit tests run, else the program.

# SPDX-License-Identifier: MIT

. lib/harness.sh

for reason in \
    "$(command -v valgrind >/dev/null || echo valgrind is not installed)" \
    "$(sanitized && echo a sanitizer looks already)" \
    "$(grep -q 'clang version' "$RETRY" &&
	echo it cannot read what clang says for debuggers)" \
    "$(readelf -l "$RETRY" | grep -q INTERP || echo it is linked statically)" \
    "$(valgrind "$RETRY" -V 2>&1 | grep -q 'unhandled dwarf' &&
	echo it cannot read what this compiler tells of the source)"; do
	[ -z "$reason" ] && continue
	echo "1..0 # SKIP $reason"
	tap_finished=yes
	exit 0
done

kinds=all

# memcheck COMMAND...: what valgrind sees is in log.PID, also of a child that
# could not execute its command.
memcheck() {
	rm -f log.*
	valgrind --quiet --log-file=log.%p --leak-check=full \
	    --show-leak-kinds="$kinds" --track-fds=yes "$@"
}

# faults: what the logs have, but for the descriptors that are meant to be.
faults() {
	cat log.* | sed -e 's/^==[0-9]*== \{0,1\}//' -e '/^FILE DESC/d' |
	    awk 'BEGIN { RS = "" }
		!/^Open file/ ||
		!/<inherited from parent>|by [^\n]*(set_up|open_oom|write_out|messages_draw|state_file_lock)/'
}

# clean WANT NAME COMMAND...: it exits with this status, without a fault.
clean() {
	want=$1 name=$2
	shift 2
	run memcheck "$@"
	is "$name" "$code $(faults)" "$want "
}

run memcheck sh -c :
like 'a fault would be seen' "$(faults)" 'reachable'

# What explores takes minutes here; the builds with sanitizers look at it.
if [ "${1-}" = units ]; then
	for test in "$TEST_BUILD"/tests/test_*; do
		case $test in
		# These take minutes there.
		*.p | */test_tries | */test_failures | */test_figures) ;;
		*) clean 0 "${test##*/}" "$test" ;;
		esac
	done
	finish
fi

clean 0 'a success' retry true
clean 1 'a run that gives up' retry -v -a 3 -d 10ms -b decorrelated false
clean 1 'a list of delays' retry -a 3 -b list:1ms,2ms -j none false
clean 124 'a timeout' retry -a 1 -t 3s -k 50ms -- sh -c 'trap "" TERM; sleep 9'
clean 1 'check, gate and hooks' retry -a 2 -d 0 --check='exit 1' \
    --before-retry=true --on-give-up=true --on-success=false true
clean 0 'successes in a row' retry --repeat=3 --success-delay=1ms true
clean 1 'a budget' retry -a 2 -d 0 --budget=bucket:rate=1 false
clean 1 'logs' retry -a 2 -d 0 --log=json:json --log=text:text false
echo a >in
clean 0 'input again' retry --stdin=replay cat <in
clean 1 'a state' retry -a 1 -d 1h --state=state false
clean 75 'a state, too early' retry -d 1h --state=state:skip false
clean 0 'a plan' retry --plan=1*3,KILL:2s,0 -T 5m --preset=grpc
clean 0 'help' retry --help
clean 3 'a signal' retry -d 1h -- sh -c 'trap "" TERM; kill $PPID; exit 3'

# What such ends, and the process that has the output, leave can still be
# reached: nothing is lost.
kinds=definite,indirect,possible
clean 1 'held output' retry -a 2 -d 0 --output=chronic sh -c 'echo a; exit 1'
clean 3 'matches' retry -a 2 -d 0 --success-match=yes --delay-match='in (.*)s' \
    --throttle-match='n+o' --throttle-delay=1ms sh -c 'echo no in .01s; exit 3'
clean 130 'death by a signal' retry --check='kill -INT $PPID' false
clean 127 'a command that is not there' retry -a 2 -d 0 --stop-on=none ./none
clean 125 'a bad option' retry -b list:1,2,x true

finish
