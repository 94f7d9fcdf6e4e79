#!/bin/sh
#
# scripts/release, in a clone of which something is missing, and in a whole one.

# SPDX-License-Identifier: MIT

. lib/harness.sh

if ! git -C "$TESTS/.." rev-parse -q --verify HEAD >/dev/null 2>&1; then
	skip 'a release is checked' 'the source is not a commit of git'
	finish
fi
git clone -q "$TESTS/.." clone
# The source as it is, committed or not.
(cd "$TESTS/.." && git ls-files -z | xargs -0 tar -c) | tar -C clone -x
cd clone || exit
git config user.name nobody
git config user.email nobody@retry.test
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
today=$(date +%F)
git tag -d "v$version" >/dev/null 2>&1

# Of a manual in Markdown its first line is looked at, with a sum of the manual.
commit() {
	for page in man/*.[157]; do
		[ "${2-}" = stale ] || sed -i \
		    "1s/\(page: \).* -->/\1$(cksum <"$page") -->/" "$page.md"
	done
	git add -A && git commit -q -m "$1"
}

# lacks NAME WHAT: that alone is missing, and told in one line.
lacks() {
	run scripts/release --check
	is "$1 is missed" "$code" 1
	is "$1 is missed, and nothing else, but $1" "$(printf '%s\n' "$out" | grep -c .)" 1
	like "$1 is missed, and $1 is named" "$out" "^missing: $2"
	[ -z "$err" ] || note "$err"
	git reset -q --hard ready
}

# The program that it asks is the one under test, which is built.
mkdir build
cp "$RETRY" build/retry
echo 'build retry: phony' >build/build.ninja

sed -i "0,/^## .*/s//## $version, $today/" NEWS.md
sed -i "s/^\.Dd .*/.Dd $(LC_ALL=C date '+%B %-d, %Y')/" man/*.[157]
sed -i 's/minisign -V -P KEY /minisign -V -P RWpublic /' .github/SECURITY.md
commit 'Prepare a release'
git tag ready
echo 'a key' >"$T/a.key"
printf 'untrusted comment: of a key\nRWpublic\n' >"$T/a.pub"
export DEBFULLNAME=Nobody DEBEMAIL=nobody@retry.test \
    RETRY_URL=https://example.org/retry RETRY_KEY="$T/a.key"
run scripts/release --check
is 'a release that lacks nothing can be tagged' "$code $err" '0 '
like 'a release that lacks nothing can be tagged, and it is said how' "$out" 'scripts/release does the rest'
unlike 'a release that lacks nothing can be tagged, and nothing is missing' "$out" '^missing:'

sed -i "s/^## $version.*/## $version/" NEWS.md
commit 'Take the date away'
lacks 'a date' "a date in NEWS.md: ## $version, $today$"
sed -i "s/^## $version.*/## $version, 2999-01-01/" NEWS.md
commit 'Date it in the future'
lacks 'a date of today' 'a date in NEWS.md .*: 2999-01-01$'
sed -i "s/^## $version.*//" NEWS.md
commit 'Take the heading away'
lacks 'a heading' "a first heading in NEWS.md for $version:"
echo >>README.md
lacks 'a clean tree' 'a clean tree:'
git tag "v$version"
lacks 'a new version' "another version in meson.build: the tag v$version exists"
git tag -d "v$version" >/dev/null
sed -i 's/^\.Dd .*/.Dd January 1, 2020/' man/retry.1
commit 'Forget the date'
lacks 'the date of a manual' 'a new date .* in man/retry\.1: it has January 1, 2020,'
echo '.\" a comment' >>man/retry.1
commit 'Forget the Markdown' stale
lacks 'the Markdown of a manual' 'man/retry\.1\.md, made from man/retry\.1 as it is'
sed -i "s/retry:$version/retry:0.0.1/" scripts/image
commit 'Forget a version'
lacks 'a version' 'the new version in scripts/image: it has retry:0\.0\.1$'
sed -i 1d scripts/completions/words
commit 'Forget a word'
lacks 'a word for the completions' 'words for the completions: scripts/'

sed -i 's/^\.Dd .*/.Dd January 1, 2020/' man/retry.1
git tag "v$version"
run scripts/release --check
is 'all that is missing is told, in the order in which it is done' \
    "$(printf '%s\n' "$out" | cut -d' ' -f1-3 | paste -sd ';')" \
    'missing: another version;missing: a new;missing: man/retry.1.md, made;missing: a clean'
run scripts/release
is 'nothing is released that lacks something' "$code" 1
run scripts/release --what
is 'other options are refused' "$code" 2
git tag -d "v$version" >/dev/null
git reset -q --hard ready
for address in nobody@users.noreply.github.com nobody@example.org root@localhost \
    nobody@host.invalid root; do
	git -c user.email="$address" commit -q --allow-empty -m 'Hide'
	lacks "an address for holes that is not $address" \
	    "an author of the last commit .*<$address>"
done
DEBEMAIL=nobody@example.org
lacks 'an address of the maintainer' 'an address in \$DEBEMAIL .*: it has nobody@ex'
DEBEMAIL=nobody@retry.test
mv "$T/a.key" "$T/b.key"
lacks 'a key that can be read' "a key of minisign's in .RETRY_KEY: $T/a.key"
mv "$T/b.key" "$T/a.key"
mv "$T/a.pub" "$T/b.pub"
lacks 'the public key' "the public key beside .RETRY_KEY: $T/a.pub"
mv "$T/b.pub" "$T/a.pub"
RETRY_KEY=
lacks 'a key' '\$RETRY_KEY, for scripts/package'
RETRY_KEY=$T/a.key
sed -i 's/RWpublic/KEY/' .github/SECURITY.md
commit 'Forget the key'
lacks 'the key in SECURITY.md' 'the public key in SECURITY.md, instead of KEY: RWpublic$'
mkdir build/release
touch build/release/old
lacks 'an empty folder' 'an empty folder .*: build/release has some$'
rm -r build/release

# What it calls takes long, and has tests of its own.
for name in test package; do
	echo "#!/bin/sh
echo $name \"\$@\" tag: \$(git tag --points-at HEAD | grep ^v) >>'$T/called'
exit \${STUB_$name:-0}" >scripts/$name
done
git commit -qam 'Stub scripts'
run env STUB_test=1 scripts/release
is 'if a test fails nothing is tagged' "$code $(git tag -l "v$version")" '1 '
run scripts/release dist
is 'a release tests, tags and makes the files' "$code:$(tail -n 2 "$T/called")" \
    "0:test --long tag:
package dist tag: v$version"
like 'a release tests, tags and makes the files, and leaves the push to its user' "$out" "git push origin HEAD .v$version"

finish
