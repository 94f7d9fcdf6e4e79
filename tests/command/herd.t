#!/bin/sh
#
# Jitter calms a herd as "Exponential Backoff And Jitter" measured it.

# SPDX-License-Identifier: MIT

. lib/harness.sh

"$TEST_BUILD/tests/herd" 25 >herd.tsv

# far ALGORITHM STRATEGY: by how much the calls differ, where it is over 6 %, and
# the time, where it is over 15 %.
far() {
	awk -F '\t' -v algorithm="$1" -v strategy="$2" '
		FNR == NR {
			if ($2 == algorithm) {
				calls[$1] = $6
				time[$1] = $4
			}
			next
		}
		$2 == strategy {
			found++
			share = $3 / calls[$1]
			if (share < 0.94 || share > 1.06)
				print $1 " clients: " $3 " calls, not " calls[$1]
			share = $4 / time[$1]
			if (share < 0.85 || share > 1.15)
				print $1 " clients: " $4 " ms, not " time[$1]
		}
		END { if (found != 10) print found " rows" }
	' "$TEST_DATA/aws-simulator-results.tsv" herd.tsv
}

is 'no delay makes as many calls' "$(far None none)" ''
is 'exponential delays do' "$(far Exponential exponential)" ''
is 'full jitter does' "$(far FullJitter full)" ''
is 'equal jitter does' "$(far EqualJitter equal)" ''
is 'decorrelated delays do' "$(far Decorr decorrelated:clamp=1)" ''
is 'and do below a cap that cuts nothing' "$(far Decorr decorrelated)" ''

# The headline: jitter saves more than half of a crowd's calls.
is 'jitter saves more than half of the calls' \
    "$(awk -F '\t' '$1 == 100 { calls[$2] = $3 }
	END {
		if (2 * calls["full"] < calls["exponential"] &&
		    2 * calls["20%"] < calls["exponential"])
			print "yes"
	}' herd.tsv)" yes

finish
