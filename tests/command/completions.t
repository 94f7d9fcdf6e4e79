#!/bin/sh
#
# The completions, in the shells themselves and from where they are installed.

# SPDX-License-Identifier: MIT

. lib/harness.sh

meson install -C "$TEST_BUILD" --no-rebuild --destdir "$T/root" >/dev/null
share=$(find "$T/root" -type d -name share)
words=$TESTS/../scripts/completions/words
"$TESTS/../scripts/completions/list" "$RETRY" >wanted
check 'the list of words is that of --help' cmp wanted "$words" ||
    note 'scripts/completions/list >scripts/completions/words brings it up to date'
program=${TEST_PROGRAM:-retry}
zsh_place=$(dirname "$(find "$share/zsh" -name "_$program")")
for file in "$share/bash-completion/completions/$program" \
    "$zsh_place/_$program" "$share/fish/vendor_completions.d/$program.fish"; do
	grep -Fxf "$words" "$file" >found
	check "${file##*/} has the words" cmp found "$words"
done

# What is typed, and what it becomes when Tab is pressed. Some shells go on
# with a comma or "=", some with a blank; that is theirs to choose.
cat >lines <<'END'
retry --max-d|retry --max-delay
retry --wait-fi|retry --wait-first
retry -s STK|retry -s STKFLT
retry -sSTK|retry -sSTKFLT
retry -qs STK|retry -qs STKFLT
retry --signal=STK|retry --signal=STKFLT
retry -b expo|retry -b exponential
retry -b exponential:f|retry -b exponential:factor
retry --backoff=steps:s|retry --backoff=steps:steps
retry --jitter eq|retry --jitter equal
retry --jitter-order=bef|retry --jitter-order=before-cap
retry --pace=st|retry --pace=start
retry --preset=eth|retry --preset=ethernet
retry --preset=npm,do|retry --preset=npm,docker
retry --stop-on=1,tempf|retry --stop-on=1,tempfail
retry --stop-on 1,!unst|retry --stop-on 1,!unstartable
retry --plan=1,timeo|retry --plan=1,timeout
retry --log=jso|retry --log=json
retry --log=json:stor|retry --log=json:story
retry --budget=stor|retry --budget=story
retry --budget stor|retry --budget story
retry --budget=story:tok|retry --budget=story:tokens
retry --budget ./story:tokens=9,su|retry --budget ./story:tokens=9,success
retry --help=pres|retry --help=presets
retry --help=--max-d|retry --help=--max-delay
retry --help pres|retry --help presets
retry -h sig|retry -h signals
retry --jitter 2|retry --jitter 20%
retry --jitter=+|retry --jitter=+1s
retry --output=chr|retry --output=chronic
retry --check=retry-com|retry --check=retry-command
retry retry-com|retry retry-command
retry -a 3 retry-com|retry -a 3 retry-command
retry -vt 3 --delay=1s -- retry-com|retry -vt 3 --delay=1s -- retry-command
retry -b linear:step=1s chmod --pres|retry -b linear:step=1s chmod --preserve-root
retry -- chmod --pres|retry -- chmod --preserve-root
retry chmod --max-d|retry chmod --max-d
END
sed -i "s/^retry /$program /; s/|retry /|$program /" lines
cut -d'|' -f1 lines >typed

mkdir bin
ln -s "$RETRY" "bin/$program"
: >story
printf '#!/bin/sh\n' >bin/retry-command
chmod +x bin/retry-command
export PATH="$T/bin:$PATH" HOME="$T" ZDOTDIR="$T" INPUTRC=/dev/null
export XDG_DATA_DIRS="$share:/usr/share" XDG_CONFIG_HOME="$T" XDG_DATA_HOME="$T"
unset XDG_CACHE_HOME BASH_COMPLETION_USER_DIR

cat >bashrc <<'END'
. /usr/share/bash-completion/bash_completion
dump() { printf '%s\n' "$READLINE_LINE" >>dump.bash; READLINE_LINE=; }
bind -x '"\C-xd": dump'
END
cat >.zshrc <<END
fpath=($zsh_place \$fpath)
autoload -U compinit; compinit -u -D
dump() { print -r -- "\$BUFFER" >>dump.zsh; BUFFER= }
zle -N dump; bindkey '^Xd' dump
END
cat >start.fish <<'END'
function dump; commandline >>dump.fish; commandline ''; end
bind \cxd dump
END

# shell NAME ARGUMENT...
shell() {
	have "$1 completes" "$1" || return
	python3 "$TESTS/lib/type.py" "dump.$1" "$@" <typed >got 2>err
	is "$1 answers" "$(cat err)" ''
	sed 's/[ ,=]*$//; s/\\%/%/' got | paste -d'|' typed - >both
	check "$1 completes every line" diff both lines
}

if [ -f /usr/share/bash-completion/bash_completion ]; then
	shell bash --noprofile --rcfile bashrc -i
else
	skip 'bash completes' 'bash-completion is not installed'
fi
# bare LINE: what bash makes of it without bash-completion.
bare() {
	bash --noprofile --norc -c ". '$share/bash-completion/completions/$program'
	    COMP_LINE=\$1 COMP_POINT=\${#1}
	    _retry 2>/dev/null
	    echo \"\${COMPREPLY[@]}\"" bash "$1"
}
is 'bash completes an option without bash-completion, too' \
    "$(bare 'retry --atte')" --attempts=
is 'so does it the second preset' "$(bare 'retry --preset=npm,do')" npm,docker
is 'and a topic' "$(bare 'retry --help sign')" signals
shell zsh -i
shell fish -i -C 'source start.fish'

if command -v fish >/dev/null; then
	fish -c "complete -C '$program --'" | sed 's/^--\([a-z-]*\).*/\1/' |
	    sort -u >offered
	sed -n 's/^_retry_option . \([a-z-]*\) .*/\1/p' wanted | sort -u >names
	check 'fish offers every option, with what it does' cmp offered names
fi

unlike 'no description refers to what a shell does not show' \
    "$(cat "$words")" 'see below'
like 'words of --output have descriptions' "$(cat "$words")" \
    "^_retry_word output 'hold' '.+'"
like 'signals have descriptions' "$(cat "$words")" \
    "^_retry_word SIG 'TERM' 'termination'"

finish
