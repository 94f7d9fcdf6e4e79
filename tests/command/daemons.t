#!/bin/sh
#
# Real daemons behind the cookbook's units, in a systemd of their own: each of them
# through each event.
#
# shellcheck disable=SC2016,SC2154 # other shells expand it; eval sets it

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"
# shellcheck source=tests/lib/machine.sh
. "$TESTS/lib/machine.sh"

machine_make 'real daemons behind retry'
machine_units
PATH=$PATH:/usr/sbin:$(echo /usr/lib/postgresql/*/bin)
php=$(cd /usr/sbin && ls php-fpm[0-9]* 2>/dev/null)

# daemon NAME PORT CLIENT SAFE PROGRAM ARGUMENTS [LINE...]: CLIENT is "http", which
# has a request in flight when the daemon stops, or "idle"; SAFE are the signals that
# it takes at any time. It starts slowly, and not at all while there is NAME.broken.
daemons=
daemon() {
	name=$1 program=$5 arguments=$6
	have "$name" "$program" || return 0
	daemons="$daemons $name"
	eval "port_$name=\$2 client_$name=\$3 safe_$name=\$4"
	shift 6
	heading='A daemon that says when it is ready'
	[ "$name" != nginx ] ||
	    heading='A program that cannot say when it is ready'
	recipe "$heading" "$name" "[ ! -e /root/$name.broken ] || exit 9
	    sleep 1; exec $(command -v "$program") $arguments" "$@"
}
quits='KillSignal=SIGQUIT SuccessExitStatus=SIGQUIT'
# shellcheck disable=SC2086 # words are meant
{
	daemon haproxy 7001 http '' haproxy '-Ws -f /root/haproxy.cfg' \
	    KillSignal=SIGUSR1 SuccessExitStatus=SIGUSR1 ExecReload= \
	    'ExecReload=kill -USR2 $MAINPID'
	daemon nginx 80 http USR1 nginx '-c /root/nginx.conf -g "daemon off;"' \
	    $quits
	daemon php 7003 idle USR1 "${php:-php-fpm}" '-y /root/php.conf --nodaemonize' \
	    $quits ExecReload= 'ExecReload=kill -USR2 $MAINPID'
	daemon redis 7004 idle '' redis-server \
	    '--port 7004 --supervised systemd --daemonize no --dir /tmp'
	daemon postgres 7005 idle USR1 postgres \
	    '-D /root/pg -h 127.0.0.1 -p 7005 -c unix_socket_directories=' User=nobody \
	    KillSignal=SIGINT
}
[ ! -e "$units/haproxy.service" ] ||
    sed -i 's/retry -a/retry -s USR1 -a/' "$units/haproxy.service"
chmod 755 "$machine/root"
mkdir -p "$machine/var/lib/nginx" "$machine/var/log/nginx"
echo 'global
	stats socket /run/haproxy.sock
defaults
	mode http
	timeout client 60s
	timeout server 60s
	timeout connect 5s
frontend front
	bind 127.0.0.1:7001
	default_backend back
backend back
	server slow 127.0.0.1:7000' >"$machine/root/haproxy.cfg"
echo 'user root; pid /run/nginx.pid; error_log stderr; events { }
http { access_log off; server {
	listen 127.0.0.1:80;
	location /health { return 200; }
	location / { proxy_pass http://127.0.0.1:7000; }
} }' >"$machine/root/nginx.conf"
echo '[global]
error_log = /tmp/php.log
[pool]
user = nobody
listen = 127.0.0.1:7003
pm = static
pm.max_children = 2' >"$machine/root/php.conf"
# Who answers a request only after a second.
cat >"$machine/root/slow.py" <<'END_SLOW'
import http.server, pathlib, time
class Slow(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        pathlib.Path('/root/asked').touch()
        time.sleep(1)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'whole')
http.server.ThreadingHTTPServer(('127.0.0.1', 7000), Slow).serve_forever()
END_SLOW
unit slow '' 'ExecStart=/usr/bin/python3 /root/slow.py'
unit alert '' Type=exec \
    "ExecStart=/usr/bin/retry -a 1 -t 2s --on-give-up='exec sleep 100d' false"
machine_boot
start slow alert
# Its user notes its calls, too.
[ ! -e "$units/postgres.service" ] || {
	inside install -d -m 700 -o nobody /root/pg
	inside install -o nobody /dev/null /root/postgres.calls
	inside setpriv --reuid 65534 --clear-groups "$(command -v initdb)" \
	    -D /root/pg -A trust -N >log 2>&1 || tail -n 5 log
}

# serves NAME: somebody is served at its port, and its unit has not failed.
serves() {
	eval "port=\$port_$1"
	inside bash -c "exec 3<>/dev/tcp/127.0.0.1/$port" &&
	    shows "$1" ActiveState active
}
state() {
	echo "$(show "$1" ActiveState) $(show "$1" NRestarts)"
}
# client NAME: connects, and asks for something that takes a while, or for nothing.
client() {
	eval "port=\$port_$1 kind=\$client_$1"
	rm -f "$machine/root/asked"
	inside bash -c "exec 3<>/dev/tcp/127.0.0.1/$port
		if [ $kind = http ]; then
			printf 'GET / HTTP/1.0\r\n\r\n' >&3
		else
			: >/root/asked
		fi
		exec cat <&3" >"$1.reply" 2>/dev/null &
	wait_for test -e "$machine/root/asked"
}
kill_attempt() {
	inside pkill -KILL -P "$(show "$1" MainPID)"
}

for name in $daemons; do
	eval "client=\$client_$name safe=\$safe_$name"
	start "$name"
	wait_for serves "$name"
	is "$name starts slowly" "$(state "$name")" 'active 0'
	main=$(show "$name" MainPID)
	kill_attempt "$name"
	wait_for said "$name" 'attempt 1.* killed by SIGKILL'
	wait_for hurried "$name" serves "$name"
	is "$name is killed, and comes back" "$(state "$name")" 'active 0'
	check "$name is reloaded" inside systemctl reload "$name"
	for signal in $safe; do
		inside systemctl kill --kill-whom=main --signal="$signal" "$name"
	done
	wait_for serves "$name"
	is "$name is reloaded, and its logs are rotated" \
	    "$(state "$name") $(show "$name" MainPID)" "active 0 $main"

	: >"$machine/root/$name.broken"
	kill_attempt "$name"
	wait_for said "$name" 'exited 9'
	check "$name is reloaded while it crashes" inside systemctl reload "$name"
	for signal in $safe; do
		inside systemctl kill --signal="$signal" "$name"
	done
	is "$name crashes, and its unit stays" "$(state "$name")" 'active 0'
	rm "$machine/root/$name.broken"
	wait_for hurried "$name" serves "$name"
	is "$name crashes in a loop, and comes back" \
	    "$(state "$name") $(show "$name" MainPID)" "active 0 $main"

	client "$name"
	pid=$!
	inside systemctl stop "$name"
	is "$name is stopped beside a client" \
	    "$(show "$name" Result) $(show "$name" ActiveState)" 'success inactive'
	[ "$client" != http ] || {
		wait $pid
		is "$name answers the request in flight" \
		    "$(tail -c 5 "$name.reply")" whole
	}
done
wait_for said alert 'on-give-up timed out'
is 'an alert that hangs ends' "$(show alert ActiveState)" failed
unlike 'nothing was refused' "$(inside journalctl --quiet --output=cat)" \
    'reception only permitted|Got notification message'
finish
