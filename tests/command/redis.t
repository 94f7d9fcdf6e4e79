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
check 'the help of retry-redis-budget has options' test "$(wc -l <helped)" -gt 5
check 'the manual has them all, with their defaults' diff told helped

for option in --tokens=x --tokens=1.2.3 --rate=-1 --rate= --tokens=. --key= \
    --what=1 --key --tokens=0.9 --rate=0.0004 --give=0 --give=0.0004 \
    --give=x; do
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
    '-h 127.0.0.1 -p 6379 --raw EVAL SCRIPT 1 retry-budget 100 1 0 '
asks 0 1 --host h --port=7 --key='a b' --tokens 2.5 --rate=.5
is 'what is said is passed on' "$(cat asked)" \
    '-h h -p 7 --raw EVAL SCRIPT 1 a b 2.5 .5 0 '
asks 0 1 --host=h --port=7 --socket=/s
is 'a socket stands for both' "$(cat asked)" \
    '-s /s --raw EVAL SCRIPT 1 retry-budget 100 1 0 '
asks 0 1 --key=k -- --tls --cacert 'a file'
is 'whatever else redis-cli takes is passed on' "$(cat asked)" \
    '-h 127.0.0.1 -p 6379 --tls --cacert a file --raw EVAL SCRIPT 1 k 100 1 0 '
is 'a token is a retry' "$code $err" '0 '
asks 0 0
empty='retry-redis-budget: the bucket retry-budget is empty'
is 'without a token there is no retry' "$code $err" "1 $empty"
warning='Warning: Using a password with -a may not be safe.
'
asks 0 "${warning}1"
is 'a warning of redis-cli says nothing about the tokens' "$code $err" '0 '
asks 0 "${warning}0"
is 'a warning of redis-cli says nothing about the tokens, and lets no retry through' "$code $err" "1 $empty"
asks 0 "${warning}NOAUTH Authentication required."
is 'without a password retries are allowed' "$code" 0
asks 0 1 --give=0.1 --key=k
is 'a part of a token is put back' "$(cat asked)" \
    '-h 127.0.0.1 -p 6379 --raw EVAL SCRIPT 1 k 100 1 0.1 '
asks 1 'Could not connect' --give=0.1
is 'what cannot be put back is told' "$code $err" \
    '0 retry-redis-budget: Could not connect; nothing is put back'

# A Redis that is away.

for answer in '0 ERR not now' '1 Could not connect' '127 not found' '124 ' \
    '137 ' '1 0' '1 1' '0 2' '0 '; do
	asks "${answer%% *}" "${answer#* }"
	is "the answer '$answer' allows the retry" "$code" 0
	like "the answer '$answer' allows the retry, and that is said" "$err" \
	    '^retry-redis-budget: .+; the retry is allowed$'
done
asks 1 "$(printf '\033[31mred\nmore')"
is 'what it says is made harmless' "$err" \
    'retry-redis-budget: [31mred more; the retry is allowed'
# A real one.

have 'a budget in Redis' redis-server redis-cli || finish
run "$gate" --socket="$T/nobody"
is 'without a server the retry is allowed' "$code" 0
like 'without a server a message says so' "$err" \
    'Could not connect .*; the retry is allowed$'
redis-server --port 0 --unixsocket "$T/redis" --save '' --dir "$T" >log 2>&1 &
server=$!
redis() {
	redis-cli -s "$T/redis" "$@"
}
wait_for redis ping

# With more processes than these at once, a slow machine would take longer for an
# answer than the script waits.
at_once=4

# granted PROCESSES OPTION...: how many of so many may go on.
granted() {
	processes=$1
	shift
	seq "$processes" | xargs -P $at_once -I {} \
	    sh -c 'retry-redis-budget "$@" && echo >>granted' - \
	    --socket="$T/redis" "$@" 2>said
	wc -l <granted | tr -d ' '
	rm granted
}
is '60 processes with 25 tokens: 25 go on' \
    "$(granted 60 --key=a --tokens=25 --rate=0)" 25
is 'a bucket that is empty says so' "$(grep -c 'a is empty$' said)" 35
is 'without a rate the bucket stays' "$(redis ttl a)" -1
touch granted
is 'without a rate the bucket stays, and stays empty' "$(granted 5 --key=a --tokens=25 --rate=0)" 0
is 'a bucket has its own name' \
    "$(granted 5 --key=b --tokens=2.999 --rate=0)" 2

retry-redis-budget --socket="$T/redis" --key=f --rate=0 -- -n 2
is 'redis-cli understands what is passed on' "$(redis -n 2 exists f)" 1

for go in 0 1; do
	run retry-redis-budget --socket="$T/redis" --key=r --tokens=1 --rate=0 \
	    -- --no-raw
	is "--no-raw changes no answer: $go" "$code" "$go"
done

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
like 'a key of another kind allows the retry, and that is said' "$err" 'WRONGTYPE.*; the retry is allowed$'

# As a gate.

gate="retry-redis-budget --socket=$T/redis --key=gate --tokens=12 --rate=0"
seq 30 | xargs -P $at_once -I {} retry -q -a 2 -d 0 --before-retry="$gate" \
    sh -c 'echo >>attempts; exit 7' 2>said
is '30 runs with 12 tokens make 12 retries' \
    "$(wc -l <attempts) $(grep -v 'is empty$' said)" '42 '
run retry -a 2 -d 0 --before-retry="$gate" sh -c 'exit 7'
is 'the status is that of the last attempt' "$code" 7
like 'the status is that of the last attempt, and the gate is to blame' "$err" ', and --before-retry failed$'

# A ratio: each success puts back a tenth of a token.

retry-redis-budget --socket="$T/redis" --key=g --tokens=2 --rate=0
retry-redis-budget --socket="$T/redis" --key=g --tokens=2 --rate=0
for _ in 1 2 3 4 5 6 7 8 9; do
	retry-redis-budget --socket="$T/redis" --key=g --tokens=2 --rate=0 \
	    --give=.1
done
status 1 'nine tenths are no token' \
    retry-redis-budget --socket="$T/redis" --key=g --tokens=2 --rate=0
retry-redis-budget --socket="$T/redis" --key=g --tokens=2 --rate=0 --give=.1
status 0 'ten tenths are one' \
    retry-redis-budget --socket="$T/redis" --key=g --tokens=2 --rate=0
retry-redis-budget --socket="$T/redis" --key=g --tokens=2 --rate=0 --give=9
is 'a bucket that is full again is dropped' "$(redis exists g)" 0

# Of an outage: each of 30 clients has 4 requests, of which every attempt fails
# half of the time. fails CLIENT REQUEST ATTEMPT: whether this one does.
cat >fails.awk <<'END'
function fails(client, request, attempt) {
	return (client * 7919 + request * 104729 + attempt * 1299709) % 2003 % 2
}
END
echo '{ print fails($1, $2, $3) }' >one.awk
export GATE="retry-redis-budget --socket=$T/redis --key=ratio --tokens=5 --rate=0"
cat >client <<'END'
#!/bin/sh
for request in 1 2 3 4; do
	retry -q -a 3 -d 0 --before-retry="$GATE" \
	    --on-success="$GATE --give=.1" sh -c 'echo >>made
	    exit "$(echo "$1 $2 $RETRY_ATTEMPT" |
		awk -f fails.awk -f one.awk)"' \
	    sh "$1" $request
done
END
chmod +x client
rm -f made
seq 30 | xargs -P $at_once -n 1 ./client 2>said
is 'the fleet hears of no fault' "$(grep -v 'is empty$' said)" ''
# The least and the most attempts of 300 simulated fleets, in random order.
cat >fleet.awk <<'END'
function request(client, number,   attempt) {
	for (attempt = 1; attempt <= 3; attempt++) {
		made++
		if (!fails(client, number, attempt)) {
			tokens = tokens + .1 > 5 ? 5 : tokens + .1
			return
		}
		if (attempt == 3 || tokens < .9999)
			return
		tokens--
	}
}
BEGIN {
	for (fleet = 0; fleet < 300; fleet++) {
		tokens = 5
		made = 0
		for (i = 1; i <= 30; i++)
			done[i] = 0
		for (left = 120; left > 0; left--) {
			do
				i = 1 + int(rand() * 30)
			while (done[i] == 4)
			request(i, ++done[i])
		}
		least = fleet == 0 || made < least ? made : least
		most = made > most ? made : most
	}
	print least, most
}
END
awk -f fails.awk -f fleet.awk >simulated
read -r least most <simulated
made=$(wc -l <made)
note "attempts of the fleet: $made; of simulated ones: $least to $most"
check 'a fleet makes as many attempts as simulated ones' \
    test "$made" -ge $((least - 2)) -a "$made" -le $((most + 2))

# A password, a failover, a restart, a server that hangs.

redis config set requirepass secret >/dev/null
run retry-redis-budget --socket="$T/redis" --key=p --rate=0
is 'without the password the retry is allowed' "$code" 0
like 'without the password one line says so' "$err" \
    '^retry-redis-budget: NOAUTH.*; the retry is allowed$'
run retry-redis-budget --socket="$T/redis" --key=p --tokens=1 --rate=0 -- \
    -a secret
is 'redis-cli may warn of its password' "$code$err" 0
run retry-redis-budget --socket="$T/redis" --key=p --tokens=1 --rate=0 -- \
    -a secret
is 'redis-cli may warn, and the bucket says that it is empty' "$code $err" \
    '1 retry-redis-budget: the bucket p is empty'
export REDISCLI_AUTH=secret
redis config set requirepass '' >/dev/null
unset REDISCLI_AUTH

redis-server --port 0 --unixsocket "$T/replica" --save '' --dir "$T" \
    --replicaof 127.0.0.1 1 >>log 2>&1 &
replica=$!
wait_for redis-cli -s "$T/replica" ping
run retry-redis-budget --socket="$T/replica" --key=a --tokens=25 --rate=0
is 'a replica allows the retry' "$code" 0
like 'a replica is told in one line' "$err" \
    '^retry-redis-budget: .*READONLY.*; the retry is allowed$'
redis-cli -s "$T/replica" replicaof no one >/dev/null
run retry-redis-budget --socket="$T/replica" --key=a --tokens=25 --rate=0
is 'after a failover it has the bucket' "$code$err" 0
kill -STOP $replica
run retry-redis-budget --socket="$T/replica" --key=a
is 'a server that hangs allows the retry' "$code $err" \
    '0 retry-redis-budget: Redis does not answer; the retry is allowed'
kill -KILL $replica
wait $replica 2>/dev/null

redis config set requirepass '' >/dev/null
kill $server
wait $server
run retry-redis-budget --socket="$T/redis" --key=a --tokens=25 --rate=0
is 'while the server restarts the retry is allowed' \
    "$code $(printf '%s\n' "$err" | grep -c '; the retry is allowed$')" '0 1'
redis-server --port 0 --unixsocket "$T/redis" --save '' --dir "$T" >>log 2>&1 &
server=$!
wait_for redis ping
run retry-redis-budget --socket="$T/redis" --key=a --tokens=25 --rate=0
is 'after a restart without a copy on disk the bucket is full' "$code$err" 0
kill $server
wait $server
finish
