# shellcheck shell=sh disable=SC2034
#
# Sourced by run and test, in the top directory of the source: what a build
# and the tests need, how to get it, and how to build. Nothing here writes to
# stdout or reads stdin; the output of a program is shown only if it fails.

# SPDX-License-Identifier: MIT

build_packages='
	gcc libbsd-dev libc6-dev libev-dev libmd-dev mandoc meson ninja-build
	pkg-config'

# Add a word here for what a test needs.
test_packages='
	bash bash-completion binutils busybox-static clang clang-format clang-tidy cmark-gfm cppcheck
	etcd-client etcd-server
	curl dpkg-dev expect fish gcovr git jq libclang-rt-dev libxml2-utils
	lintian make minisign musl-tools parallel procps python3 redis-server
	python3-jsonschema python3-license-expression
	redis-tools shellcheck strace systemd tmux util-linux valgrind wget yamllint zsh'

# What tests of real systems need, which are skipped without.
system_packages='
	buildah cron crun libnss-systemd rpm rpmlint
	systemd-container'

# What scripts/package needs beside the first.
package_packages='
	build-essential debhelper dpkg dpkg-dev fakeroot git gzip minisign
	python3 tar xz-utils'

# What scripts/image needs.
image_packages='buildah gzip tar'

# What scripts/kernel needs beside what scripts/cross does.
kernel_packages='cpio dpkg-dev qemu-system-arm tar'

# What scripts/fresh needs.
fresh_packages='git mmdebstrap python3 systemd-container tar'

# describe_release: sets $version, the commit, and the time of all files of a release.
describe_release() {
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
	revision=$(git describe --always --abbrev=40 --dirty --exclude='*' \
	    2>/dev/null || echo unknown)
	: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null ||
	    stat -c %Y meson.build)}"
	export SOURCE_DATE_EPOCH
}

# quietly COMMAND...
quietly() {
	quiet_output=$("$@" 2>&1 </dev/null) && return
	printf '%s\n' "$quiet_output" >&2
	return 1
}

# skipped_at_exit: until `trap - EXIT`, a script that ends skips its work, and says so.
skipped_at_exit() {
	trap 'echo "$0: skipped, since something cannot be installed" >&2; exit 77' EXIT
}

# install_missing PACKAGE...: asks dpkg, and apt-get only if one is missing.
install_missing() {
	command -v dpkg-query >/dev/null || return 0
	# It fails if it has never heard of one of them.
	installed=$(dpkg-query -W -f ' ${Package}:${db:Status-Status} ' "$@" \
	    2>/dev/null) || :
	missing=
	for package; do
		case $installed in
		*" $package:installed "*) ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0

	echo "$0: installing$missing" >&2
	as_root=
	[ "$(id -u)" -eq 0 ] || as_root=sudo
	# RUNLEVEL: what is installed for the tests is not to start as a service.
	# Two at a time wait for each other, for which apt-get update has no option.
	# shellcheck disable=SC2086 # words are meant
	quietly flock scripts $as_root env DEBIAN_FRONTEND=noninteractive \
	    RUNLEVEL=1 sh -c '
		apt-get -q update
		apt-get -qy -o DPkg::Lock::Timeout=120 \
		    --no-install-recommends install "$@"' sh $missing
}

# The name of this system's version, on which depends which packages apt has.
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-${VERSION_ID:-}}")

# apt_sources DIR TYPE: copies into DIR where apt has Debian's packages from, be it a
# mirror, with its keys: for each architecture, and with `deb` or `deb-src` as TYPE.
# On a system whose packages are not Debian's these are all that apt has.
apt_sources() {
	mkdir -p "$1"
	entries=$(apt-get indextargets --format '$(ORIGIN):$(SOURCESENTRY)' \
	    'Created-By: Packages')
	entries=$(printf '%s\n' "$entries" | grep '^Debian:' ||
	    printf '%s\n' "$entries")
	for list in $(printf '%s\n' "$entries" | cut -d: -f2 | sort -u); do
		case $list in
		*.sources)
			sed "s/^Types:.*/Types: $2/; /^Architectures:/d" "$list" ;;
		*)
			sed -nE "s/ *arch=[^] ]*//; s/\[ +/[/; s/\[\]//
			    s/^deb(-src)? +/$2 /p" "$list" | sort -u ;;
		esac >"$1/${list##*/}"
	done
}

# configure DIR COMPILER [MESON-OPTION...]: later calls may add options.
configure() {
	dir=$1 compiler=$2
	shift 2
	if [ ! -f "$dir/build.ninja" ]; then
		quietly env CC="$compiler" meson setup "$@" "$dir"
	elif [ $# -gt 0 ]; then
		# A build that is older than an option has to look again first.
		meson configure "$@" "$dir" >/dev/null 2>&1 </dev/null ||
		    quietly meson setup --reconfigure "$@" "$dir"
	fi
}

# build DIR [TARGET...]
build() {
	quietly ninja -C "$@"
}
