#!/bin/sh
#
# One commit makes the same packages, wherever and by whomever they are made.

# SPDX-License-Identifier: MIT

. lib/harness.sh

if ! git -C "$TESTS/.." rev-parse -q --verify HEAD >/dev/null 2>&1; then
	skip 'packages are made' 'the source is not a commit of git'
	finish
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/retry
targets=
for target in musl arm64; do
	if ls "$cache/$target"-*/done >/dev/null 2>&1; then
		targets="$targets $target"
	else
		skip "$target is the same" "scripts/cross $target was never run"
	fi
done

# packages FOLDER VARIABLE...: of a clone in that folder.
packages() {
	folder=$1
	shift
	git clone -q "$TESTS/.." "$folder" || return
	# shellcheck disable=SC2086 # or none
	env "$@" "$folder/scripts/package" "$folder/dist" debian deb source \
	    $targets
}

check 'packages are made' packages one TZ=UTC
check 'and once more' sh -c 'umask 077; mkdir -p a/longer/name'
(umask 077 && packages a/longer/name/of/two CCACHE_DISABLE=1 TZ=Asia/Tokyo \
    LC_ALL=C.UTF-8) >made 2>&1
is 'by somebody else' "$?" 0
sort -k 2 one/dist/SHA256SUMS >first
sort -k 2 a/longer/name/of/two/dist/SHA256SUMS >second
# APKBUILD, the source, retry.spec, the package, the list, three files of Debian's
# source package; and tarballs.
wanted=$((8 + $(echo "$targets" | wc -w)))
is 'there are all of them' "$(wc -l <first)" "$wanted"
check 'and they are the same' diff first second

finish
