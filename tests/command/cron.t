#!/bin/sh
#
# A cron of its own runs the lines of the cookbook, and some
# more, at once: @reboot takes the place of their times.

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"
# shellcheck source=tests/lib/machine.sh
. "$TESTS/lib/machine.sh"

machine_make 'cron runs the lines of the cookbook'
have "$machine_promises" cron || finish
recipes
home=$machine/root

# What a line runs fails as often as $FAILURES says.
cat >"$home/feed" <<'END'
#!/bin/sh
echo call >>calls
cat
[ "$(wc -l <calls)" -gt "$FAILURES" ] || { echo 'no feed today'; exit 1; }
END
# The shell of each line notes how it ended.
cat >"$home/shell" <<'END'
#!/bin/sh
rm -f calls
sh "$@"
code=$?
echo "$NAME: $code after $(cat calls 2>/dev/null | wc -l)" >>/root/ended
exit $code
END
cat >"$machine_usr/sbin/sendmail" <<'END'
#!/bin/sh
cat >"$(mktemp /root/mail.XXXXXX)"
END
chmod +x "$home/feed" "$home/shell" "$machine_usr/sbin/sendmail"
mkdir -p "$machine/etc/pam.d" "$machine/var/spool/cron/crontabs"
printf '%s required pam_permit.so\n' auth account session \
    >"$machine/etc/pam.d/cron"
machine_start --as-pid2 sleep 100d

# line NAME FAILURES TEXT: is added to the table, with a folder of its own.
line() {
	mkdir -p "$home/$1"
	cp "$home/feed" "$home/$1"
	{
		printf '%s\n' "NAME=$1" "HOME=/root/$1" "FAILURES=$2"
		# So that no minutes pass before a run gives up.
		printf '%s\n' "$3" | sed 's/ -T / -a 5&/'
	} >>table
}

# lines FAILURES: those that are shown. The third run that fails sends mail.
lines() {
	rm -f table
	for name in 'Mail only if all attempts failed' \
	    'Start at a random moment'; do
		line "$name" "$1" "$(cat "recipes/$name")"
	done
	for name in 'Mail only after three failed runs in a row' \
	    'Back off from one run to the next'; do
		line "$name" 9 "$(cat "recipes/$name")"
	done
}

ended() {
	inside pkill -URG -x retry
	[ "$(grep -c . "$home/ended")" -eq "$(grep -c ^NAME= table)" ] &&
	    [ "$(inside pgrep -c -x cron)" -eq 1 ]
}

# cron: takes the table as it is, and runs it to its end.
cron() {
	inside crontab - <table || return
	rm -f "$home/ended" "$home"/*/mail
	inside rm -f /run/crond.reboot
	{
		echo SHELL=/root/shell
		sed -E 's/^(@[a-z]+|[^@= ]+( [^ ]+){4}) /@reboot /' table
	} | inside crontab -
	inside cron -f &
	wait_for ended
	inside pkill -x cron
	wait $! 2>/dev/null
	for file in "$home"/mail.*; do
		[ ! -e "$file" ] ||
		    mv "$file" "$home/$(sed -n 's/.*<NAME=\(.*\)>/\1/p' \
			"$file")/mail"
	done
}

# does NAME WANT PROMISE: it ended in this status after so many calls, and mailed
# or did not; $mail is what it mailed.
does() {
	mail=
	[ ! -e "$home/$1/mail" ] || mail=$(sed '1,/^$/d' "$home/$1/mail")
	is "$1: $3" \
	    "$(sed -n "s/^$1: //p" "$home/ended")${mail:+, with mail}" "$2"
}

lines 1
line 'Without chronic' 1 '@daily retry ./feed'
line 'Standard input' 2 \
    '@daily retry --output=last --stdin=replay ./feed%one%two'
line 'An escaped percent sign' 1 '@daily retry --output=chronic -j 50\% ./feed'
line 'A percent sign as it is' 0 '@daily retry -j 50% ./feed'
line 'A command that is missing' 0 '@daily retry --output=chronic ./nosuch'
check 'cron takes the lines' cron
for name in 'Mail only if all attempts failed' 'An escaped percent sign' \
    'Start at a random moment'; do
	does "$name" '0 after 2' 'gets over a failure without mail'
done
does 'Mail only after three failed runs in a row' '0 after 5' 'tolerates a run that gave up'
does 'Back off from one run to the next' '1 after 1, with mail' \
    'mails a failure'
does 'Without chronic' '0 after 2, with mail' 'mails that it succeeded'
like 'Without chronic: the mail has the attempt' "$mail" 'succeeded at attempt 2/5'
does 'Standard input' '0 after 3, with mail' 'is for each attempt'
is 'Standard input: gets what follows the percent signs' \
    "$(printf '%s\n' "$mail" | grep -v ^retry | xargs)" 'one two'
does 'A percent sign as it is' '125 after 0, with mail' 'ends the command'
like 'A percent sign as it is: the rest is missing' "$mail" "invalid --jitter '50'"
does 'A command that is missing' '127 after 0, with mail' 'is mailed'
is 'A command that is missing: the mail says what is wrong' "$mail" \
    'retry: cannot execute ./nosuch: No such file or directory'

lines 9
check 'cron takes them again' cron
for name in 'Mail only if all attempts failed' 'Start at a random moment'; do
	does "$name" '1 after 5, with mail' 'mails that it gave up'
	is "$name: the mail has the output of each attempt" \
	    "$(printf '%s\n' "$mail" | grep -cx 'no feed today')" 5
	like "$name: the mail has the messages" "$mail" 'giving up after 5 attempts'
done
does 'Mail only after three failed runs in a row' '0 after 5' 'tolerates a second run'
does 'Back off from one run to the next' '75 after 0' 'skips the next run'

lines 9
check 'cron takes them once more' cron
does 'Mail only after three failed runs in a row' '1 after 5, with mail' \
    'mails that a third run gave up'

finish
