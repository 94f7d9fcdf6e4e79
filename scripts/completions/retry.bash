# bash completion for retry(1), for the bash-completion package.
# shellcheck shell=bash disable=SC2207 # no word here has a blank

# SPDX-License-Identifier: MIT

declare -gA _retry_takes=() _retry_kinds=() _retry_words=()
declare -g _retry_names=

# LETTER NAME TAKES KIND DOC
_retry_option() {
	local end=''
	[[ $3 == required ]] && end='='
	_retry_names+=" --$2$end"
	_retry_words[OPTION]+=" --$2"
	_retry_takes[--$2]=$3 _retry_kinds[--$2]=$4
	[[ $1 == - ]] || _retry_takes[-$1]=$3 _retry_kinds[-$1]=$4
}

# KIND WORD DOC
_retry_word() {
	_retry_words[$1]+=" $2"
}

# WORDS: the build puts the lines of scripts/completions/words here.

unset -f _retry_option _retry_word

# Looks at a word of options: sets `option` to the one in it that takes a
# value, if any, and `value` to what follows that, if `attached` is set.
_retry_split() {
	local word=$1 i
	option='' value='' attached=''
	if [[ $word == --*=* ]]; then
		option=${word%%=*} value=${word#*=} attached=yes
	elif [[ $word == --* ]]; then
		[[ ${_retry_takes[$word]-} == required ]] && option=$word
	else
		for ((i = 1; i < ${#word}; i++)); do
			[[ ${_retry_takes[-${word:i:1}]-} == required ]] || continue
			option=-${word:i:1} value=${word:i+1}
			attached=$value
			break
		done
	fi
	return 0
}

# Completes the name of a program, in COMPREPLY: no keyword can be run.
_retry_programs() {
	COMPREPLY=($(compgen -c -- "$1" | grep -vxF "$(compgen -k)"))
}

# Completes the value of an option that takes a KIND, in COMPREPLY.
_retry_value() {
	local kind=$1 value=$2 prefix=''
	case $kind in
	COMMAND)
		_retry_programs "$value"
		return ;;
	FILE)
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$value"))
		return ;;
	BUDGET)
		if [[ ${value##*/} != *:* ]]; then
			_retry_value FILE "$value"
			return
		fi
		kind=PARAM_budget
		prefix=${value%"${value##*[:,]}"}
		compopt -o nospace ;;
	FORMAT)
		if [[ $value == *:* ]]; then
			compopt -o filenames
			COMPREPLY=($(compgen -f -P "${value%%:*}:" -- \
			    "${value#*:}"))
			return
		fi ;;
	NAME)
		prefix=${value%"${value##*,}"} ;;
	TOPIC)
		[[ $value == -* ]] && kind=OPTION ;;
	SET)
		prefix=${value%"${value##*[,!^]}"} ;;
	SCRIPT)
		prefix=${value%"${value##*,}"}
		[[ ${value#"$prefix"} == p* ]] && compopt -o nospace ;;
	STRATEGY)
		if [[ $value == *:* ]]; then
			kind=PARAM_${value%%:*}
			prefix=${value%"${value##*[:,]}"}
			compopt -o nospace
		fi ;;
	esac
	COMPREPLY=($(compgen -P "$prefix" -W "${_retry_words[$kind]-}" -- \
	    "${value#"$prefix"}"))
}

# What readline takes for a word may begin in the middle of ours.
_retry_trim() {
	local head=${cur%"$1"} breaks=${COMP_WORDBREAKS//[^=:]/} done=''
	COMPREPLY=("${COMPREPLY[@]/#/$head}")
	[[ $breaks && $cur == *["$breaks"]* ]] || return 0
	done=${cur%"${cur##*["$breaks"]}"}
	COMPREPLY=("${COMPREPLY[@]#"$done"}")
}

# Completes the command that begins at the given word, and its own words.
_retry_command() {
	local i offset=0 piece
	declare -F _command_offset >/dev/null || return
	for ((i = 0; i < $1; i++)); do
		piece=${COMP_WORDS[offset++]}
		while [[ $piece != "${words[i]}" ]]; do
			piece+=${COMP_WORDS[offset++]}
		done
	done
	_command_offset "$offset"
}

_retry() {
	# shellcheck disable=SC2034 # the first line of bash-completion sets them
	local cur prev words cword i option='' value='' attached='' ended=''
	if declare -F _init_completion >/dev/null; then
		_init_completion -n =: || return
	else
		# Words are what stands between blanks; "=" and ":" split none.
		read -ra words <<<"${COMP_LINE:0:COMP_POINT}x"
		cword=$((${#words[@]} - 1)) cur=${words[-1]%x} prev=${words[-2]}
	fi

	for ((i = 1; i < cword && !${#ended}; i++)); do
		if [[ $option && ! $attached ]]; then
			option=
		elif [[ ${words[i]} == -- ]]; then
			ended=yes
		elif [[ ${words[i]} == -?* ]]; then
			_retry_split "${words[i]}"
		else
			break
		fi
	done

	if [[ $prev == --help || $prev == -h ]] && ((i == cword)) &&
	    [[ ! $ended && $cur != -* ]]; then
		COMPREPLY=($(compgen -W "${_retry_words[TOPIC]}" -- "$cur"))
	elif [[ $option && ! $attached && ! $ended ]]; then
		_retry_value "${_retry_kinds[$option]-}" "$cur"
		_retry_trim "$cur"
	elif ((i == cword)) && [[ $cur != */* && ($ended || $cur != -*) ]]; then
		_retry_programs "$cur"
	elif ((i < cword)) || [[ $ended || $cur != -* ]]; then
		_retry_command "$i"
	else
		_retry_split "$cur"
		if [[ $attached ]]; then
			_retry_value "${_retry_kinds[$option]-}" "$value"
			_retry_trim "$value"
			return
		fi
		COMPREPLY=($(compgen -W "$_retry_names" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	fi
} &&
	complete -F _retry retry
