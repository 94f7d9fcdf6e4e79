/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/terminal.h"

static int
open_terminal(void)
{
	return file_raise(open(_PATH_TTY, O_RDWR | O_NOCTTY | O_CLOEXEC));
}

void
terminal_begin(struct terminal *terminal)
{
	const int tty = open_terminal();

	terminal->known = tty != -1 && tcgetpgrp(tty) == getpgrp() &&
	    tcgetattr(tty, &terminal->modes) == 0;
	if (tty != -1)
		close(tty);
}

bool
terminal_is_same(const struct terminal *first, const struct terminal *second)
{
	const struct termios *a = &first->modes, *b = &second->modes;

	return first->known && second->known && a->c_iflag == b->c_iflag &&
	    a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	    a->c_lflag == b->c_lflag &&
	    memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

/*
 * All signals are blocked, so that no call stops `retry`.  TCSADRAIN would wait
 * for a terminal that ^S has stopped.
 */
void
terminal_restore(const struct terminal *terminal)
{
	const int tty = terminal->known ? open_terminal() : -1;

	if (tty == -1)
		return;
	const pid_t group = tcgetpgrp(tty);
	if (group > 0 && kill(-group, 0) == -1 && errno == ESRCH)
		tcsetpgrp(tty, getpgrp());
	if (tcgetpgrp(tty) == getpgrp())
		tcsetattr(tty, TCSANOW, &terminal->modes);
	close(tty);
}
