/* SPDX-License-Identifier: Apache-2.0 */
#include "prompt.h"

#include <stdio.h>
#include <string.h>

/* " (right index)" for the only enrolled finger, else nothing. */
static void finger_text(char text[32], int finger)
{
	const char *name = thumbturn_finger_name(finger);

	text[0] = '\0';
	if (name[0] == '\0')
		return;
	snprintf(text, 32, " (%s)", name);
	for (char *place = text; *place != '\0'; place++) {
		if (*place == '-')
			*place = ' ';
	}
}

/* "Touch the fingerprint reader (right index)" */
static void call_to_touch(char text[NOTE_SIZE], const struct thumbturn_event *event)
{
	char finger[32] = "";

	finger_text(finger, event->finger);
	snprintf(text, NOTE_SIZE, "%s the fingerprint reader%s", event->swipe ? "Swipe your finger over" : "Touch", finger);
}

/* "Fingerprint reader in use by sudo on pts/3"; either name may be missing. */
static void holder_text(char text[NOTE_SIZE], const struct thumbturn_event *event)
{
	snprintf(text, NOTE_SIZE, "Fingerprint reader in use%s%.100s%s%.100s", event->name[0] != '\0' ? " by " : "",
		 event->name, event->terminal[0] != '\0' ? " on " : "", event->terminal);
}

/* What there is to type. */
static const char *secret_text(const struct attempt *attempt)
{
	return attempt->pattern_offered ? "pattern or password" : "password";
}

void prompt_of_event(char prompt[PROMPT_SIZE], const struct attempt *attempt, const struct thumbturn_event *event)
{
	const char *secret = secret_text(attempt);
	char text[NOTE_SIZE];

	if (attempt->options.prompt != NULL) {
		snprintf(prompt, PROMPT_SIZE, "%s", attempt->options.prompt);
	} else if (event->kind == THUMBTURN_FINGER_ENDED) {
		snprintf(prompt, PROMPT_SIZE, "Type your %s: ", secret);
	} else if (event->kind == THUMBTURN_WAITING) {
		holder_text(text, event);
		snprintf(prompt, PROMPT_SIZE, "%.400s; type your %s%s or wait: ", text, secret,
			 attempt->pattern_offered ? "," : "");
	} else {
		call_to_touch(text, event);
		snprintf(prompt, PROMPT_SIZE, "%.400s%s or type your %s: ", text, attempt->pattern_offered ? "," : "",
			 secret);
	}
}

void prompt_elsewhere(char prompt[PROMPT_SIZE], const struct options *options)
{
	snprintf(prompt, PROMPT_SIZE, "%s",
		 options->prompt != NULL ? options->prompt : "Password (or press Enter to use the fingerprint reader): ");
}

static const char *reason_for_another_try(const struct thumbturn_event *event, char room[64])
{
	if (event->kind == THUMBTURN_RETRY)
		return thumbturn_retry_message(event->retry_reason);
	snprintf(room, 64, "not recognised, %d %s left", event->tries_left, event->tries_left == 1 ? "try" : "tries");
	return room;
}

void line_of_event(char line[NOTE_SIZE], const struct thumbturn_event *event)
{
	char room[64];

	line[0] = '\0';
	if (event->kind == THUMBTURN_ACCEPTED)
		call_to_touch(line, event);
	else if (event->kind == THUMBTURN_WAITING)
		holder_text(line, event);
	else if (event->kind == THUMBTURN_RETRY || (event->kind == THUMBTURN_MISMATCH && event->tries_left > 0))
		snprintf(line, NOTE_SIZE, "Fingerprint: %s", reason_for_another_try(event, room));
}

void note_of_event(char note[NOTE_SIZE], const struct thumbturn_event *event)
{
	char text[NOTE_SIZE];
	char room[64];

	note[0] = '\0';
	if (event->kind == THUMBTURN_WAITING) {
		holder_text(text, event);
		snprintf(note, NOTE_SIZE, " (%.400s) ", text);
	} else if (event->kind == THUMBTURN_RETRY || event->tries_left > 0) {
		/* With no try left the refusal follows at once and says more. */
		snprintf(note, NOTE_SIZE, " (%s) ", reason_for_another_try(event, room));
	}
}

void note_of_refusal(char note[NOTE_SIZE], const struct attempt *attempt, int refusal)
{
	snprintf(note, NOTE_SIZE, " (%s; type your %s) ", thumbturn_refusal_message(refusal), secret_text(attempt));
}
