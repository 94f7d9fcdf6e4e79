#!/bin/sh
#
# A file system stops answering, as that of a server that is gone: whatever the
# attempt has there, -T and a signal end the run.

# SPDX-License-Identifier: MIT

. lib/harness.sh
if ! have 'a run ends beside a file system that hangs' python3; then
	finish
elif ! unshare --mount test -c /dev/fuse 2>/dev/null || [ ! -w /dev/fuse ]; then
	skip 'a run ends beside a file system that hangs' 'no file system can be made'
	finish
fi

# The second attempt makes it hang, and leaves a process in it if WHAT is that.
export PROGRAM='#!/bin/sh
	case $RETRY_ATTEMPT in
	1) exit 1 ;;
	2) [ "$WHAT" != "a left process" ] || { sleep 100 3<"$FOLDER/in" & }
	    : >"$HANGS"; exit 1 ;;
	*) exec sleep 100 ;;
	esac'
export FOLDER="$T/folder" HANGS="$T/hangs" LOG="$T/log" WHAT END
mkdir folder
echo "$PROGRAM" >program
chmod +x program
for WHAT in 'standard input' 'input that is kept' 'a left process' \
    'the working directory' 'the program'; do
	for END in -T TERM; do
		rm -f hangs log
		run unshare --mount python3 "$TESTS/lib/hang.py" folder hangs sh -c '
			set -- retry --log=json:"$LOG" --log=text -a 0 -d 50ms -k .2 \
			    --stop-timeout=.2
			[ "$END" = TERM ] || set -- "$@" -T 3
			input=$FOLDER/in program=$PWD/program
			cat "$input"
			case $WHAT in
			"standard input") ;;
			"input that is kept") set -- "$@" --stdin=replay ;;
			*) input=/dev/null ;;
			esac
			[ "$WHAT" != "the program" ] || program=$FOLDER/program
			[ "$WHAT" != "the working directory" ] || cd "$FOLDER" || exit
			"$@" sh -c "exec $program" <"$input" &
			until grep -qs "attempt\":3" "$LOG" || ! kill -0 $!; do
				sleep .05
			done
			[ "$END" = -T ] || kill $!
			wait $!'
		like "$WHAT hangs, and $END ends the run" "$code $(echo "$err" |
		    grep -E 'giving up|ended by')" \
		    '^(1|124|143) .*(--max-time|SIGTERM)'
	done
done

finish
