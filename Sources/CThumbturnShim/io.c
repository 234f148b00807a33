/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim_io.h"

#include "thumbturn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int64_t shim_now(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int shim_errno(void)
{
	return errno;
}

const char *shim_default_socket(void)
{
	return THUMBTURN_SOCKET;
}

const char *shim_empty_text(void)
{
	return "";
}

void shim_close(int descriptor)
{
	int saved = errno;

	if (descriptor >= 0)
		close(descriptor);
	errno = saved;
}

void shim_wipe(void *bytes, size_t count)
{
	if (bytes != NULL)
		explicit_bzero(bytes, count);
}

/* More than sending takes: a few frames of 2 KiB. */
__attribute__((noinline)) void shim_wipe_stack(void)
{
	unsigned char room[12288];

	explicit_bzero(room, sizeof(room));
}

static int left_until(int64_t deadline)
{
	int64_t left = deadline - shim_now();

	if (left < 0)
		return 0;
	return left > INT32_MAX ? INT32_MAX : (int)left;
}

/* A host may have closed 0 to 2 and open them again behind our back. */
static int moved_above_standard(int descriptor)
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

/* A full backlog blocks connect(); only SO_SNDTIMEO gives it a limit. */
static int connect_until(int descriptor, const struct sockaddr_un *address, int64_t deadline)
{
	for (;;) {
		int left = left_until(deadline);
		struct timeval limit = { .tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 };

		if (left == 0) {
			errno = EAGAIN;
			return -1;
		}
		if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) != 0)
			return -1;
		if (connect(descriptor, (const struct sockaddr *)address, sizeof(*address)) == 0)
			return 0;
		if (errno != EINTR)
			return -1;
	}
}

/* The credentials are those the listener had when it called listen(). */
static int listener_is_root(int descriptor)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(peer);

	if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return -1;
	if (size == sizeof(peer) && peer.uid == 0)
		return 0;
	errno = EPERM;
	return -1;
}

int shim_connect(const char *path, int limit_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int64_t deadline = shim_now() + limit_ms;
	size_t length = strlen(path);
	int descriptor;

	if (length == 0 || length >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, length);
	descriptor = moved_above_standard(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	if (descriptor < 0)
		return -1;
	if (connect_until(descriptor, &address, deadline) == 0 && listener_is_root(descriptor) == 0)
		return descriptor;
	shim_close(descriptor);
	return -1;
}

int shim_send(int descriptor, const void *bytes, size_t count)
{
	ssize_t sent;

	do
		sent = send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0 && (size_t)sent != count)
		errno = EMSGSIZE;
	return sent >= 0 && (size_t)sent == count ? 0 : -1;
}

long shim_receive(int descriptor, void *buffer, size_t size)
{
	struct iovec part = { .iov_base = buffer, .iov_len = size };
	int resets = 0;

	for (;;) {
		/* No room for control data: descriptors sent along are closed by the kernel. */
		struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
		ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT);

		if (count >= 0)
			return message.msg_flags & MSG_TRUNC ? SHIM_TRUNCATED : (long)count;
		/*
		 * A peer that closed with something of ours unread is reported
		 * first; what it had sent before still waits behind the error.
		 */
		if (errno == ECONNRESET && resets++ < 2)
			continue;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return SHIM_NOTHING;
		if (errno != EINTR)
			return SHIM_FAILED;
	}
}

int shim_wait(int descriptor, int limit_ms)
{
	int64_t deadline = shim_now() + (limit_ms > 0 ? limit_ms : 0);

	for (;;) {
		struct pollfd watched = { .fd = descriptor, .events = POLLIN };
		int ready = poll(&watched, 1, left_until(deadline));

		if (ready >= 0)
			return ready > 0;
		if (errno != EINTR)
			return 0;
	}
}
