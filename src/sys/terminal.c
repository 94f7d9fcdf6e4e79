/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/terminal.h"

void
terminal_begin(struct terminal *terminal)
{
	int tty = file_open(_PATH_TTY, O_RDWR);

	terminal->known = tty != -1 && tcgetpgrp(tty) == getpgrp() &&
	    tcgetattr(tty, &terminal->modes) == 0;
	file_close(&tty);
}

/*
 * All signals are blocked, so that no call stops `retry`.  TCSADRAIN would wait
 * for a terminal that ^S has stopped.
 */
void
terminal_restore(const struct terminal *terminal, bool killed)
{
	const int tty = terminal->known ? file_open(_PATH_TTY, O_RDWR) : -1;

	if (tty == -1)
		return;
	const pid_t group = tcgetpgrp(tty);
	if (group > 0 && kill(-group, 0) == -1 && errno == ESRCH)
		tcsetpgrp(tty, getpgrp());
	if (killed && tcgetpgrp(tty) == getpgrp())
		tcsetattr(tty, TCSANOW, &terminal->modes);
	close(tty);
}
