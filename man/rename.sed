# SPDX-License-Identifier: MIT
# Puts the program's name into a page or a script: into its head, its links and its
# commands. The word "retry" of the text is left alone. The footer of a page gets the
# name and the version, and a command that is named by its path has the folder into
# which it is installed.
s/^\.Os$/.Os @NAME@ @VERSION@/
s/^(\.Dt) RETRY /\1 @TITLE@ /
s/^(\.Xr) retry /\1 @NAME@ /
s/^(\.Ql )retry( \\-\\-help=)/\1@NAME@\2/
# Images and runners have the program of a release, by its own name.
/^\.Sh CI$/,/^\.Sh CRON$/b
/^\.Sh DOCKER$/,/^\.Sh MANY AT ONCE$/b
# A package has installed it already.
/^@CLONE@$/,/^(installs it\.|\.Ql PATH=.*)$/d
s/^(\.Nm) retry( |$)/\1 @NAME@\2/
s/(^|[^-_[:alnum:]]|\\\(aq)retry (\\?-|(ba)?sh |curl |nosuch)/\1@NAME@ \2/g
s/^((\.Ql )?)retry:/\1@NAME@:/
s/(\["\/?)retry"/\1@NAME@"/
s,/usr/local/bin/@NAME@ ,@BINDIR@/@NAME@ ,g
