#!/bin/sh
#
# scripts/package, and what it makes installed and removed in a scratch root.

# SPDX-License-Identifier: MIT

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
# Words of sed, of which none is meant.
export DEBFULLNAME='A & B|C' DEBEMAIL=releaser@example.org \
    RETRY_URL='https://example.org/retry?a&b'
# shellcheck disable=SC2086 # or none
run "$TESTS/../scripts/package" dist debian deb $musl
is 'scripts/package succeeds' "$code" 0
is 'scripts/package succeeds, and has nothing to complain of' \
    "$(printf '%s\n' "$err" | grep -v ': installing ')" ''
package=$(printf '%s\n' "$out" | grep '\.deb$')
check 'a Debian package is there' test -s "$package"
check 'the sum of the Debian package is right' sh -c 'cd dist && sha256sum --status -c SHA256SUMS &&
	grep -qF "${1##*/}" SHA256SUMS' sh "$package"
is 'the Debian package is from who is named' \
    "$(dpkg-deb -f "$package" Maintainer Homepage)" \
    "Maintainer: $DEBFULLNAME <$DEBEMAIL>
Homepage: $RETRY_URL"
# changes FOLDER: Debian's, of the last version.
changes() {
	tar -xJf "$1"/*.debian.tar.xz -O debian/changelog | sed -n 3p
}
like 'the changes close no bug that nobody has named' "$(changes dist)" 'NEWS\.md\.$'
# What uscan(1) asks for: a tag, as scripts/release makes one.
watched=$(tar -xJf dist/*.debian.tar.xz -O debian/watch | sed -n '$s/.* //p')
check 'new versions are found' perl -e '$ARGV[0] =~ /^$ARGV[1]$/ or exit 1' \
    "refs/tags/v$(sed -n "s/^  version: '\(.*\)',/\1/p" "$TESTS/../meson.build")" \
    "$watched"
like 'new versions are found, and scripts/release makes such a tag' \
    "$(cat "$TESTS/../scripts/release")" 'git tag -a "v\$version"'
is 'the repository is named' "$(tar -xJf dist/*.debian.tar.xz -O \
    debian/upstream/metadata | sed -n 's/^Repository: //p')" "$RETRY_URL"
run env RETRY_URL= "$TESTS/../scripts/package" pageless debian
is 'a package can be made without a page' "$code" 0
is 'a package without a page names none' "$(tar -xJf pageless/*.debian.tar.xz -O |
    grep -E '@URL@|^(Homepage|Repository|Bug-[^:]*|https?):')" ''
RETRY_ITP=1000000 run "$TESTS/../scripts/package" closing debian deb
is 'a package can be made for a first upload' "$code" 0
like 'a first upload closes the bug that is named' "$(changes closing)" 'NEWS\.md\. \(Closes: #1000000\)$'

# content NAME FILE...: lintian is. Debian 12's knows no newer Policy than its own.
content() {
	name=$1
	shift
	have "$name" lintian || return 0
	check "$name" lintian --allow-root --pedantic \
	    --suppress-tags newer-standards-version \
	    --fail-on error,warning,info,pedantic "$@"
}
content 'lintian is content with a first upload' closing/*.deb closing/*.dsc

# Signatures.
if have 'the sums are signed' minisign; then
	for key in ours theirs; do
		minisign -G -W -p $key.pub -s $key.key >/dev/null
	done
	RETRY_KEY=ours.key run "$TESTS/../scripts/package" signed debian
	is 'the sums are signed' "$code" 0
	check 'the sums are signed by the key' minisign -V -q -p ours.pub -m signed/SHA256SUMS
	rm ours.pub
	RETRY_KEY=ours.key run "$TESTS/../scripts/package" unsigned debian
	is 'without its public key nothing is made' "$code:$(ls unsigned 2>/dev/null)" 1:
	mv theirs.pub ours.pub
	RETRY_KEY=$T/ours.key run "$TESTS/../scripts/package" doubtful debian
	check 'a signature that the public key does not confirm is an error' \
	    test "$code" -ne 0
	like 'a signature that the public key does not confirm is an error, which is told' "$err" 'verification failed|key id|Signature key'
fi

mkdir other
touch other/retry-0.0.1-planted
run "$TESTS/../scripts/package" other debian
is 'nothing is added to files that are there' "$code $out$err" \
    "1 $TESTS/../scripts/package: $T/other is not empty, and sums are for new files alone"
list=$(echo dist/*.spdx.json)
# linked FILE: what is linked into it, by the list.
linked() {
	jq -r --arg file "${1##*/}" '
		(.packages[] | select(.packageFileName == $file)).SPDXID as $id
		| .relationships[] | select(.spdxElementId == $id and
		    .relationshipType == "STATIC_LINK").relatedSpdxElement' "$list" |
	    sed 's/^SPDXRef-Library-\([a-z]*\)-.*[0-9].*/\1/' | sort | xargs
}
is 'what is linked in is named, with versions' "$(linked "$package")" \
    'libbsd libev'
if [ "${TEST_LIBRARIES:-static}" = static ]; then
	ninja -C "$TEST_BUILD" -t commands retry | tail -n 1 |
	    sed "s|\$| -o '$T/mapped' -Wl,-Map='$T/map'|" |
	    (cd "$TEST_BUILD" && sh)
	is 'what is linked in is named, with versions, and is all that the linker takes' "$(grep -oE '/lib[a-z]+\.a\(' map |
	    sort -u | tr -d '/.(' | sed 's/a$//' |
	    grep -vxE 'libc(li|ore|_nonshared)|libgcc' | xargs)" "$(linked "$package")"
else
	skip 'what is linked in is named, with versions, and is all that the linker takes' 'libraries are shared'
fi
like 'what is linked in is named, with versions, and each file has the commit' \
    "$(jq -r '.packages[] | select(.packageFileName) | .sourceInfo' "$list" |
	sort -u)" "^git commit $(git -C "$TESTS/.." rev-parse HEAD)(-dirty)?\$"
is 'what is linked in is named, with versions, with the licences of what is taken' "$(jq -r '.packages[] |
	select(.packageFileName | not) | select(.name[:3] == "lib") |
	"\(.name): \(.licenseDeclared)"' "$list")" \
    'libbsd: BSD-2-Clause AND BSD-3-Clause AND ISC
libev: BSD-2-Clause OR GPL-2.0-or-later'
run python3 "$TESTS/lib/spdx.py" "$list" "$TEST_DATA/spdx.schema.json"
[ "$code" -ne 77 ] ||
    run /usr/bin/python3 "$TESTS/lib/spdx.py" "$list" "$TEST_DATA/spdx.schema.json"
if [ "$code" -eq 77 ]; then
	skip 'the list is what SPDX wants' "$out"
else
	is 'the list is what SPDX wants' "$code$err" 0
fi
is 'the list says who releases what, and who says so' \
    "$(jq -r '(.packages[] | select(.packageFileName) | .supplier),
	.creationInfo.creators[]' "$list" | sort -u)" \
    "Organization: $DEBFULLNAME ($DEBEMAIL)
Tool: scripts/package-$(sed -n "s/^  version: '\(.*\)',/\1/p" \
	"$TESTS/../meson.build")"
is 'the package says of which sources it has parts' \
    "$(dpkg-deb -f "$package" Static-Built-Using |
	sed 's/ (= [^)]*)//g')" 'libbsd, libev'

content 'lintian finds nothing' "$package" dist/*.dsc

dpkg-deb -c "$package" | sed 's|.* \./||' >names
for name in usr/bin/retry-backoff usr/share/man/man1/retry-backoff.1.gz \
    usr/bin/retry-redis-budget usr/share/man/man1/retry-redis-budget.1.gz \
    usr/share/man/man5/retry-log.5.gz \
    usr/share/man/man7/retry-cookbook.7.gz \
    usr/share/man/man7/retry-plan.7.gz usr/share/man/man7/retry-fleet.7.gz \
    usr/share/bash-completion/completions/retry-backoff \
    usr/share/zsh/vendor-completions/_retry-backoff \
    usr/share/fish/vendor_completions.d/retry-backoff.fish \
    usr/share/doc/retry-backoff/copyright \
    usr/share/doc/retry-backoff/changelog.Debian.gz \
    usr/share/doc/retry-backoff/NEWS.gz \
    usr/share/doc/retry-backoff/notices.gz
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
	check 'beside the retry of Debian, which is installed, the package can be installed' \
	    scratch -i "$package"
	is 'beside the retry of Debian, and both are whole' "$(scratch -V retry retry-backoff 2>&1)" ''
	like 'beside the retry of Debian, and the other runs' "$("$T/root/usr/bin/retry" -t 1 echo runs)" \
	    'runs$'
	unlike 'beside the retry of Debian, and is the other' "$("$T/root/usr/bin/retry" -h 2>&1)" backoff
	run "$T/root/usr/bin/retry-backoff" -a 2 -d 0 sh -c \
	    'test "$RETRY_ATTEMPT" -eq 2'
	is 'beside the retry of Debian, and ours runs' "$code" 0
	like 'the packaged retry uses its own name in messages' "$err" '^retry-backoff: sh: attempt 1/2 exited 1'
	check 'the package can be removed' scratch -r retry-backoff
	is 'the package leaves nothing when it is removed' \
	    "$(find root/usr ! -type d | grep -E 'backoff|redis|cookbook')" ''
	check 'the retry of Debian is left when the package is removed' test -x root/usr/bin/retry
else
	skip 'it can be installed and removed' 'only root can give files to root'
fi

dpkg-deb -x "$package" extracted
program=extracted/usr/bin/retry-backoff
is 'the packaged program runs' "$($program echo it runs)" 'it runs'
is 'the packaged program has its own name' "$($program --version)" \
    "$("$RETRY" --version | sed 's/retry/retry-backoff/')"
like 'the packaged retry names itself in errors' "$($program --nosuch 2>&1)" \
    '^retry-backoff: .*\(try .retry-backoff --help.\)$'
like 'its examples have its own name' "$($program --help=examples)" \
    'sudo retry-backoff -t 5m'
unlike 'its help and its examples have no other name' "$($program --help; $program --help=examples)" \
    '(^|[^-])retry (-|[a-z]*sh )|man retry,'
is 'each topic of its help fits 80 columns' "$($program --help=topics |
    sed 's/ *--help=\([^ ]*\).*/\1/' | while read -r topic; do
	$program --help="$topic"
done | grep -E '.{81}')" ''

unlike 'its recipes do not tell how to install it' \
    "$(for place in shell cron systemd; do $program --help=$place; done)" 'clone|/usr/local'
like 'the help of retry-redis-budget has its name' \
    "$(extracted/usr/bin/retry-redis-budget --help)" \
    "^usage: retry-backoff --before-retry='retry-redis-budget "

# Commands, which have options or quotes; images and runners have the short name.
: >left
for name in extracted/usr/share/man/man*/*.gz; do
	gzip -dc "$name" >page
	check "$name can be read" mandoc -T lint -W error page
	mandoc -T ascii page | col -bx >>text
done
is 'the manuals have its name in all commands' \
    "$(sed '/^CI$/,/^CRON$/d; /^DOCKER$/,/^MANY AT ONCE$/d' text |
	grep -E "(^|[^-[:alnum:]])retry (-|(ba)?sh |curl -)")" ''
check 'the manuals have its name in all commands, and in their links' grep -q 'retry-backoff(1)' text
is 'the manuals have its name in all commands, which lead to no other' "$(grep -E '(^|[^-])retry\(1\)' text)" ''
is 'a unit starts it from where it is' \
    "$(grep -oE 'ExecStart[^ ]*/retry[-a-z]*' text | sort -u | xargs)" \
    'ExecStart=/usr/bin/retry-backoff ExecStartPre=/usr/bin/retry-backoff'

if [ -z "$musl" ]; then
	finish
fi

tarball=$(ls dist/*amd64.tar.gz)
check 'a tarball is there' test -s "$tarball"
check 'a tarball is there, and its sum' grep -qF "${tarball##*/}" dist/SHA256SUMS
is 'a tarball is there, and all that is linked in' "$(linked "$tarball")" 'gcc libbsd libev musl'

# An image has the program of a tarball, and so all that is linked into it.
# concluded FILE: the licences of what is in it, by the list beside it.
concluded() {
	jq -r --arg file "${1##*/}" '.packages[] |
	    select(.packageFileName == $file).licenseConcluded' \
	    "${1%/*}/${list##*/}"
}
mkdir images
cp "$list" "$tarball" images
image=images/$(echo "${tarball##*/}" | sed 's/-linux-.*/-image.tar/')
: >"$image"
SOURCE_DATE_EPOCH=0 "$TESTS/../scripts/sbom" "images/${list##*/}" 1.0 none "${image##*/}"
is 'an image has the licences of all that is in it' "$(concluded "$image")" \
    "$(concluded "$tarball")"
is 'an image has the licences of all that is in it, and says so itself' "$(sed -n 's/.*licenses="\(.*\)"$/\1/p' \
    "$TESTS/../scripts/Containerfile")" "$(concluded "$tarball")"
mkdir unpacked
tar -C unpacked --strip-components=1 -xzf "$tarball"
program=unpacked/bin/retry
headers=$(readelf -lh "$program")
unlike 'the program of a tarball is static' "$headers" INTERP
like 'the program of a tarball may be loaded anywhere' "$headers" 'Type: +DYN'
check 'what is linked in guards its stack, too' sh -c '
    nm "$(ls -td "$1"/musl-*/lib/libev.a | head -n 1)" |
	grep -q __stack_chk_fail' sh "$cache"
check 'what is linked in guards its stack, too, and is small' test "$(stat -c %s "$program")" -lt 570000
is 'what is linked in guards its stack, too, and runs' "$("$program" echo it runs)" 'it runs'
for name in LICENSE LICENSES README.md share/man/man1/retry.1 \
    share/man/man1/retry-redis-budget.1 share/man/man5/retry-log.5 \
    share/man/man7/retry-cookbook.7; do
	check "the tarball has $name" test -s "unpacked/$name"
done
check "the tarball has $name, and the licence of musl" grep -q '^Parts of musl' unpacked/LICENSES

finish
