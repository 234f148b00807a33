/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	int pidfd; /* -1 where the kernel gives none */
};

/*
 * Forks without the host noticing: no SIGCHLD, nothing that its waitpid(-1) would
 * find, no atfork handler. All signals must be blocked, and the host must have one
 * thread. 0 in the child, 1 in the host, -1 when there is no process to be had.
 */
int process_start(struct process *child);

/* Whether the host has one thread, without which it must not be forked. */
bool process_has_one_thread(void);

/* In the child: stays root's alone where the host is root, and dies with `host`. */
void process_settle(pid_t host, const char *name);

/* In the child: closes every descriptor that is not `kept`. */
void process_keep(const int *kept, size_t count);

/* Whether a process was stopped by a signal; false where /proc does not tell. */
bool process_is_stopped(pid_t pid);

/*
 * Ends the child and waits until it is gone, for a second at most. `grace_ms`, if not
 * 0, is what it has between SIGTERM and SIGKILL.
 */
void process_end(struct process *child, int grace_ms);

#endif
