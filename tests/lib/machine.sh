# shellcheck shell=sh
#
# Sourced after harness.sh by tests that need a system of their own: $machine is
# its root, with an /etc of its own and the /usr of this system. It changes
# nothing outside of $T, and has no network. Where there can be no such system
# the test ends, and its promises are skipped.
#
#	machine_make 'systemd runs a unit'
#	echo '...' >"$machine/etc/systemd/system/..."
#	machine_start --boot
#	inside systemctl ...
#
# or, with recipes of the cookbook, after stubs.sh:
#
#	machine_units
#	recipe 'A service' backup 'exit 7' RestartSec=100ms
#	machine_boot
#	start backup

# SPDX-License-Identifier: MIT

machine=$T/machine
machine_usr=$T/usr

# machine_lacks WHAT: skips all promises, since this is lacking.
machine_lacks() {
	skip "$machine_promises" "$1"
	finish
}

# machine_make PROMISES: makes its files; those in $machine_usr are in its /usr.
machine_make() {
	machine_promises=$1
	[ "$(id -u)" -eq 0 ] || machine_lacks 'root is needed'
	have "$machine_promises" nsenter systemd-nspawn || finish
	umask 022
	mkdir -p "$machine_usr/bin" "$machine_usr/sbin" "$machine/usr/lib" \
	    "$machine/etc" "$machine/root" "$machine/var/log/journal"
	cp /usr/lib/os-release "$machine/usr/lib"
	for machine_link in bin sbin lib lib32 lib64; do
		[ ! -e "/usr/$machine_link" ] ||
		    ln -s "usr/$machine_link" "$machine/$machine_link"
	done
	ln -s ../run "$machine/var/run"
	tr -d - </proc/sys/kernel/random/uuid >"$machine/etc/machine-id"
	echo 'root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin' \
	    >"$machine/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$machine/etc/group"
	printf 'passwd: files systemd\ngroup: files systemd\n' \
	    >"$machine/etc/nsswitch.conf"
	cp "$RETRY" "$machine_usr/bin/retry"
}

# machine_start WORD...: starts it with these words for systemd-nspawn. Its
# processes are in a group of their own, in a hierarchy that is mounted for them
# alone.
machine_start() {
	machine_name=retry-test-$$
	unshare --mount sh -c '
		group=/sys/fs/cgroup/$1
		mount -t cgroup2 none /sys/fs/cgroup &&
		mkdir -p "$group" && echo $$ >"$group/cgroup.procs" || exit
		shift
		SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 exec systemd-nspawn "$@"
	' sh "$machine_name" --quiet --keep-unit --register=no \
	    --console=pipe --private-network --machine="$machine_name" \
	    --directory="$machine" --overlay="/usr:$machine_usr:/usr" \
	    "$@" >"$T/machine.log" 2>&1 &
	machine_outside=$!
	trap 'machine_stop; tap_clean_up' EXIT
	machine_polls=0
	until machine_first=$(pgrep -P "$machine_outside") &&
	    grep -q '^NSpid:.*	1$' "/proc/$machine_first/status" &&
	    inside test -e /etc/machine-id; do
		machine_polls=$((machine_polls + 1))
		if ! kill -0 "$machine_outside" ||
		    [ "$machine_polls" -ge 500 ]; then
			machine_lacks "systemd-nspawn cannot start: $(
			    head -n 1 "$T/machine.log")"
		fi
		sleep 0.02
	done 2>/dev/null
}

# inside COMMAND...: in the system.
inside() {
	nsenter --target "$machine_first" --all --root --wd "$@"
}

# machine_stop: ends it at once, however the test ends; passes its status on.
machine_stop() {
	machine_status=$?
	[ -z "$machine_first" ] || kill -KILL "$machine_first"
	kill "$machine_outside"
	wait "$machine_outside"
	unshare --mount sh -c '
		mount -t cgroup2 none /sys/fs/cgroup || exit
		for i in $(seq 100); do
			[ -d "/sys/fs/cgroup/$1" ] || exit
			find "/sys/fs/cgroup/$1" -depth -type d -delete
			sleep 0.02
		done' sh "$machine_name"
	return "$machine_status"
} 2>/dev/null

# machine_units: prepares for units, and for recipes of the cookbook.
machine_units() {
	recipes
	units=$machine/etc/systemd/system
	mkdir -p "$units/service.d"

	# What units run: /root/UNIT, with the number of the call in $CALL. A sanitizer's
	# look for leaks needs what is forbidden to some units; and it hangs if a SIGCONT
	# arrives meanwhile, which systemd sends right behind SIGTERM.
	printf '[Service]\nEnvironment=UNIT=%%N ASAN_OPTIONS=detect_leaks=0\n' \
	    >"$units/service.d/unit.conf"
	cat >"$machine_usr/bin/collector" <<'END_COLLECTOR'
#!/bin/sh
echo call >>"/root/$UNIT.calls"
CALL=$(wc -l <"/root/$UNIT.calls")
. "/root/$UNIT"
END_COLLECTOR
	chmod +x "$machine_usr/bin/collector"
}

# unit NAME SCRIPT [LINE...]: a service of these lines, beside those of the
# cookbook that were put there before.
unit() {
	unit_file=$units/$1.service
	printf '%s\n' "$2" >"$machine/root/$1"
	shift 2
	[ $# -eq 0 ] || printf '%s\n' '[Service]' "$@" >>"$unit_file"
}

# recipe HEADING NAME SCRIPT [LINE...]: the same, after those of the cookbook.
recipe() {
	sed 's|/usr/local/bin/|/usr/bin/|' "recipes/$1" \
	    >"$units/$2.service"
	shift
	unit "$@"
}

# machine_boot: starts its systemd.
machine_boot() {
	machine_start --boot systemd.unit=basic.target
	wait_for inside systemctl is-active basic.target
}

# show UNIT PROPERTY: its value.
show() {
	inside systemctl show --property="$2" --value "$1.service"
}

# shows UNIT PROPERTY WORD: it has this value.
shows() {
	[ "$(show "$1" "$2")" = "$3" ]
}

# journal UNIT [OPTION...]: what is in its journal.
journal() {
	journal_unit=$1
	shift
	inside journalctl --quiet --sync
	inside journalctl --quiet --no-hostname --output=cat \
	    --unit="$journal_unit" "$@"
}

# said UNIT ERE: its journal says so by now.
said() {
	journal "$1" | grep -Eq "$2"
}

start() {
	inside systemctl start --no-block "$@"
}

# hurried UNIT COMMAND...: it succeeds; if not, a wait is cut short.
hurried() {
	hurried_unit=$1
	shift
	"$@" || {
		inside systemctl kill --kill-whom=main --signal=URG \
		    "$hurried_unit"
		return 1
	}
}
