/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSystem.h - the calls that Swift's Glibc module does not show.
 *
 * They need _GNU_SOURCE, which must not be set in a header that Swift imports:
 * modules would disagree about glibc's types. So each is a plain function here
 * and csystem.c defines it. All answer -1 and set errno as the call behind does.
 */
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* errno, which is a macro that Swift does not see. */
int csystem_errno(void);

/* Opens a file; `mode` counts only with O_CREAT. O_CLOEXEC is always added. */
int csystem_open(const char *_Nonnull path, int flags, mode_t mode);
int csystem_openat(int directory, const char *_Nonnull path, int flags, mode_t mode);

/*
 * A listening SOCK_SEQPACKET socket at `path` with these permissions. A dead socket
 * there is removed; EADDRINUSE when somebody listens, ENOTSOCK when it is no socket.
 */
int csystem_listen(const char *_Nonnull path, mode_t mode, int backlog);
/* A SOCK_SEQPACKET connection to `path`; waits at most `limit_ms`. */
int csystem_connect(const char *_Nonnull path, int limit_ms);
/* A SOCK_STREAM connection to `path`, close-on-exec; never waits, EAGAIN where it would have to. */
int csystem_connect_stream(const char *_Nonnull path);
/* Sets O_NONBLOCK, which a socket that was passed on may lack. */
int csystem_set_nonblocking(int descriptor);
/* accept4 with SOCK_CLOEXEC | SOCK_NONBLOCK. */
int csystem_accept(int listener);
/* A SOCK_SEQPACKET pair, close-on-exec, with buffers of `buffer` bytes. */
int csystem_socketpair(int pair[_Nonnull 2], int buffer);
/* pipe2 with O_CLOEXEC. */
int csystem_pipe(int pair[_Nonnull 2]);
/* The peer's pid, uid and gid as the kernel knows them. */
int csystem_peer(int socket, pid_t *_Nonnull pid, uid_t *_Nonnull uid, gid_t *_Nonnull gid);
/* send with MSG_NOSIGNAL | MSG_DONTWAIT; recv with MSG_DONTWAIT that says EMSGSIZE for a cut packet. */
ssize_t csystem_send(int socket, const void *_Nonnull bytes, size_t count);
ssize_t csystem_receive(int socket, void *_Nonnull bytes, size_t capacity);

int csystem_random(void *_Nonnull bytes, size_t count);
void csystem_wipe(void *_Nonnull bytes, size_t count);
/* Overwrites what functions that have returned left on the stack. */
void csystem_wipe_stack(void);
int csystem_pidfd_open(pid_t pid);
/* Milliseconds since boot, time asleep counted (CLOCK_BOOTTIME). */
int64_t csystem_milliseconds(void);

/* Milliseconds that the machine has been asleep since boot (CLOCK_BOOTTIME less CLOCK_MONOTONIC). */
int64_t csystem_asleep_milliseconds(void);
void csystem_log(int priority, const char *_Nonnull text);
/* fsync of a folder given by path. */
int csystem_sync_folder(const char *_Nonnull path);
/* openlog; the identifier is kept, so it must live as long as the process. */
void csystem_open_log(const char *_Nonnull identifier, int facility);

/*
 * No core files, not attachable by others of this uid, files for the owner only
 * (umask 077), and freed memory overwritten: prints pass through many buffers.
 */
int csystem_harden(void);
/* The name that ps and top show, 15 bytes; a program started by descriptor has only a number. */
void csystem_name(const char *_Nonnull name);

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP and opens a descriptor that
 * tells of them; next_signal answers the number of one, 0 when there is none.
 */
int csystem_signals(void);
int csystem_next_signal(int signals);
/* The width of a terminal in columns, 0 when it has none or is none. */
int csystem_columns(int terminal);

/*
 * The listening SOCK_SEQPACKET socket that a service manager passed (sd_listen_fds(3));
 * it never blocks, and its variables are taken out of the environment. ENOENT: none, EPROTOTYPE: another kind.
 */
int csystem_passed_listener(void);
/* Tells the service manager (sd_notify(3)), if there is one. */
void csystem_notify(const char *_Nonnull state);

/* One datagram to a socket (`@` in front: abstract); it is lost when the queue there is full. */
int csystem_send_datagram(const char *_Nonnull path, const void *_Nonnull bytes, size_t count);
/* A record of this kind (AUDIT_USER_...) for the kernel's audit system; needs CAP_AUDIT_WRITE. */
int csystem_audit(int kind, const char *_Nonnull text);

/* How a child program is started. Numbers of -1 mean "as the parent". */
struct csystem_child {
	const char *_Nonnull path;
	char *_Nullable const *_Nonnull arguments;   /* ends with NULL */
	char *_Nullable const *_Nonnull environment; /* ends with NULL */
	int standard_input;  /* becomes descriptor 0, -1: /dev/null */
	int standard_output; /* becomes descriptor 1, -1: /dev/null */
	int channel;         /* becomes descriptor 3, -1: none */
	uid_t uid;           /* with gid and no other groups, (uid_t)-1: unchanged */
	gid_t gid;
	int isolated;        /* no new privileges, own network namespace where possible, tight limits */
	int memory_megabytes; /* RLIMIT_AS, 0: none */
};

/*
 * Starts it with every other descriptor closed, all signals at their defaults,
 * in its own session, to be killed when the parent dies. Returns its pid; a
 * failure before exec is reported as -1 with the errno of what failed.
 */
pid_t csystem_start(const struct csystem_child *_Nonnull child);
/* The exit status of a process that ended by itself, -1 for one that was killed; waits never. -2: not yet. */
int csystem_reap(pid_t pid);

#endif
