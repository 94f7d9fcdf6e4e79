#!/bin/sh
#
# One at a time in a fleet, with the locks of etcd, as retry-fleet(7) shows it.

# SPDX-License-Identifier: MIT

. lib/harness.sh

have 'one at a time in a fleet' etcd etcdctl || finish

# The system chooses no port for etcd: two that belong to this process.
port=$((20000 + $$ % 10000))
etcd --data-dir data --listen-client-urls http://127.0.0.1:$port \
    --advertise-client-urls http://127.0.0.1:$port \
    --listen-peer-urls http://127.0.0.1:$((port + 10000)) \
    --initial-advertise-peer-urls http://127.0.0.1:$((port + 10000)) \
    --initial-cluster default=http://127.0.0.1:$((port + 10000)) >log 2>&1 &
server=$!
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=http://127.0.0.1:$port
# shellcheck disable=SC2317 # wait_for calls it
answers() {
	etcdctl get any >/dev/null 2>&1
}
wait_for answers

# alone: notes a fault if another one runs; its first attempt fails.
cat >alone <<'END'
#!/bin/sh
mkdir running 2>/dev/null || echo fault >>faults
echo >>made
sleep .02
rmdir running
[ "$RETRY_ATTEMPT" != 1 ]
END
chmod +x alone
: >faults
seq 5 | xargs -P 5 -I {} etcdctl lock whole -- "$RETRY" -q -d 1ms ./alone \
    >/dev/null 2>said
is 'with the lock around retry each machine is alone' \
    "$(wc -l <made) $(cat faults)" '10 '
rm made
seq 5 | xargs -P 5 -I {} "$RETRY" -q -d 1ms etcdctl lock each -- ./alone \
    >/dev/null 2>said
is 'with the lock around an attempt each attempt is alone' \
    "$(wc -l <made) $(cat faults)" '10 '

kill $server
wait $server 2>/dev/null

finish
