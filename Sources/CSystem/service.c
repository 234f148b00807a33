/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a service manager passes in and is told: the protocols of sd_listen_fds(3),
 * sd_notify(3) and of the journal's socket, which are stable and a few lines each.
 * libsystemd brings libgcrypt and four more libraries into a root process for them.
 */
#define _GNU_SOURCE
#include "CSystem.h"

#define FIRST_PASSED 3

int csystem_passed_listener(void)
{
	const char *process = getenv("LISTEN_PID");
	const char *count = getenv("LISTEN_FDS");
	int passed = process != NULL && count != NULL && strtol(process, NULL, 10) == (long)getpid() &&
		     strtol(count, NULL, 10) > 0;
	int type = 0, listening = 0;
	socklen_t size = sizeof(int);

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!passed) {
		errno = ENOENT;
		return -1;
	}
	if (getsockopt(FIRST_PASSED, SOL_SOCKET, SO_TYPE, &type, &size) < 0 ||
	    getsockopt(FIRST_PASSED, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0)
		return -1;
	if (type != SOCK_SEQPACKET || !listening) {
		errno = EPROTOTYPE;
		return -1;
	}
	if (fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC) < 0 || csystem_set_nonblocking(FIRST_PASSED) < 0)
		return -1;
	return FIRST_PASSED;
}

int csystem_send_datagram(const char *path, const void *bytes, size_t count)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(path);
	ssize_t sent;
	int saved, sender;

	if (length < 2 || length >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@')) {
		errno = EINVAL;
		return -1;
	}
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sender < 0)
		return -1;
	sent = sendto(sender, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&address,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	saved = errno;
	close(sender);
	errno = saved;
	return sent < 0 ? -1 : 0;
}

void csystem_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");

	/* A manager that does not listen is no reason not to serve. */
	if (path != NULL)
		(void)csystem_send_datagram(path, state, strlen(state));
}
