#!/bin/sh
#
# A retry budget in Redis: scripts/retry-redis-budget.

# SPDX-License-Identifier: MIT

. lib/harness.sh
PATH=$TESTS/../scripts:$PATH
gate=retry-redis-budget

# stub NAME: takes its place; the script is on stdin.
mkdir stubs
stub() {
	{ echo '#!/bin/sh' && cat; } >"stubs/$1"
	chmod +x "stubs/$1"
}

# Options.

status 0 '--help is no error' "$gate" --help

# The manual has what the help has: each option with its default, a line each.
"$gate" --help | sed -n 's/^  --\([a-z][a-z]*\)[^[]*\(\[.*\)*$/\1 \2/p' >helped
awk '/^\.It Fl -/ {
		if (name)
			print name, value
		name = substr($3, 2)
		value = ""
	}
	/^The default is/ {
		getline
		gsub(/\\/, "", $2)
		value = "[" $2 "]"
	}
	END { print name, value }' "$TESTS/../man/retry-redis-budget.1" >told
check 'there are options' test "$(wc -l <helped)" -gt 5
check 'the manual has them all, with their defaults' diff told helped

for option in --tokens=x --tokens=1.2.3 --rate=-1 --rate= --tokens=. --key= \
    --what=1 --key what; do
	run "$gate" "$option"
	is "$option is refused" "$code" 125
	like "$option is named" "$err" "^retry-redis-budget: ${option%%=*}: "
done

stub redis-cli <<'END'
for argument; do
	case $argument in
	*redis.call*) printf 'SCRIPT ' ;;
	*) printf '%s ' "$argument" ;;
	esac
done >"$T/asked"
cat "$T/answer"
exit "$(cat "$T/status")"
END
asks() {
	echo "$1" >status
	echo "$2" >answer
	shift 2
	run env PATH="$T/stubs:$PATH" "$gate" "$@"
}
asks 0 1
is 'what is not said is the usual' "$(cat asked)" \
    '-h 127.0.0.1 -p 6379 EVAL SCRIPT 1 retry-budget 100 1 '
asks 0 1 --host h --port=7 --key='a b' --tokens 2.5 --rate=.5
is 'what is said is passed on' "$(cat asked)" \
    '-h h -p 7 EVAL SCRIPT 1 a b 2.5 .5 '
asks 0 1 --host=h --port=7 --socket=/s
is 'a socket stands for both' "$(cat asked)" \
    '-s /s EVAL SCRIPT 1 retry-budget 100 1 '
asks 0 1 --key=k -- --tls --cacert 'a file'
is 'whatever else redis-cli takes is passed on' "$(cat asked)" \
    '-h 127.0.0.1 -p 6379 --tls --cacert a file EVAL SCRIPT 1 k 100 1 '
is 'a token is a retry' "$code $err" '0 '
asks 0 0
is 'none is none' "$code $err" '1 '

# A Redis that is away.

for answer in '0 ERR not now' '1 Could not connect' '127 not found' '124 ' \
    '137 ' '1 0' '1 1' '0 2' '0 '; do
	asks "${answer%% *}" "${answer#* }"
	is "the answer '$answer' allows the retry" "$code" 0
	like 'and that is said' "$err" \
	    '^retry-redis-budget: .+; the retry is allowed$'
done
asks 1 "$(printf '\033[31mred\nmore')"
is 'what it says is made harmless' "$err" \
    'retry-redis-budget: [31mred more; the retry is allowed'
run "$gate" --socket="$T/nobody"
is 'without a server it is allowed' "$code" 0
like 'and that is said' "$err" 'Could not connect .*; the retry is allowed$'

# A real one.

have 'a budget in Redis' redis-server || finish
redis-server --port 0 --unixsocket "$T/redis" --save '' --dir "$T" >log 2>&1 &
server=$!
redis() {
	redis-cli -s "$T/redis" "$@"
}
wait_for redis ping

# granted PROCESSES OPTION...: how many of so many at once may go on.
granted() {
	processes=$1
	shift
	seq "$processes" | xargs -P "$processes" -I {} \
	    sh -c 'retry-redis-budget "$@" && echo >>granted' - \
	    --socket="$T/redis" "$@" 2>said
	wc -l <granted | tr -d ' '
	rm granted
}
is '60 processes with 25 tokens: 25 go on' \
    "$(granted 60 --key=a --tokens=25 --rate=0)" 25
is 'and nothing is said' "$(cat said)" ''
is 'without a rate the bucket stays' "$(redis ttl a)" -1
touch granted
is 'and stays empty' "$(granted 5 --key=a --tokens=25 --rate=0)" 0
is 'a bucket has its own name' \
    "$(granted 5 --key=b --tokens=2.999 --rate=0)" 2

retry-redis-budget --socket="$T/redis" --key=f --rate=0 -- -n 2
is 'redis-cli understands what is passed on' "$(redis -n 2 exists f)" 1

retry-redis-budget --socket="$T/redis" --key=c --tokens=1 --rate=1000
status 0 'tokens come back with time' wait_for \
    retry-redis-budget --socket="$T/redis" --key=c --tokens=1 --rate=1000
retry-redis-budget --socket="$T/redis" --key=d --tokens=5 --rate=0.01
like 'a bucket that would be full again is dropped' "$(redis pttl d)" \
    '^(100001|9[0-9]{4}|100000)$'
status 0 'a bucket of fewer tokens holds fewer' \
    retry-redis-budget --socket="$T/redis" --key=d --tokens=1 --rate=0
status 1 'from then on' \
    retry-redis-budget --socket="$T/redis" --key=d --tokens=5 --rate=0

redis set e text >said
run retry-redis-budget --socket="$T/redis" --key=e
is 'a key of another kind allows the retry' "$code" 0
like 'and that is said' "$err" 'WRONGTYPE.*; the retry is allowed$'

# As a gate.

gate="retry-redis-budget --socket=$T/redis --key=gate --tokens=12 --rate=0"
seq 30 | xargs -P 30 -I {} retry -q -a 2 -d 0 --before-retry="$gate" \
    sh -c 'echo >>attempts; exit 7' 2>said
is '30 runs with 12 tokens make 12 retries' \
    "$(wc -l <attempts) $(cat said)" '42 '
run retry -a 2 -d 0 --before-retry="$gate" sh -c 'exit 7'
is 'the status is that of the last attempt' "$code" 7
like 'and the gate is to blame' "$err" ', and --before-retry failed$'

kill $server
wait $server
finish
