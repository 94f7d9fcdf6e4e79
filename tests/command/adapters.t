#!/bin/sh
#
# What CI systems take from scripts/: GitHub's action and GitLab's include, with
# the files of a release in a folder.

# SPDX-License-Identifier: MIT

# shellcheck disable=SC2016 # text for other shells

. lib/harness.sh

scripts=$TESTS/../scripts
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$TESTS/../meson.build")
machine=$(dpkg --print-architecture)
have 'the adapters run' curl bash || finish
if have 'yamllint finds nothing' yamllint; then
	check 'yamllint finds nothing' \
	    yamllint -s -d '{extends: default, rules: {line-length: {max: 120}}}' \
	    "$scripts/github/action.yml" "$scripts/gitlab/retry.yml"
fi

# A release, as scripts/package lays one out.
name=retry-$version-linux-$machine
mkdir -p "$name/bin" "$name/share" "release/v$version/downloads"
cp "$RETRY" "$name/bin/retry"
tar -czf "release/v$version/$name.tar.gz" "$name"
(cd "release/v$version" && sha256sum "$name.tar.gz" >SHA256SUMS &&
    cp "$name.tar.gz" SHA256SUMS downloads)
rm -r "$name"

is 'the files for others name this version' \
    "$(cat "$TESTS/../README.md" "$TESTS/../man/retry-cookbook.7" \
	"$scripts/gitlab/retry.yml" "$scripts/Containerfile" "$scripts/image" |
	tr -d '\134' | grep -oE '(retry[-:]|v|_VERSION: )[0-9]+(\.[0-9]+){2}' |
	grep -o '[0-9.]*$' | sort -u)" "$version"

# GitHub.

# input NAME: its default in action.yml
input() {
	sed -n "/^  $1:/,/default:/s/^    default: '\(.*\)'/\1/p" \
	    "$scripts/github/action.yml"
}

case $machine in
amd64) arch=X64 ;;
arm64) arch=ARM64 ;;
i386) arch=X86 ;;
*) arch=ARM ;;
esac

# action NAME=VALUE...: as the runner runs the action; the inputs are variables.
action() {
	: >output
	: >summary
	run env -i PATH="$PATH" HOME="$T" GITHUB_ACTIONS=true RUNNER_OS=Linux \
	    RUNNER_ARCH=$arch RUNNER_TEMP="$T" GITHUB_OUTPUT="$T/output" \
	    GITHUB_STEP_SUMMARY="$T/summary" RETRY_RELEASES="file://$T/release" \
	    RETRY_PRESET="$(input preset)" \
	    RETRY_ATTEMPTS="$(input attempts)" RETRY_TIMEOUT="$(input timeout)" \
	    RETRY_MAX_TIME="$(input max-time)" RETRY_NAME="$(input name)" \
	    RETRY_SHELL="$(input shell)" \
	    RETRY_DIRECTORY="$(input working-directory)" \
	    RETRY_ARGS="$(input args)" RETRY_VERSION="$(input version)" \
	    GITHUB_ACTION_PATH="$scripts/github" "$@" \
	    bash -c "$(sed -n 's/^      run: //p' "$scripts/github/action.yml")"
}

# Each variable that the action sets is one that its script reads.
sed -n 's/^        \(RETRY_[A-Z_]*\):.*/\1/p' "$scripts/github/action.yml" >given
while read -r variable; do
	grep -q "$variable" "$scripts/github/run" || echo "$variable"
done <given >unread
is 'each input is read' "$(cat unread)" ''
is 'each input is read, and is one' "$(sed -n 's/.*{{ inputs\.\([a-z-]*\) .*/\1/p' \
    "$scripts/github/action.yml" | sort)" \
    "$(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z-]*\):.*/\1/p' \
	"$scripts/github/action.yml" | sort)"

action RETRY_COMMAND='echo out; test "$RETRY_ATTEMPT" -eq 2
echo result=7 >>"$GITHUB_OUTPUT"' \
    RETRY_ARGS='-d 0'
is 'the action runs its command until it succeeds' "$code" 0
like 'the action folds attempts into groups' "$out" '^::group::echo out; test "\$RETRY_ATTEMPT" -eq 2: attempt 2/5'
like 'the action sets its outputs' "$(xargs <output)" 'retry-attempts=2 retry-status=0 retry-flaky=true'
is 'the action gives short names to the outputs that are set' \
    "$(sed -n '/^outputs:/,/^runs:/{s/^  \([a-z]*\):$/\1/p
	s/.*steps\.run\.outputs\.\([a-z-]*\) .*/\1/p;}' \
	"$scripts/github/action.yml" | paste -d ' ' - - | sort)" \
    "$(sed 's/=.*//; s/^\(retry-\)*\(.*\)/\2 \1\2/' output | sort)"
action RETRY_COMMAND=
is 'an empty command is refused' "$code" 125
like 'an empty command is named' "$out" '^::error::input command: it is empty'
action RETRY_COMMAND='
 '
is 'an empty command is named, so is one of blanks' "$code" 125
for args in '--name=don'"'"'t' '--delay=5s --bogus' '-a many' '('; do
	action RETRY_COMMAND='echo ran' RETRY_ARGS="$args"
	is "wrong args are refused: $args" "$code" 125
	like "wrong args are named: $args" "$out" '^::error::input args: .'
	unlike "wrong args run nothing: $args" "$out" '^ran'
done
action RETRY_COMMAND='exit 3' RETRY_ARGS='-d 0 # slow' RETRY_ATTEMPTS=2
is 'args may have a comment' "$code" 3
like 'the run is named after the command' "$out" '^::error::exit 3: giving up after 2'
action RETRY_COMMAND='
  ./gradlew --no-daemon build --info --stacktrace test
false' RETRY_ATTEMPTS=1
like 'the action names a run after the first line of its command' "$out" \
    '^::error::./gradlew --no-daemon build --info: giving up'
action RETRY_COMMAND='echo "npm error code ERESOLVE"; exit 1' RETRY_PRESET=npm
like 'a preset stops what is permanent' "$out" 'permanent failure [(]--preset=npm[)]'
is 'the class and the line of a failure are outputs' "$(tail -n 2 output)" 'retry-class=permanent
retry-line=npm error code ERESOLVE'
action RETRY_COMMAND='echo "npm error code ECONNRESET"; exit 1' RETRY_PRESET=npm \
    RETRY_ARGS='-d 0'
like 'the attempts are those of the preset' "$out" 'giving up after 6 attempts'
action CI=true RETRY_COMMAND=true RETRY_ATTEMPTS=0
like 'an action without a limit says so' "$out" 'nothing limits this run'
action RETRY_COMMAND=true RETRY_PRESET=nosuch
like 'an unknown preset is named' "$out" '^::error::input preset: invalid --preset'
action RETRY_COMMAND='echo "$RETRY_FOO"' RETRY_ATTEMPTS=1 RETRY_FOO=kept
is 'a variable of the user stays' "$out" kept
action RETRY_COMMAND=true RETRY_MAX_TIME=soon
like 'a wrong input is named' "$out" '^::error::input max-time: invalid --max-time'
action RETRY_COMMAND='false | true; echo no' RETRY_ATTEMPTS=2 RETRY_NAME=pipe \
    RETRY_ARGS="--delay='0' --backoff='constant'"
is 'a pipeline fails with any of its commands' "$code" 1
like 'the run has its name' "$out" '^::error::pipe: giving up after 2 attempts'
unlike 'the command stopped there' "$out" '^no'
action RETRY_COMMAND='sleep 100d' RETRY_TIMEOUT=.1 RETRY_ATTEMPTS=1
is 'an attempt has a limit' "$code" 124
action RETRY_COMMAND='echo "${RETRY_COMMAND-unset}"' RETRY_ATTEMPTS=1
is 'the command does not see the inputs' "$out" unset
mkdir -p 'a place'
action RETRY_DIRECTORY='a place' RETRY_COMMAND='pwd' RETRY_ATTEMPTS=1
is 'the command runs in the directory that is asked for' "$out" "$T/a place"
action RETRY_DIRECTORY=nowhere RETRY_COMMAND='echo ran'
is 'a directory that is missing is an error' "$code" 125
like 'a directory that is missing is an error, which is an annotation' "$out" '^::error::.*nowhere$'
action RETRY_SHELL=sh RETRY_ATTEMPTS=1 \
    RETRY_COMMAND='echo "${BASH_VERSION-plain}"; readlink /proc/$$/exe >exe
    false; echo no'
like 'sh stops at the first failure, too' "$code:$out" '^1:'
is 'sh stops at the first failure, too, and is sh' "$(cat exe)" "$(readlink -f "$(command -v sh)")"
unlike 'sh stops at the first failure, too, and ran no more' "$out" '^no'
action RETRY_SHELL='perl -w {0} word' RETRY_ATTEMPTS=1 \
    RETRY_COMMAND='print "perl: @ARGV\n";'
is 'a shell of any kind gets the command in a file' "$code:$out" '0:perl: word'
if have 'python needs no file' python3; then
	action RETRY_SHELL=python RETRY_COMMAND='print("a" * 3)'
	is 'python needs no file' "$code:$out" 0:aaa
fi
action RETRY_SHELL=fish RETRY_COMMAND='echo ran'
is 'a shell that is not known is an error' "$code" 125
like 'a shell that is not known is an error, which says how to write it' "$out" '^::error::.*fish [{]0[}]$'
unlike 'a shell that is not known is an error, and nothing runs' "$out" '^ran'
action RUNNER_ARCH=RISC RETRY_COMMAND='echo ran'
is 'a machine without a program is an error' "$code" 125
like 'a machine without a program is an error, and is named' "$out" '^::error::.*RISC'

sed -n '/^    - |/,$s/^      //p' "$scripts/gitlab/retry.yml" >before
check 'the include has a script' test -s before
# gitlab SCRIPT [VARIABLE=VALUE...]: a job with this script.
gitlab() {
	job="$(cat before)
	$1"
	shift
	run env -i PATH="$PATH" HOME="$T" RETRY_VERSION="$version" \
	    RETRY_RELEASES="file://$T/release" "$@" sh -ec "$job"
}

# With a key nothing is run whose sums are not signed by it.
if have 'a program that is not signed is not run' minisign; then
	for key in ours theirs; do
		minisign -G -W -p $key.pub -s $key.key >/dev/null
	done
	# sign KEY
	sign() {
		minisign -S -s "$1.key" -m "release/v$version/SHA256SUMS" >/dev/null
		cp "release/v$version/SHA256SUMS.minisig" \
		    "release/v$version/downloads"
	}
	# with_key NAME COMMAND...: the public key comes first.
	with_key() {
		rm -rf "$name" .retry
		"$@" RETRY_KEY="$(tail -n 1 ours.pub)"
	}
	with_key action RETRY_COMMAND='echo ran'
	is 'a program that is not signed is not run' "$(
	    [ "$code" -ne 0 ] || echo 0)$out" ''
	with_key gitlab 'echo ran'
	is 'a program that is not signed is not run, nor is it in a job' "$([ "$code" -ne 0 ] || echo 0)$out" ''
	sign ours
	with_key action RETRY_COMMAND='echo ran' RETRY_ARGS=-q
	is 'a program that the key has signed is run' "$code $(
	    printf '%s\n' "$out" | grep -x ran)" '0 ran'
	with_key gitlab 'echo ran'
	is 'a program that the key has signed is run in a job' "$code $(printf '%s\n' "$out" | tail -n 1)" '0 ran'
	sign theirs
	with_key action RETRY_COMMAND='echo ran'
	unlike 'a program that another key has signed is not run' "$code$out" '^0|ran'
	with_key gitlab 'echo ran'
	unlike 'a program that another key has signed is not run in a job' "$code$out" '^0|ran'
	rm -rf "$name" .retry "release/v$version/SHA256SUMS.minisig"
fi

# With a sum of one's own no other is run, even if the release has it.
sum=$(sha256sum "release/v$version/$name.tar.gz" | cut -d' ' -f1)
zeros=$(printf %064d 0)
action RETRY_COMMAND='echo ran' RETRY_SHA256="$sum"
like 'a program whose sum is known is run' "$code $out" '^0 ran'
gitlab 'echo ran' RETRY_SHA256="$sum"
is 'a program whose sum is known is run, and is so in a job' "$code $(printf '%s\n' "$out" | tail -n 1)" '0 ran'
action RETRY_COMMAND='echo ran' RETRY_SHA256="$zeros"
is 'a program of another sum is not run' "$code $out" \
    "125 ::error::the release has no $name.tar.gz of that sha256"
gitlab 'echo ran' RETRY_SHA256="$zeros"
is 'a program of another sum is not run in a job' "$code $out" "1 no $name.tar.gz of RETRY_SHA256"
# What is no sum is not taken for a pattern of one: not even with a line's end.
for wrong in "$zeros
" '.*' "$zeros\|" "$(echo "$sum" | tr a-f A-F)"; do
	name_of=$(printf %s "${wrong#"$zeros"}")
	action RETRY_COMMAND='echo ran' RETRY_SHA256="$wrong"
	is "nothing is run whose sum is none: $name_of" "$code $out" \
	    '125 ::error::sha256 is not 64 digits of 0-9 and a-f'
	gitlab 'echo ran' RETRY_SHA256="$wrong"
	is "nothing is run whose sum is none: $name_of, nor is it in a job" "$code $out" \
	    '1 RETRY_SHA256 is not 64 digits of 0-9 and a-f'
done
for wrong in "$version/../v$version" "$version&x" '[0-9].0.0' '$(echo 0)' ..; do
	action RETRY_COMMAND='echo ran' RETRY_VERSION="$wrong"
	is "nothing is run of what is no version: $wrong" "$code $out" \
	    '125 ::error::retry has no such version'
	gitlab 'echo ran' RETRY_VERSION="$wrong"
	is "nothing is run of what is no version: $wrong, nor is that in a job" "$code $out" \
	    '1 RETRY_VERSION is not a version number'
done
gitlab 'echo ran' RETRY_VERSION=
is 'a job has to name a version' "$code $out" '1 RETRY_VERSION is not a version number'
action RETRY_COMMAND='echo ran' RETRY_VERSION=0.0.1
unlike 'a job has to name a version, nor is a release that is not there' "$code $out" '^0|ran'
rm -rf "$name"* .retry

# Nothing is run whose sum is wrong.
action RETRY_COMMAND='echo ran'
printf '#!/bin/sh\necho planted\n' >"$name/bin/retry"
action RETRY_COMMAND='echo ran'
like 'a program that another step has put there is not run' "$out" '^ran'
mv "release/v$version/$name.tar.gz" away
action RETRY_COMMAND='echo ran'
like 'what an earlier step has fetched is not fetched again' "$out" '^ran'
mv away "release/v$version/$name.tar.gz"
rm -rf "$name"*
cp "release/v$version/$name.tar.gz" good
echo >>"release/v$version/$name.tar.gz"
action RETRY_COMMAND='echo ran'
check 'a program with another sum is not run' test "$code" -ne 0
unlike 'a program with another sum is not run, and nothing else is' "$out" ran
is 'a program with another sum is not run, and nothing is left of it' "$(echo retry.* "$name"*)" "retry.* $name*"
mv good "release/v$version/$name.tar.gz"

# GitLab.

gitlab 'retry --version; command -v retry'
is 'a job has the program' "$code $(printf '%s\n' "$out" | tail -n 1)" \
    "0 $T/.retry/$name/bin/retry"
mv "release/v$version/downloads/$name.tar.gz" away
gitlab 'retry -q -a 1 sh -c "exit 3"'
is 'a job has the program, which is fetched once' "$code" 3
mv away "release/v$version/downloads/$name.tar.gz"
printf '#!/bin/sh\necho planted\n' >".retry/$name/bin/retry"
echo >>".retry/$name.tar.gz"
gitlab 'retry -q -a 1 sh -c "exit 3"'
is 'whatever lies in a cache is not run unless its sum is right' \
    "$code $(printf '%s\n' "$out" | grep -c planted)" '3 0'
rm -rf .retry/*
for file in SHA256SUMS sum "$name.tar.gz"; do
	echo mine >"mine-$file"
	ln -s "../mine-$file" ".retry/$file"
done
gitlab 'echo ran'
is 'whatever lies in a cache is not run unless its sum is right, nor is anything written where its links lead' \
    "$(printf '%s\n' "$out" | tail -n 1) $(cat mine-* | xargs)" 'ran mine mine mine'
rm -rf .retry mine-*
if have 'an image without curl has wget' busybox python3; then
	# As in Alpine's image, in which curl is not.
	mkdir alpine
	for tool in grep mkdir rm sh sha256sum tar uname wget; do
		ln -s "$(command -v busybox)" "alpine/$tool"
	done
	python3 -u -m http.server -b 127.0.0.1 0 >server 2>/dev/null &
	wait_for grep -q 'port [0-9]' server
	mkdir .retry
	echo 'of another version, from a cache' >.retry/SHA256SUMS
	gitlab 'retry -q -a 1 sh -c "exit 3"' PATH="$T/alpine" \
	    RETRY_RELEASES="http://127.0.0.1:$(grep -o 'port [0-9]*' server |
		cut -c6-)/release"
	is 'an image without curl has wget' "$code" 3 || note "$err"
	rm -rf .retry
fi
echo >>"release/v$version/downloads/$name.tar.gz"
gitlab 'echo ran'
check 'a tarball with another sum is not used' test "$code" -ne 0
unlike 'a job ends at a tarball with another sum' "$out" '^ran'

finish
