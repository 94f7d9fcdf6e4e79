#!/bin/sh
#
# scripts/package, and what it makes installed and removed in a scratch root.

. lib/harness.sh

# It builds for itself, whatever build is under test: once is enough.
if [ "$TEST_BUILD" != "$(realpath "$TESTS/../build")" ]; then
	skip 'the package is made' 'it is tested with the first build'
	finish
fi

run "$TESTS/../scripts/package" dist
is 'scripts/package succeeds' "$code" 0
is 'and has nothing to complain of' "$err" ''
package=$(printf '%s\n' "$out" | grep '\.deb$')
tarball=$(printf '%s\n' "$out" | grep '\.tar\.gz$')
check 'a Debian package is there' test -s "$package"
check 'a tarball is there' test -s "$tarball"

check 'the sums of both are right' sh -c '
	cd dist && sha256sum --status -c SHA256SUMS &&
	grep -qF "${1##*/}" SHA256SUMS && grep -qF "${2##*/}" SHA256SUMS' \
    sh "$package" "$tarball"
is 'what is linked in is named, with versions and licences' \
    "$(grep -cE '^retry-[^ ]+: (libev|libbsd|libmd|libc6) [0-9][^ ]*, [A-Z]' \
	dist/*.sbom)" 4

if command -v lintian >/dev/null; then
	check 'lintian finds no error' \
	    lintian --allow-root --fail-on error "$package"
else
	skip 'lintian finds no error' 'lintian is not installed'
fi

dpkg-deb -c "$package" | sed 's|.* \./||' >names
for name in usr/bin/retry usr/share/man/man1/retry.1.gz \
    usr/bin/retry-redis-budget usr/share/man/man1/retry-redis-budget.1.gz \
    usr/share/man/man7/retry-cookbook.7.gz \
    usr/share/bash-completion/completions/retry \
    usr/share/zsh/vendor-completions/_retry \
    usr/share/fish/vendor_completions.d/retry.fish \
    usr/share/doc/retry-backoff/copyright \
    usr/share/doc/retry-backoff/changelog.gz
do
	check "the package has $name" grep -qx "$name" names
done
unlike 'all in it is root'"'"'s' "$(dpkg-deb -c "$package")" \
    '^[^ ]+ +([^r]|r[^o]).* '
like 'it conflicts with the retry of Debian' \
    "$(dpkg-deb -f "$package" Conflicts)" '^retry$'

# scratch ARGUMENT...: dpkg on a system that has nothing but what is put there.
scratch() {
	dpkg --root="$T/root" --force-not-root --force-depends \
	    --log="$T/root/log" "$@"
}

# Prepares that system, and a package like Debian's own retry.
prepare() {
	mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates \
	    other/DEBIAN other/usr/bin
	: >root/var/lib/dpkg/status
	cat >other/DEBIAN/control <<-'END'
	Package: retry
	Version: 1.0.5-3
	Architecture: all
	Maintainer: Nobody <nobody@example.org>
	Description: what Debian calls retry
	END
	echo other >other/usr/bin/retry
	dpkg-deb --root-owner-group -b other other.deb >/dev/null
}

if [ "$(id -u)" -eq 0 ]; then
	prepare
	check 'where the retry of Debian is installed' scratch -i other.deb
	check 'the package can be installed' scratch -i "$package"
	is 'and takes its place' "$("$T/root/usr/bin/retry" --version)" \
	    "$("$RETRY" --version)"
	like 'which is then gone' "$(scratch -s retry 2>&1)" \
	    'deinstall|not installed'
	check 'it can be removed' scratch -r retry-backoff
	is 'and nothing of it is left' "$(find root/usr -type f)" ''
else
	skip 'it can be installed and removed' 'only root can give files to root'
fi

dpkg-deb -x "$package" extracted
is 'the packaged program runs' "$(extracted/usr/bin/retry echo it runs)" \
    'it runs'
check 'the manual can be read' sh -c \
    'gzip -dc extracted/usr/share/man/man1/retry.1.gz | mandoc -T lint -W warning'

mkdir unpacked
tar -C unpacked --strip-components=1 -xzf "$tarball"
unlike 'the program of the tarball is static' \
    "$(readelf -l unpacked/bin/retry)" INTERP
is 'and runs' "$(unpacked/bin/retry echo it runs)" 'it runs'
for name in LICENSE LICENSES README.md share/man/man1/retry.1 \
    share/man/man1/retry-redis-budget.1 share/man/man7/retry-cookbook.7; do
	check "the tarball has $name" test -s "unpacked/$name"
done

finish
