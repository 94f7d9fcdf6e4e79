# shellcheck shell=sh disable=SC2034
#
# Sourced by run and test, in the top directory of the source: what a build
# and the tests need, how to get it, and how to build. Nothing here writes to
# stdout or reads stdin; what a program says is shown only if it fails.

build_packages='
	gcc libbsd-dev libc6-dev libev-dev libmd-dev meson ninja-build
	pkg-config'

# Add a word here for what a test needs.
test_packages='
	bash bash-completion binutils clang clang-format clang-tidy cppcheck
	curl dpkg-dev expect fish gcovr git jq libclang-rt-14-dev libxml2-utils
	lintian make mandoc musl-tools parallel procps python3 redis-server
	redis-tools shellcheck strace systemd tmux util-linux valgrind wget yamllint zsh'

# What tests of real systems need, which are skipped without.
system_packages='
	buildah busybox-static cron crun libnss-systemd rpm rpmlint
	systemd-container'

# What scripts/package needs beside the first.
package_packages='dpkg dpkg-dev gzip tar'

# What scripts/image needs.
image_packages='buildah gzip tar'

# What scripts/kernel needs beside what scripts/cross does.
kernel_packages='cpio dpkg-dev qemu-system-arm tar'

# describe_release: sets $version, and the time of all files of a release.
describe_release() {
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
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

# install_missing PACKAGE...: asks dpkg, and apt-get only if one is missing.
install_missing() {
	command -v dpkg-query >/dev/null || return 0
	installed=$(dpkg-query -W -f ' ${Package}:${db:Status-Status} ' "$@" \
	    2>/dev/null)
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
	# shellcheck disable=SC2086 # words are meant
	quietly $as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 sh -c '
		apt-get -q update
		apt-get -qy -o DPkg::Lock::Timeout=120 \
		    --no-install-recommends install "$@"' sh $missing
}

# configure DIR COMPILER [MESON-OPTION...]: later calls may add options.
configure() {
	dir=$1 compiler=$2
	shift 2
	if [ ! -f "$dir/build.ninja" ]; then
		quietly env CC="$compiler" meson setup "$@" "$dir"
	elif [ $# -gt 0 ]; then
		quietly meson configure "$@" "$dir"
	fi
}

# build DIR [TARGET...]
build() {
	quietly ninja -C "$@"
}
