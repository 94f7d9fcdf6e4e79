#!/bin/sh
#
# How scripts get the packages that they need, on a machine that has none of them.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh

# stub NAME BODY: a command in front of the system's.
mkdir stubs
stub() {
	printf '#!/bin/sh\n%s\n' "$2" >"stubs/$1"
	chmod +x "stubs/$1"
}

# set_up COMMAND...: as a script does, with `set -e`, and with the stubs.
set_up() {
	run env PATH="$T/stubs:$PATH" sh -ec '. "$0/../scripts/setup.sh"; '"$1" \
	    "$TESTS"
}

# dpkg-query fails as soon as one package is unknown.
stub dpkg-query 'printf " gcc:installed  old:config-files "; exit 1'
stub apt-get 'echo "$*" >>apt'
stub sudo '"$@"'
set_up 'install_missing gcc old new; echo on'
is 'a package that dpkg never heard of is installed' "$code $out" '0 on'
like 'a package that dpkg never heard of is installed, which is said' "$err" ': installing old new$'
like 'a package that dpkg never heard of is installed, with nothing that is there' "$(tail -n 1 apt)" \
    'install old new$'
stub apt-get 'echo "no network" >&2; exit 100'
set_up 'install_missing new; echo on'
is 'if apt-get fails the script ends' "$code $out" '1 '
like 'if apt-get fails the script ends, and says why' "$err" '^no network$'
set_up 'skipped_at_exit; install_missing new; echo on'
is 'or, if it can be done without, is skipped' "$code $out" '77 '
like 'or, if it can be done without, is skipped, and says so' "$err" ': skipped, since something cannot be installed$'

# Where packages come from: here a mirror, and somebody else.
cat >mirror.list <<'END_LIST'
# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/keys/mirror.gpg] http://mirror.example/debian bookworm main
deb-src [signed-by=/keys/mirror.gpg] http://mirror.example/debian bookworm main
deb [ arch=amd64 ] http://mirror.example/security bookworm-security main
END_LIST
cat >other.sources <<'END_SOURCES'
Types: deb
URIs: http://other.example/packages
Suites: stable
Architectures: amd64
Components: main
Signed-By: /keys/other.gpg
END_SOURCES
stub apt-get '[ "$1" = indextargets ] || exit
	echo Debian:$T/mirror.list:2
	echo Debian:$T/mirror.list:4
	echo Other:$T/other.sources:1'
set_up 'apt_sources sources deb-src'
is 'packages come from where apt has them from' "$(cd sources && echo *)" \
    mirror.list
is 'for each processor, with the key of the mirror' \
    "$(sed 's/  */ /g' sources/mirror.list)" \
    'deb-src [signed-by=/keys/mirror.gpg] http://mirror.example/debian bookworm main
deb-src http://mirror.example/security bookworm-security main'
stub apt-get 'echo Other:$T/other.sources:1'
set_up 'apt_sources others deb-src'
is 'sources come from wherever else apt has them' "$(cat others/other.sources)" \
    'Types: deb-src
URIs: http://other.example/packages
Suites: stable
Components: main
Signed-By: /keys/other.gpg'
is 'no script names a server of packages' "$(cd "$TESTS/.." && grep -rnE \
    '(deb|snapshot|security|ftp|archive)\.(debian|ubuntu)\.|registry\.npmjs|packages\.' \
    scripts .ci tests/lib tests/meson.build)" ''

finish
