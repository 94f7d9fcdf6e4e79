# SPDX-License-Identifier: MIT
#
# shoot.pl SIGNALS FILE COMMAND...: runs the command with no signal ignored, as they
# are behind a shell's `&`, and sends it the signals, which blanks separate, once FILE
# has a line with "ready" or "next". Prints "exit 3" or "signal 15", and ", outlived"
# if a process that the command started has its output 30 seconds later.

use strict;
use warnings;
use POSIX ();

my ($signals, $file, @command) = @ARGV;

sub is_ready {
	open my $lines, '<', $file or return 0;
	return grep { /ready|next/ } <$lines>;
}

$SIG{$_} = 'DEFAULT' for qw(INT QUIT PIPE);
pipe my $output, my $end or die "pipe: $!";
my $pid = fork // die "fork: $!";
if ($pid == 0) {
	POSIX::dup2(fileno $end, 1);
	exec { $command[0] } @command or die "$command[0]: $!";
}
close $end;

select undef, undef, undef, 0.002 until is_ready();
kill $_, $pid for split / /, $signals;
waitpid $pid, 0;
my $signal = $? & 127;
print $signal != 0 ? "signal $signal" : 'exit ' . ($? >> 8);

# The pipe ends when the last process that has it does.
$SIG{ALRM} = sub { print ", outlived\n"; exit };
alarm 30;
1 while sysread $output, my $rest, 4096;
print "\n";
