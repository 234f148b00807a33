/* SPDX-License-Identifier: Apache-2.0 */
/*
 * piped.h - the two hosts that ask over pipes: polkit's helper and xsecurelock's.
 *
 * Both have one thread and keep no state between prompts that an answer would
 * change, so their conversation may run in a process beside the host.
 */
#ifndef PIPED_H
#define PIPED_H

#include "attempt.h"

struct ucred;

/*
 * Whether the host is one of the two: by its service, and by what its standard input
 * and output are. polkit's helper is setuid and shows nothing on a terminal of its
 * own; but it is asked by an agent, and nobody but root can give another program
 * that is setuid the name "polkit-1".
 */
bool piped_host(const struct attempt *attempt);

/* The same for polkit's alone, whose agent shows messages beside its prompt. */
bool piped_shows_messages(const struct attempt *attempt);

/* The agent that asks polkit's helper, where the kernel says who that is. */
bool piped_agent(const struct attempt *attempt, struct ucred *agent);

/*
 * Ends xsecurelock's dialog: it waits for keys alone, unless SIGCHLD interrupts
 * it; `answers` becomes readable then. Does nothing for polkit's agent.
 */
void piped_dismiss(const struct attempt *attempt, int answers);

/* Discards answers that are on their way to a prompt that is over. */
void piped_drain(void);

#endif
