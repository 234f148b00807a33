/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speaker.h - a process that runs the host's conversation, while the host waits for
 * the reader. For hosts that speak over pipes only: see piped.h.
 */
#ifndef SPEAKER_H
#define SPEAKER_H

#include "attempt.h"
#include "process.h"

struct speaker {
	struct process process;
	int answers; /* readable once there is an answer, or none to come */
};

/* Asks with `prompt`. False when no process can be had. */
bool speaker_start(struct speaker *speaker, struct attempt *attempt, const char *prompt);

enum heard {
	HEARD_NOTHING,
	HEARD_ANSWER, /* `*typed` is the caller's to wipe and free */
	HEARD_FAILURE, /* `*failure` is what the conversation answered */
};

/* Takes the answer, if there is one by now. */
enum heard speaker_hear(struct speaker *speaker, char **typed, int *failure);

/* Ends the process; an answer that was not taken is wiped. */
void speaker_end(struct speaker *speaker);

#endif
