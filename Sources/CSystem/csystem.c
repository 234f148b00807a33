/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CSystem.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>

int csystem_errno(void)
{
	return errno;
}

int csystem_open(const char *path, int flags, mode_t mode)
{
	return open(path, flags | O_CLOEXEC, mode);
}

int csystem_openat(int directory, const char *path, int flags, mode_t mode)
{
	return openat(directory, path, flags | O_CLOEXEC, mode);
}

static int address_of(const char *path, struct sockaddr_un *address)
{
	size_t length = strlen(path);

	if (length == 0 || length >= sizeof(address->sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path, path, length);
	return 0;
}

static int close_failed(int descriptor)
{
	int saved = errno;

	close(descriptor);
	errno = saved;
	return -1;
}

/*
 * Removes a socket that nobody listens on any more. A typing error must cost no
 * file, and a daemon that runs must not lose its place to a second one.
 */
static int clear_place(const char *path, const struct sockaddr_un *address)
{
	struct stat status;
	int probe;
	int failure;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISSOCK(status.st_mode)) {
		errno = ENOTSOCK;
		return -1;
	}
	probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (probe < 0)
		return -1;
	failure = connect(probe, (const struct sockaddr *)address, sizeof(*address)) < 0 ? errno : 0;
	close(probe);
	if (failure != ECONNREFUSED) {
		/* A full backlog (EAGAIN) and another type (EPROTOTYPE) have a listener, too. */
		errno = EADDRINUSE;
		return -1;
	}
	return unlink(path);
}

int csystem_listen(const char *path, mode_t mode, int backlog)
{
	struct sockaddr_un address;
	int listener;

	if (address_of(path, &address) < 0)
		return -1;
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0)
		return -1;
	if (clear_place(path, &address) < 0)
		return close_failed(listener);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 || chmod(path, mode) < 0 ||
	    listen(listener, backlog) < 0)
		return close_failed(listener);
	return listener;
}

int csystem_connect(const char *path, int limit_ms)
{
	/* A full backlog blocks connect(), and SO_SNDTIMEO is what bounds it. */
	struct timeval limit = { limit_ms / 1000, (limit_ms % 1000) * 1000 };
	struct sockaddr_un address;
	int connection;

	if (address_of(path, &address) < 0)
		return -1;
	connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (connection < 0)
		return -1;
	if (setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0)
		return close_failed(connection);
	while (connect(connection, (struct sockaddr *)&address, sizeof(address)) < 0) {
		if (errno != EINTR)
			return close_failed(connection);
	}
	return connection;
}

int csystem_connect_stream(const char *path)
{
	struct sockaddr_un address;
	int connection;

	if (address_of(path, &address) < 0)
		return -1;
	connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (connection < 0)
		return -1;
	if (connect(connection, (struct sockaddr *)&address, sizeof(address)) < 0)
		return close_failed(connection);
	return connection;
}

int csystem_set_nonblocking(int descriptor)
{
	int flags = fcntl(descriptor, F_GETFL);

	return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int csystem_accept(int listener)
{
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int csystem_socketpair(int pair[2], int buffer)
{
	int end;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	for (end = 0; end < 2; end++) {
		/* The limit for the unprivileged (net.core.wmem_max) is enough for one packet. */
		setsockopt(pair[end], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
	}
	return 0;
}

int csystem_pipe(int pair[2])
{
	return pipe2(pair, O_CLOEXEC);
}

int csystem_peer(int connection, pid_t *pid, uid_t *uid, gid_t *gid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -1;
	*pid = peer.pid;
	*uid = peer.uid;
	*gid = peer.gid;
	return 0;
}

ssize_t csystem_send(int connection, const void *bytes, size_t count)
{
	ssize_t sent;

	do
		sent = send(connection, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent;
}

ssize_t csystem_receive(int connection, void *bytes, size_t capacity)
{
	struct iovec part = { bytes, capacity };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t received;

	do
		received = recvmsg(connection, &message, MSG_DONTWAIT);
	while (received < 0 && errno == EINTR);
	if (received >= 0 && (message.msg_flags & MSG_TRUNC)) {
		errno = EMSGSIZE;
		return -1;
	}
	return received;
}

int csystem_random(void *bytes, size_t count)
{
	size_t done = 0;

	while (done < count) {
		ssize_t got = getrandom((char *)bytes + done, count - done, 0);

		if (got < 0 && errno != EINTR)
			return -1;
		if (got > 0)
			done += (size_t)got;
	}
	return 0;
}

void csystem_wipe(void *bytes, size_t count)
{
	explicit_bzero(bytes, count);
}

__attribute__((noinline)) void csystem_wipe_stack(void)
{
	unsigned char room[16384];

	explicit_bzero(room, sizeof(room));
}

int csystem_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int64_t csystem_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t csystem_asleep_milliseconds(void)
{
	struct timespec awake;
	int64_t since_boot;

	/* The later of the two is read last, so that the difference is never below 0. */
	clock_gettime(CLOCK_MONOTONIC, &awake);
	since_boot = csystem_milliseconds();
	return since_boot - ((int64_t)awake.tv_sec * 1000 + awake.tv_nsec / 1000000);
}

void csystem_open_log(const char *identifier, int facility)
{
	openlog(identifier, LOG_PID, facility);
}

void csystem_log(int priority, const char *text)
{
	syslog(priority, "%s", text);
}

void csystem_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}

int csystem_harden(void)
{
	struct rlimit none = { 0, 0 };

	umask(077);
	/* Freed memory is overwritten with this byte, but for blocks below 1 KB. */
	if (mallopt(M_PERTURB, 0x54) != 1)
		return -1;
	if (setrlimit(RLIMIT_CORE, &none) < 0)
		return -1;
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int csystem_sync_folder(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result;

	if (folder < 0)
		return -1;
	result = fsync(folder);
	if (result < 0)
		return close_failed(folder);
	close(folder);
	return 0;
}
