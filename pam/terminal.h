/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

/* `descriptor`, moved above 2 where there is room: hosts may have closed 0 to 2. */
int above_standard(int descriptor);

/*
 * Opens the host's controlling terminal, if `name` (below /dev) is it and the host
 * is one that the watcher can help: root, with one thread. -1 if not.
 */
int terminal_open(const char *name);

/*
 * Whether the host runs with rights that its caller lacks, as sudo and su do. What
 * its caller shows of it, or hides, is then up to the caller.
 */
bool host_is_setuid(void);

/* Whether `group` is in front on the terminal. */
bool terminal_in_front(int terminal, pid_t group);

/*
 * The functions below must be called with all signals blocked: from behind, the
 * terminal would answer them with SIGTTOU.
 */

/* Discards what was typed and not yet read. */
void terminal_flush(int terminal);

/* Writes a note. Never waits: a terminal stopped by Ctrl-S loses it. */
void terminal_write(int terminal, const char *text);

/* Types the key that ends a line; false where the kernel refuses. */
bool terminal_push_enter(int terminal);

#endif
