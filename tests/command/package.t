#!/bin/sh
#
# scripts/package, and what it makes installed and removed in a scratch root.

. lib/harness.sh

# It builds for itself, whatever build is under test: once is enough.
if [ "$TEST_BUILD" != "$(realpath "$TESTS/../build")" ]; then
	skip 'the package is made' 'it is tested with the first build'
	finish
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/retry
musl=
if ! command -v musl-gcc >/dev/null; then
	skip 'a tarball is there' 'musl-gcc is not installed'
elif ls "$cache"/musl-*/done >/dev/null 2>&1 ||
    "$TESTS/../scripts/cross" musl >/dev/null 2>&1; then
	musl=musl
else
	skip 'a tarball is there' 'scripts/cross cannot fetch its libraries'
fi
# shellcheck disable=SC2086 # or none
run "$TESTS/../scripts/package" dist deb $musl
is 'scripts/package succeeds' "$code" 0
is 'and has nothing to complain of' "$err" ''
package=$(printf '%s\n' "$out" | grep '\.deb$')
check 'a Debian package is there' test -s "$package"
check 'its sum is right' sh -c 'cd dist && sha256sum --status -c SHA256SUMS &&
	grep -qF "${1##*/}" SHA256SUMS' sh "$package"
is 'what is linked in is named, with versions and licences' \
    "$(sed -n 's/^retry-backoff_.*_.*\.deb: \([a-z]*\) [0-9][^ ]*, [A-Z].*/\1/p' \
	dist/*.sbom | xargs)" 'libbsd libev libmd'

if command -v lintian >/dev/null; then
	check 'lintian finds nothing' lintian --allow-root --pedantic \
	    --fail-on error,warning,info,pedantic "$package"
else
	skip 'lintian finds nothing' 'lintian is not installed'
fi

dpkg-deb -c "$package" | sed 's|.* \./||' >names
for name in usr/bin/retry-backoff usr/share/man/man1/retry-backoff.1.gz \
    usr/bin/retry-redis-budget usr/share/man/man1/retry-redis-budget.1.gz \
    usr/share/man/man7/retry-cookbook.7.gz \
    usr/share/bash-completion/completions/retry-backoff \
    usr/share/zsh/vendor-completions/_retry-backoff \
    usr/share/fish/vendor_completions.d/retry-backoff.fish \
    usr/share/doc/retry-backoff/copyright \
    usr/share/doc/retry-backoff/changelog.gz
do
	check "the package has $name" grep -qx "$name" names
done
unlike 'all in it is root'"'"'s' "$(dpkg-deb -c "$package")" \
    '^[^ ]+ +([^r]|r[^o]).* '

# scratch ARGUMENT...: dpkg on a system that has nothing but what is put there.
scratch() {
	dpkg --root="$T/root" --force-not-root --force-depends \
	    --log="$T/root/log" "$@"
}

# other_package: Debian's retry, or, without a network, its likeness.
other_package() {
	if (mkdir apt && cd apt && apt-get -q download retry) >/dev/null 2>&1
	then
		mv apt/retry_*.deb other.deb
		return
	fi
	note 'apt-get cannot fetch the retry of Debian: another is made'
	mkdir -p other/DEBIAN other/usr/bin other/usr/share/man/man1
	cat >other/DEBIAN/control <<-'END'
	Package: retry
	Version: 1.0.5-3
	Architecture: all
	Maintainer: Nobody <nobody@example.org>
	Description: what Debian calls retry
	END
	printf '#!/bin/sh\nprintf "other "; shift; exec "$@"\n' \
	    >other/usr/bin/retry
	chmod +x other/usr/bin/retry
	: >other/usr/share/man/man1/retry.1.gz
	dpkg-deb --root-owner-group -b other other.deb >/dev/null
}

if [ "$(id -u)" -eq 0 ]; then
	mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates
	: >root/var/lib/dpkg/status
	other_package
	check 'beside the retry of Debian' scratch -i other.deb
	check 'which is installed, the package can be installed' \
	    scratch -i "$package"
	is 'and both are whole' "$(scratch -V retry retry-backoff 2>&1)" ''
	like 'and the other runs' "$("$T/root/usr/bin/retry" -t 1 echo runs)" \
	    'runs$'
	unlike 'and is the other' "$("$T/root/usr/bin/retry" -h 2>&1)" backoff
	run "$T/root/usr/bin/retry-backoff" -a 2 -d 0 sh -c \
	    'test "$RETRY_ATTEMPT" -eq 2'
	is 'and ours runs' "$code" 0
	like 'by its own name' "$err" '^retry-backoff: sh: attempt 1/2 exited 1'
	check 'it can be removed' scratch -r retry-backoff
	is 'and nothing of it is left' \
	    "$(find root/usr ! -type d | grep -E 'backoff|redis|cookbook')" ''
	check 'but the other is' test -x root/usr/bin/retry
else
	skip 'it can be installed and removed' 'only root can give files to root'
fi

dpkg-deb -x "$package" extracted
program=extracted/usr/bin/retry-backoff
is 'the packaged program runs' "$($program echo it runs)" 'it runs'
is 'it has its own name' "$($program --version)" \
    "$("$RETRY" --version | sed 's/retry/retry-backoff/')"
like 'and tells it to who errs' "$($program --nosuch 2>&1)" \
    '^retry-backoff: .*\(try .retry-backoff --help.\)$'
like 'or looks for an example' "$($program --help=examples)" \
    '\| retry-backoff --stdin=replay'
unlike 'and no other' "$($program --help; $program --help=examples)" \
    '(^|[^-])retry (-|[a-z]*sh )|man retry,'

like 'so does the gate that asks Redis' \
    "$(extracted/usr/bin/retry-redis-budget --help)" \
    "^usage: retry-backoff --before-retry='retry-redis-budget "

# Commands, which have options or quotes, and not the word.
: >left
for name in extracted/usr/share/man/man*/*.gz; do
	gzip -dc "$name" >page
	check "$name can be read" mandoc -T lint -W warning page
	mandoc -T ascii page | col -bx >>text
done
is 'the manuals have its name in all commands' \
    "$(grep -E "(^|[^-[:alnum:]])retry (-|(ba)?sh |curl -)" text)" ''
check 'and in their links' grep -q 'retry-backoff(1)' text
is 'which lead to no other' "$(grep -E '(^|[^-])retry\(1\)' text)" ''

if [ -z "$musl" ]; then
	finish
fi

tarball=$(ls dist/*amd64.tar.gz)
check 'a tarball is there' test -s "$tarball"
check 'and its sum' grep -qF "${tarball##*/}" dist/SHA256SUMS
is 'and all that is linked in' \
    "$(sed -n 's/^retry-.*\.gz: \([a-z]*\) [0-9][^ ]*, [A-Z].*/\1/p' \
	dist/*.sbom | xargs)" 'libbsd libev libgcc libmd musl'
mkdir unpacked
tar -C unpacked --strip-components=1 -xzf "$tarball"
program=unpacked/bin/retry
headers=$(readelf -lh "$program")
unlike 'its program is static' "$headers" INTERP
like 'and may be loaded anywhere' "$headers" 'Type: +DYN'
check 'and is small' test "$(stat -c %s "$program")" -lt 400000
is 'and runs' "$("$program" echo it runs)" 'it runs'
for name in LICENSE LICENSES README.md share/man/man1/retry.1 \
    share/man/man1/retry-redis-budget.1 share/man/man7/retry-cookbook.7; do
	check "the tarball has $name" test -s "unpacked/$name"
done
check 'and the licence of musl' grep -q '^Parts of musl' unpacked/LICENSES

finish
