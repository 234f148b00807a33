/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "piped.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"

#define POLKIT "polkit-1"
#define XSECURELOCK "xsecurelock"

#define MOST_CALLS 4 /* a signal that comes while the dialog draws is lost */
#define CALL_MS 25
#define MOST_READS 8

static bool is_pipe(int descriptor)
{
	struct stat status;

	return fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

bool piped_host(const struct attempt *attempt)
{
	bool polkit = strcmp(attempt->service, POLKIT) == 0 && geteuid() == 0;

	return (polkit || strcmp(attempt->service, XSECURELOCK) == 0) && is_pipe(STDIN_FILENO) &&
	       is_pipe(STDOUT_FILENO) && process_has_one_thread();
}

bool piped_shows_messages(const struct attempt *attempt)
{
	return strcmp(attempt->service, POLKIT) == 0;
}

bool piped_agent(const struct attempt *attempt, struct ucred *agent)
{
	socklen_t size = sizeof(*agent);

	if (strcmp(attempt->service, POLKIT) != 0 || geteuid() != 0)
		return false;
	/* A pipe has no peer; an agent of another pid namespace has no number. */
	return getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, agent, &size) == 0 && size == sizeof(*agent) &&
	       agent->pid > 0;
}

void piped_dismiss(const struct attempt *attempt, int answers)
{
	struct pollfd answered = { .fd = answers, .events = POLLIN };
	pid_t dialog = getppid();

	if (strcmp(attempt->service, XSECURELOCK) != 0 || dialog <= 1)
		return;
	/* Whoever does not listen for it ignores it: the disposition of SIGCHLD. */
	for (int calls = 0; calls < MOST_CALLS; calls++) {
		if (kill(dialog, SIGCHLD) != 0 || poll(&answered, 1, CALL_MS) > 0)
			return;
	}
}

void piped_drain(void)
{
	char unread[512];
	int count = 0;

	for (int reads = 0; reads < MOST_READS; reads++) {
		if (ioctl(STDIN_FILENO, FIONREAD, &count) != 0 || count <= 0)
			break;
		if (read(STDIN_FILENO, unread, (size_t)count < sizeof(unread) ? (size_t)count : sizeof(unread)) <= 0)
			break;
	}
	explicit_bzero(unread, sizeof(unread));
}
