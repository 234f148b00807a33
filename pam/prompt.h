/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.h - what a person reads. */
#ifndef PROMPT_H
#define PROMPT_H

#include "attempt.h"

#define PROMPT_SIZE 512
#define NOTE_SIZE 512

/* The prompt for the first event, whose kind is 0 when none came in time. */
void prompt_of_event(char prompt[PROMPT_SIZE], const struct attempt *attempt, const struct thumbturn_event *event);

/* The prompt where the reader is not listening yet. */
void prompt_elsewhere(char prompt[PROMPT_SIZE], const struct options *options);

/* A note behind the prompt, on its line; empty when there is nothing to say. */
void note_of_event(char note[NOTE_SIZE], const struct thumbturn_event *event);
void note_of_refusal(char note[NOTE_SIZE], const struct attempt *attempt, int refusal);

/* A line of its own, for hosts that show messages; empty likewise. */
void line_of_event(char line[NOTE_SIZE], const struct thumbturn_event *event);

#endif
