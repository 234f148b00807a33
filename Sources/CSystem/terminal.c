/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CSystem.h"

#include <sys/ioctl.h>
#include <sys/signalfd.h>

int csystem_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	sigset_t set;
	size_t index;

	sigemptyset(&set);
	for (index = 0; index < sizeof(numbers) / sizeof(numbers[0]); index++)
		sigaddset(&set, numbers[index]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int csystem_next_signal(int signals)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

int csystem_columns(int terminal)
{
	struct winsize size;

	return ioctl(terminal, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}
