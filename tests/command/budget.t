#!/bin/sh
#
# A budget of retries that processes share.

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/tries.sh
. "$TESTS/lib/tries.sh"
# The leak checker cannot work where strace does.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

# tokens [FILE]: how many the bucket holds.
tokens() {
	sed 's/.* tokens 0*\([0-9][0-9]*\.[0-9]*\) .*/\1/' "${1:-bucket}"
}

# One process.

run retry -a 9 -d 0 --budget=bucket:tokens=3 ./tries 7
is 'three tokens pay three retries' "$(attempts)" 4
is 'the status is that of the last attempt' "$code" 7
like 'giving up says why' "$err" 'exited 7, and --budget is used up$'
is 'the bucket is empty' "$(tokens)" 0.000
run retry -a 9 -d 1d --budget=bucket:tokens=3 ./tries 7
is 'the next run has no retry left' "$(attempts)" 1
unlike 'no wait is announced that is not begun' "$err" 'next'
is 'the bucket is for its owner alone' "$(stat -c %a bucket)" 600
size=$(stat -c %s bucket)

retry --budget=bucket:tokens=3 true
is 'a success gives a tenth back' "$(tokens)" 0.100
retry -a 0 -d 0 --repeat=3 --budget=bucket:success=0.3 true
is 'each success of a run that goes on does' "$(tokens)" 1.000
retry --budget=bucket:success=2.5 true
is 'how much can be said' "$(tokens)" 3.500
run retry -q -a 9 -d 0 --budget=bucket:cost=1.75 ./tries 7
is 'how much can be said, and what a retry costs' "$(attempts) $(tokens)" '3 0.000'
retry --budget=bucket:tokens=3,success=999 true
is 'the bucket overflows at what it holds' "$(tokens)" 3.000
retry -q -a 2 -d 0 --budget=bucket:tokens=2 ./tries 7
is 'each process holds it to its own size' "$(tokens) $(attempts)" '1.000 2'
retry -q -a 9 -d 0 --budget=bucket:tokens=1,rate=1000000 ./tries 7
is 'tokens come back with time' "$(attempts)" 9
like 'a budget notes the boot of its time' "$(cat bucket)" \
    " boot $(cat /proc/sys/kernel/random/boot_id) "
retry -q -a 2 -d 0 --budget=slow:tokens=1,rate=1 ./tries 7
sleep 1.1
retry -q -a 2 -d 0 --budget=slow:tokens=1,rate=1 ./tries 7
is 'a token a second comes back if the rate is 1' "$(attempts)" 4
# In a time namespace the machine seems to have been started at another time.
retry -q -a 2 -d 0 --budget=elsewhere:tokens=1,rate=0.01 ./tries 7
rm -f attempts
if unshare -T --boottime 864000 true 2>/dev/null; then
	unshare -T --boottime 864000 \
	    "$RETRY" -q -a 2 -d 0 --budget=elsewhere:tokens=1,rate=0.01 ./tries 7
	is 'a time namespace brings no tokens back' "$(attempts)" 1
	unshare -T --boottime 864000 "$RETRY" -q -a 2 -d 0 \
	    --budget=elsewhere:tokens=9,rate=1000000 ./tries 7
	is 'a time namespace keeps no tokens back' "$(attempts)" 2
else
	skip 'a time namespace brings no tokens back' 'there is none to be had'
fi
retry -q -a 9 -d 0 --budget=none:tokens=0 ./tries 7
is 'no token, no retry' "$(attempts)" 1
retry -q -a 9 --budget=bucket --stop-on=7 ./tries 7
is 'what is not retried costs nothing' "$(attempts) $(tokens)" '1 0.000'
is 'the file keeps its size' "$(stat -c %s bucket)" "$size"

retry -q -a 9 -d 0 --throttle-on=9 --throttle-delay=0 \
    --budget=sdk:tokens=20,cost=14,throttled=5,refund=1 ./tries 9
is 'a retry after a throttled attempt has its own cost' \
    "$(attempts) $(tokens sdk)" '5 0.000'
cat >later <<'END'
#!/bin/sh
echo >>attempts
exit $((RETRY_ATTEMPT <= $1 ? 7 : 0))
END
chmod +x later
for _ in 1 2 3 4 5; do
	retry -q -a 2 -d 0 \
	    --budget=fair:tokens=20,cost=14,success=1,refund=1 ./later 1
done
is 'a success gives the tokens of its retry back' \
    "$(attempts) $(tokens fair)" '10 20.000'
retry -q -a 0 -d 0 --repeat=3 --budget=part:tokens=20,cost=8,success=1,refund=.5 \
    ./later 2
is 'a refund is of the last retry alone, and given once' "$(tokens part)" 10.000
rm -f attempts
run retry --budget=sdk:throttled=5 true
is 'a cost after throttled attempts needs such attempts' "$code $err" \
    "125 retry: --budget=sdk:throttled=5 has a cost after throttled attempts, which needs --throttle-on or --throttle-match (try 'retry --help')"

# Names.

retry --budget=a:b:tokens=5 true
is 'the last colon ends the name' "$(tokens a:b)" 5.000
mkdir d:d
retry --budget=d:d/bucket true
is 'a colon in the name of a folder does not end the name' "$(tokens d:d/bucket)" 100.000
for text in bucket: bucket:tokens bucket:tokens=x bucket:tokens=1,tokens=1 \
    bucket:tokens=1000001 bucket:cost=-1 bucket:size=1 :tokens=1 ''; do
	run retry --budget="$text" ./tries 7
	is "--budget='$text' is refused" "$code $(attempts)" '125 0'
done

# Many processes.

# Its first attempt waits for the gate, so that all fail at once.
cat >meets <<'END'
#!/bin/sh
[ "$RETRY_ATTEMPT" = 1 ] && echo >>started && flock -s gate true
exec ./tries 7
END
chmod +x meets

# crowd SIZE TOKENS: so many at once, each with one retry; prints how many
# retries there were, less those that were let through with a warning. If those are
# so many, on a busy machine, that tokens are left, it is tried again.
crowd() {
	rm -f crowd started
	exec 9>gate
	flock 9
	seq "$1" | xargs -P "$1" -I {} retry -q -a 2 -d 0 \
	    --budget="crowd:tokens=$2,success=0" ./meets 2>warnings 9>&- &
	wait_for sh -c '[ "$(wc -l <started)" -eq "$1" ]' - "$1"
	exec 9>&-
	wait $!
	locked=$(grep -c 'is locked' warnings)
	made=$(($(attempts) - $1 - locked))
	if [ $(($1 - locked)) -lt "$2" ]; then
		crowd "$@"
	else
		echo "$made"
	fi
}

is '20 processes with 10 tokens make 10 retries' "$(crowd 20 10)" 10
is '200 processes with 77 tokens make 77' "$(crowd 200 77)" 77
is '200 processes with 77 tokens make 77, and leave none' "$(tokens crowd)" 0.000

# What a bucket may meet.

run flock bucket retry -a 2 -d 0 --budget=bucket:tokens=0 ./tries 7
like 'a locked bucket is reported' "$err" \
    '^retry: tries: --budget: bucket: is locked; the retry is allowed$'
is 'a locked bucket is reported, and lets retries through' "$(attempts)" 2
run flock bucket retry --budget=bucket true
like 'a success that is not shared is reported' "$err" \
    '^retry: true: --budget: bucket: is locked; nothing is given back$'
is 'a success that is not shared is reported, and is one' "$code" 0

if strace -o /dev/null true 2>/dev/null; then
	flock bucket strace -qq -o trace -e trace=nanosleep,clock_nanosleep \
	    retry -q -a 3 -d 0 --budget=bucket sh -c 'exit 7'
	is 'retry sleeps in no call that keeps it from signals' "$(cat trace)" ''
else
	skip 'retry sleeps in no call' 'strace cannot trace here'
fi

# holds: fails once it has a process that holds the lock a moment.
cat >holds <<'END'
#!/bin/sh
flock bucket sh -c 'echo >held; sleep .04' &
until [ -e held ]; do :; done
exec 7>&-
exit 7
END
chmod +x holds
# A busy machine may need more than the tenth of a second.
# shellcheck disable=SC2317 # wait_for calls it
waited() {
	rm -f held
	run retry -q -a 2 -d 0 --budget=bucket ./holds
	test -z "$err"
}
check 'a budget that is locked for a moment is waited for' retried waited

: >empty
retry -q -a 2 -d 0 --budget=empty:tokens=5 ./tries 7
is 'an empty file is a full bucket' "$(tokens empty) $(attempts)" '4.000 2'
sed s/time/tyme/ bucket >damaged
run retry -a 2 -d 0 --budget=damaged:tokens=0 ./tries 7
like 'a damaged bucket is reported' "$err" \
    '--budget: damaged: is damaged; the retry is allowed$'
is 'a damaged bucket is reported, and lets retries through' "$(attempts)" 2
run retry -q -a 9 -d 0 --budget=damaged:tokens=3 ./tries 7
is 'a damaged bucket is whole after the retries' "$(attempts) $err" '1 '
retry --budget=summed:tokens=0 true
sed 's/ sum .*/ sum 0000000000000000/' summed >damaged
run retry -q -a 2 -d 0 --budget=damaged:tokens=5 ./tries 7
is 'a damaged bucket is then a full one' "$(tokens damaged)" 4.000
rm -f attempts
{ cat bucket && echo more; } >longer
run retry -q -a 2 -d 0 --budget=longer ./tries 7
like 'a budget that is too long is damaged' "$err" 'is damaged; the retry is allowed$'
run retry -q -a 2 -d 0 --budget=longer ./tries 7
is 'a budget that was too long is mended' "$err $(stat -c %s longer)" " $size"
head -c 40 bucket >'cut'
run retry -q -a 2 -d 0 --budget=cut ./tries 7
like 'a budget that was cut is damaged' "$err" '; the retry is allowed$'
run retry -q -a 2 -d 0 --budget=cut ./tries 7
is 'a budget that was cut is mended' "$err $(stat -c %s cut)" " $size"
rm -f attempts

# A file that holds something else stays as it is.
for text in 'dear diary' r retry-b 'retry-budget 2 of years to come' \
    'retry-budget 1 was a good year' 'r\0e\0p\0o\0r\0t\0' '\0\0\0'; do
	printf %b "$text" >other
	cp other copy
	run retry -q -a 2 -d 0 --budget=other ./tries 7
	like "'$text' is no bucket" "$err" \
	    'is not a retry budget of this version; the retry is allowed$'
	is "'$text' prevents no retry" "$(attempts)" 2
	check "'$text' stays as it is" cmp other copy
done

mkdir folder
ln -s bucket link
mkfifo fifo
for file in folder link fifo /dev/null missing/bucket folder/; do
	run retry -a 2 -d 0 --budget="$file" ./tries 7
	is "$file: the retry is allowed" "$code $(attempts)" '7 2'
	is "$file: the retry is allowed, and that is said in one line" "$(printf '%s\n' "$err" |
	    grep -c "^retry: tries: --budget: $file: .*; the retry is allowed\$")" 1
	rm -f attempts
done
run retry --budget=link true
is 'a success that cannot be given back stays one' "$code $err" \
    '0 retry: true: --budget: link: is a symbolic link; nothing is given back'

cp bucket mine && chmod 400 mine
run confined retry -a 2 -d 0 --budget=mine ./tries 7
is 'a bucket that may not be written lets retries through' \
    "$code $(attempts)" '7 2'
like 'a bucket that may not be written lets retries through, and that is said' "$err" \
    '^retry: tries: --budget: mine: Permission denied; the retry is allowed$'
rm -f attempts

# With fs.protected_regular=2, Debian's default, a file of another user in a folder
# like /tmp must not be opened with O_CREAT.
if strace -o /dev/null true 2>/dev/null; then
	strace -qq -o opens -e trace=open,openat \
	    retry -q -a 2 -d 0 --budget=bucket:tokens=3 ./tries 7
	rm -f attempts
	like 'a bucket is opened' "$(grep '"bucket"' opens)" 'O_RDWR'
	unlike 'a bucket that exists is not created' \
	    "$(grep '"bucket"' opens | grep -v O_EXCL)" O_CREAT
else
	skip 'a bucket that exists is not created' 'strace cannot trace here'
fi

# Faults.

run sh -c '{ ulimit -f 0; retry -a 2 -d 0 --budget=small false; echo $?; } 2>&1 |
    cat'
like 'no room for a file: the retry is allowed' "$out" '^1$'
like 'no room for a file: the retry is allowed, and that is said' "$out" '--budget: small: File too large; .*allowed$'

# faulty CALL ERRNO: with such a call on the bucket failing.
faulty() {
	strace -qq -o /dev/null -P bucket -e "trace=$(any_libc "$1")" \
	    -e "inject=$(any_libc "$1"):error=$2" \
	    retry -a 2 -d 0 --budget=bucket:tokens=3 ./tries 7
}

if strace -o /dev/null true 2>/dev/null; then
	for fault in 'flock ENOLCK' 'pread64 EIO' 'pwrite64 ENOSPC'; do
		rm -f attempts
		# shellcheck disable=SC2086 # words are meant
		run faulty $fault
		is "$fault: the retry is allowed" "$code $(attempts)" '7 2'
		is "$fault: the retry is allowed, and that is said in one line" \
		    "$(printf '%s\n' "$err" | grep -c 'retry: tries: --budget: bucket')" 1
	done
	rm -f attempts
	echo more >>bucket
	run faulty ftruncate EIO
	is 'ftruncate EIO: the retry is allowed' "$code $(attempts)" '7 2'
	like 'ftruncate EIO: the retry is allowed, and that is said' "$err" 'is damaged; the retry is allowed$'
	rm -f attempts
	run faulty openat EMFILE
	is 'openat EMFILE: the retry is allowed' "$code $(attempts)" '7 2'
	like 'openat EMFILE: the retry is allowed, and that is said' "$err" '(Too many open files|No file descriptors.*); .*allowed$'
else
	skip 'system calls that fail' 'strace cannot trace here'
fi

finish
