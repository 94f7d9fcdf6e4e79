#!/bin/sh
#
# The manual agrees with the program.

. lib/harness.sh
manual=$TESTS/../man/retry.1

# printed SECTION: what the manual has between its marks.
printed() {
	sed -n "/^\.\\\\\" BEGIN $1\$/,/^\.\\\\\" END $1\$/p" "$manual" | sed '1d;$d'
}

grep '^\.\\" BEGIN ' "$manual" | while read -r _ _ list; do
	echo "$list"
done >lists
for list in options strategies jitters presets budget classes sysexits; do
	check "the manual has a list of $list" grep -qx "$list" lists
done

# shellcheck disable=SC2013 # names are words
for list in $(cat lists); do
	"$TEST_BUILD/tables" "$list" >wanted
	printed "$list" >found
	check "the list of $list is that of the tables" \
	    sh -c 'test -s wanted && diff found wanted' ||
		note 'scripts/manual brings it up to date'
done

cp "$manual" copy
"$TESTS/../scripts/manual" copy
check 'scripts/manual changes nothing that is up to date' cmp copy "$manual"
sed '/^\.It Fl a ,/d' "$manual" >old
"$TESTS/../scripts/manual" old
check 'and brings an old manual up to date' cmp old "$manual"

finish
