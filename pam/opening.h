/* SPDX-License-Identifier: Apache-2.0 */
/* opening.h - what the daemon says before the person is asked. */
#ifndef OPENING_H
#define OPENING_H

#include "attempt.h"
#include "prompt.h"

enum opening {
	OPENED,         /* a touch may come while the prompt stands */
	OPENED_TO_TYPE, /* the prompt is for typing alone, and says why where that is news */
	NOT_OPENED,     /* no prompt of ours: the next module decides */
};

/*
 * Opens the conversation and waits some tenths of a second for what the prompt
 * should say; no event at all is a prompt without details. `*queued`: somebody else
 * holds the reader. `*result` is what the module returns when it was not opened.
 */
enum opening open_for_prompt(struct attempt *attempt, bool in_front, char prompt[PROMPT_SIZE], bool *queued,
			     int *result);

#endif
