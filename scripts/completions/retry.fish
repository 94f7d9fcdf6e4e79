# SPDX-License-Identifier: MIT
# fish completion for retry(1).

# The words of each kind are kept in a variable of its name.
for name in (set -n | string match '__retry_words_*')
    set -e $name
end
set -g __retry_valued

function _retry_option -a letter name takes kind doc
    set -l args -c retry -n __retry_in_options -l $name -d $doc
    test $letter != -; and set -a args -s $letter
    if test $takes = required
        set -a args -r
        set -a __retry_valued --$name
        test $letter != -; and set -a __retry_valued -$letter
    end
    set -ga __retry_words_OPTION --$name\t$doc
    switch "$kind"
        case ''
            set -a args -f
        case FILE
            set -a args -F
        case BUDGET
            set -a args -F -a "(__retry_value $kind)"
        case '*'
            set -a args -f -a "(__retry_value $kind)"
    end
    complete $args
end

function _retry_word -a kind word doc
    set -ga __retry_words_(string replace -a -- - _ $kind) $word\t$doc
end

# Prints which word the command is; fails where the cursor stands before it.
function __retry_command_at
    set -l words (commandline -opc)
    set -l at 2
    while set -q words[$at]
        switch $words[$at]
            case --
                math $at + 1
                return 0
            case '-*'
                set -l last (string replace -r -- '^-[^-].*(.)$' '-$1' $words[$at])
                contains -- $last $__retry_valued; and set at (math $at + 1)
            case '*'
                echo $at
                return 0
        end
        set at (math $at + 1)
    end
    return 1
end

function __retry_in_options
    not __retry_command_at >/dev/null
end

function __retry_at_command
    __retry_command_at >/dev/null
    or not string match -q -- '-*' (commandline -ct)
end

# Completes the command, and then as if it stood alone.
function __retry_command
    set -l words (commandline -opc)
    if contains -- $words[-1] --help -h
        __retry_value TOPIC
        return
    end
    set -l at (__retry_command_at); or set at 1000
    set words (string escape -- $words[$at..-1])
    complete -C (string join ' ' -- $words (commandline -ct))
end

function __retry_value -a kind
    set -l value (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    set -l prefix
    switch "$kind"
        case COMMAND
            __fish_complete_command
            return
        case BUDGET
            string match -qr ':[^/]*$' -- $value; or return
            set prefix (string match -r '^.*[:,]' -- $value)
            set kind PARAM_budget
        case FORMAT
            if string match -q '*:*' -- $value
                set prefix (string replace -r ':.*' : -- $value)
                printf '%s\n' $prefix(complete -C "'' "(string replace $prefix '' -- $value))
                return
            end
        case NAME
            set prefix (string match -r '^.*,' -- $value)
        case TOPIC
            string match -q -- '-*' $value; and set kind OPTION
        case SET SCRIPT
            set prefix (string match -r '^.*[,!^]' -- $value)
        case STRATEGY
            set prefix (string match -r '^.*[:,]' -- $value)
            test -n "$prefix"
            and set kind PARAM_(string replace -r ':.*' '' -- $value)
    end
    set -l words __retry_words_(string replace -a -- - _ "$kind")
    set -q $words; and printf '%s\n' "$prefix"$$words
end

# WORDS: the build puts the lines of scripts/completions/words here.

functions -e _retry_option _retry_word
complete -c retry -x -n __retry_at_command -a '(__retry_command)'
