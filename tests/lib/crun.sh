# shellcheck shell=sh
#
# Sourced after harness.sh by tests of containers, which crun runs from the files
# in $T/image. Where there can be none the test ends, and its promises are skipped.
#
#	crun_start 'retry runs in containers' jq busybox
#	mkdir image
#	inside /retry -a 2 /bin/false
#	is 'a status is passed on' "$code" 1

# SPDX-License-Identifier: MIT

# crun_lacks WHY: skips all promises.
crun_lacks() {
	skip "$crun_promises" "$1"
	finish
}

# crun_start PROMISES PROGRAM...: these programs are needed, too.
crun_start() {
	crun_promises=$1
	shift
	[ "$(id -u)" -eq 0 ] || crun_lacks 'root is needed'
	have "$crun_promises" crun jq "$@" || finish
	unshare --mount true 2>/dev/null ||
	    crun_lacks 'no namespace can be made'
	mkdir bundle
	(cd bundle && crun spec)
}

# container CHANGE WORD...: describes a container that runs these words, which
# the change, for jq, is made to.
container() {
	crun_change=$1
	shift
	jq "del(.linux.resources) | .root = {path: \"$T/image\", readonly: true}
	    | .process.terminal = false | .process.args = \$ARGS.positional
	    | .mounts |= map(select(.type == \"proc\" or
		.destination == \"/dev\")) | $crun_change" \
	    bundle/config.json --args -- "$@" >config.json
}

# in_crun WORD...: crun, where it finds groups of the only kind it knows.
in_crun() {
	unshare --mount sh -c 'mount -t cgroup2 none /sys/fs/cgroup &&
		exec crun --cgroup-manager=disabled --root="$T/crun" "$@"
		' sh "$@"
}

# inside WORD...: runs these words in a container.
inside() {
	container . "$@"
	run in_crun run test
}

# With this change a container may write in /run, which is $T/run, if there is one
# in its image.
# shellcheck disable=SC2034 # it is for the caller
crun_may_write=".mounts += [{destination: \"/run\", type: \"none\",
    source: \"$T/run\", options: [\"bind\", \"rw\"]}]"

# starts FILE: starts the container that was described, until the file is in /run.
starts() {
	mkdir -p run
	rm -f run/*
	in_crun run test >out 2>err &
	wait_for test -e "run/$1"
}

# signalled SIGNAL: sends it to process 1.
signalled() {
	crun --root="$T/crun" kill test "$1" 2>/dev/null
}
