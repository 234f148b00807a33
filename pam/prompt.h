/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.h - what a person reads. */
#ifndef PROMPT_H
#define PROMPT_H

#include "attempt.h"

#define PROMPT_SIZE 512
#define NOTE_SIZE 512

/*
 * How much a refusal says to the person. Why the password is needed first is said
 * where it is asked for; that a request may not use the reader at all, as one of
 * another session, is nobody's news and says nothing.
 */
enum manner {
	MANNER_NOTE,
	MANNER_REASON, /* in the prompt */
	MANNER_SILENT,
};
enum manner manner_of_refusal(int refusal);

/* The prompt for the first event, whose kind is 0 when none came in time. */
void prompt_of_event(char prompt[PROMPT_SIZE], const struct attempt *attempt, const struct thumbturn_event *event);

/* The prompt that says why only the password counts. */
void prompt_of_reason(char prompt[PROMPT_SIZE], const struct attempt *attempt, int refusal);

/* The prompt where the reader is not listening yet. */
void prompt_elsewhere(char prompt[PROMPT_SIZE], const struct options *options);

/* A note behind the prompt, on its line; empty when there is nothing to say. */
void note_of_event(char note[NOTE_SIZE], const struct thumbturn_event *event);
void note_of_refusal(char note[NOTE_SIZE], const struct attempt *attempt, int refusal);

/* A line of its own, for hosts that show messages; empty likewise. */
void line_of_event(char line[NOTE_SIZE], const struct thumbturn_event *event);

/* The same for a refusal. */
const char *line_of_refusal(int refusal);

#endif
