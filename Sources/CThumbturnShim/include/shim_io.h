/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shim_io.h - the system calls of the shim, for Swift, which has no libc there.
 *
 * None allocates, none touches a signal, and none waits without a limit. An
 * interrupted call goes on with the time that is left.
 */
#ifndef SHIM_IO_H
#define SHIM_IO_H

#include <stddef.h>
#include <stdint.h>

/* What shim_receive() answers besides a number of bytes. */
enum shim_received {
	SHIM_END = 0,        /* the peer hung up, or sent an empty packet */
	SHIM_NOTHING = -1,   /* no packet waits */
	SHIM_TRUNCATED = -2, /* the packet was longer than the buffer */
	SHIM_FAILED = -3,    /* errno says why */
};

/* Milliseconds of a clock that only goes forward. */
int64_t shim_now(void);

/* The errno of the last failed call. */
int shim_errno(void);

/* THUMBTURN_SOCKET, which as a macro would be a String in Swift. */
const char *_Nonnull shim_default_socket(void);

/* "" */
const char *_Nonnull shim_empty_text(void);

/*
 * Connects to a SOCK_SEQPACKET socket within `limit_ms`. A descriptor above 2
 * where there is one, close-on-exec; -1 with errno (EAGAIN: the time was up,
 * EPERM: the listener's uid is not 0).
 */
int shim_connect(const char *_Nonnull path, int limit_ms);

/* Sends one packet without waiting and without SIGPIPE; 0, or -1 with errno. */
int shim_send(int descriptor, const void *_Nullable bytes, size_t count);

/* Takes one packet without waiting; its length, or one of `enum shim_received`. */
long shim_receive(int descriptor, void *_Nonnull buffer, size_t size);

/* Waits until a packet or the end can be taken; 1, 0 when the time is up. */
int shim_wait(int descriptor, int limit_ms);

void shim_close(int descriptor);

/* Overwrites memory in a way the compiler keeps. */
void shim_wipe(void *_Nullable bytes, size_t count);

/*
 * Overwrites what functions that have returned left on the stack: the compiler
 * moves a frame with a secret from place to place, and only the last is wiped.
 */
void shim_wipe_stack(void);

#endif
