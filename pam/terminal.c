/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "terminal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "process.h"

int above_standard(int descriptor)
{
	int moved;

	if (descriptor < 0 || descriptor > 2)
		return descriptor;
	moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
	if (moved < 0)
		return descriptor;
	close(descriptor);
	return moved;
}

bool host_is_setuid(void)
{
	/* sudo makes its real uid root's too; how it was started stays. */
	return getuid() != geteuid() || (geteuid() == 0 && getauxval(AT_SECURE) != 0);
}

int terminal_open(const char *name)
{
	char path[64];
	struct stat status;
	int length = snprintf(path, sizeof(path), "/dev/%s", name);
	int terminal;

	if (geteuid() != 0 || !process_has_one_thread())
		return -1;
	if (name[0] == '\0' || name[0] == '/' || strstr(name, "..") != NULL)
		return -1;
	if (length < 0 || (size_t)length >= sizeof(path) || stat(path, &status) != 0 || !S_ISCHR(status.st_mode))
		return -1;
	/* An open file of our own, so that O_NONBLOCK is nobody else's. */
	terminal = above_standard(open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
	if (terminal < 0)
		return -1;
	if (isatty(terminal) && tcgetsid(terminal) == getsid(0))
		return terminal;
	close(terminal);
	return -1;
}

bool terminal_in_front(int terminal, pid_t group)
{
	return tcgetpgrp(terminal) == group;
}

void terminal_flush(int terminal)
{
	tcflush(terminal, TCIFLUSH);
}

void terminal_write(int terminal, const char *text)
{
	(void)!write(terminal, text, strlen(text));
}

bool terminal_push_enter(int terminal)
{
	struct termios mode;
	char key = '\n';

	/* Where newline becomes return and return newline, only return ends a line. */
	if (tcgetattr(terminal, &mode) == 0 && (mode.c_iflag & INLCR) && (mode.c_iflag & ICRNL) &&
	    !(mode.c_iflag & IGNCR))
		key = '\r';
	return ioctl(terminal, TIOCSTI, &key) == 0;
}
