#!/bin/sh
#
# scripts/release --check, in a clone of which something is missing.

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
git config user.email nobody@example.org
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
today=$(date +%F)
git tag -d "v$version" >/dev/null 2>&1

commit() {
	git add -A && git commit -q -m "$1"
}

# lacks NAME WHAT: that alone is missing, and told in one line.
lacks() {
	run scripts/release --check
	is "$1 is missed" "$code" 1
	is "and nothing else, but $1" "$(printf '%s\n' "$out" | grep -c .)" 1
	like "and $1 is named" "$out" "^missing: $2"
	[ -z "$err" ] || note "$err"
	git reset -q --hard ready
}

sed -i "0,/^## .*/s//## $version, $today/" NEWS.md
sed -i "s/^\.Dd .*/.Dd $(LC_ALL=C date '+%B %-d, %Y')/" man/*.[17]
commit 'Prepare a release'
git tag ready
run scripts/release --check
is 'a release that lacks nothing can be tagged' "$code $err" '0 '
like 'and it is said how' "$out" "git tag -a v$version"
unlike 'and nothing is missing' "$out" '^missing:'

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
sed -i 1d scripts/completions/words
commit 'Forget a word'
lacks 'a word for the completions' 'words for the completions: scripts/'

sed -i 's/^\.Dd .*/.Dd January 1, 2020/' man/retry.1
git tag "v$version"
run scripts/release --check
is 'all that is missing is told' \
    "$(printf '%s\n' "$out" | grep -c '^missing: ')" 3
run scripts/release
is 'it does nothing by itself' "$code" 2

finish
