# shellcheck shell=sh
#
# A command whose attempts are counted. A test sources this after harness.sh.

# SPDX-License-Identifier: MIT

# ./tries STATUS: ends with it, and leaves a line for each attempt.
printf '#!/bin/sh\necho >>%s/attempts\nexit "$1"\n' "$T" >tries
chmod +x tries

# attempts: how many there were since it was asked last.
attempts() {
	touch attempts
	wc -l <attempts | tr -d ' '
	rm attempts
}
