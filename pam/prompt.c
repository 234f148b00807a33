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

enum manner manner_of_refusal(int refusal)
{
	switch (refusal) {
	case THUMBTURN_LOCKED_OUT:
	case THUMBTURN_PASSWORD_AFTER_START:
	case THUMBTURN_PASSWORD_DUE:
	case THUMBTURN_LOCKDOWN:
	case THUMBTURN_HOME_CLOSED:
		return MANNER_REASON;
	case THUMBTURN_REMOTE:
	case THUMBTURN_LID_CLOSED:
	case THUMBTURN_NOT_AT_SEAT:
	case THUMBTURN_FACTOR_OFF:
		return MANNER_SILENT;
	default:
		return MANNER_NOTE;
	}
}

/* Whether somebody asks to become another, whose finger and password it then is. */
static bool is_for_another(const struct attempt *attempt)
{
	return attempt->caller[0] != '\0' && strcmp(attempt->caller, attempt->user) != 0;
}

/* What the secret is asked for: "sudo: ", "su ada: ". */
static void purpose_text(char text[NOTE_SIZE], const struct attempt *attempt)
{
	const char *service = strcmp(attempt->service, "polkit-1") == 0 ? "polkit" : attempt->service;
	bool other = is_for_another(attempt);

	snprintf(text, NOTE_SIZE, "%.64s%s%.64s: ", service, other ? " " : "", other ? attempt->user : "");
	for (char *place = text; *place != '\0'; place++) {
		if ((unsigned char)*place < ' ' || *place == 127)
			*place = '?';
	}
}

/* What there is to type. */
static const char *secret_text(const struct attempt *attempt)
{
	if (is_for_another(attempt))
		return attempt->pattern_offered ? "the pattern or password" : "the password";
	return attempt->pattern_offered ? "your pattern or password" : "your password";
}

/* The first letter of our sentences, for the middle of one. */
static void begin_small(char *text)
{
	if (text[0] >= 'A' && text[0] <= 'Z')
		text[0] += 'a' - 'A';
}

/* The prompt without its purpose. */
static void request_text(char text[NOTE_SIZE], const struct attempt *attempt, const struct thumbturn_event *event)
{
	const char *secret = secret_text(attempt);
	const char *comma = attempt->pattern_offered ? "," : "";
	char start[NOTE_SIZE];

	if (event->kind == THUMBTURN_FINGER_ENDED) {
		bool reason = manner_of_refusal(event->refusal) == MANNER_REASON;

		snprintf(text, NOTE_SIZE, "%s%stype %s: ", reason ? thumbturn_refusal_message(event->refusal) : "",
			 reason ? "; " : "", secret);
		return;
	}
	if (event->kind == THUMBTURN_WAITING)
		holder_text(start, event);
	else
		call_to_touch(start, event);
	begin_small(start);
	if (event->kind == THUMBTURN_WAITING)
		snprintf(text, NOTE_SIZE, "%.300s; type %s%s or wait: ", start, secret, comma);
	else
		snprintf(text, NOTE_SIZE, "%.300s%s or type %s: ", start, comma, secret);
}

void prompt_of_event(char prompt[PROMPT_SIZE], const struct attempt *attempt, const struct thumbturn_event *event)
{
	char purpose[NOTE_SIZE], request[NOTE_SIZE];

	if (attempt->options.prompt != NULL) {
		snprintf(prompt, PROMPT_SIZE, "%s", attempt->options.prompt);
		return;
	}
	purpose_text(purpose, attempt);
	request_text(request, attempt, event);
	snprintf(prompt, PROMPT_SIZE, "%.140s%.370s", purpose, request);
}

void prompt_of_reason(char prompt[PROMPT_SIZE], const struct attempt *attempt, int refusal)
{
	char purpose[NOTE_SIZE];

	purpose_text(purpose, attempt);
	snprintf(prompt, PROMPT_SIZE, "%.140s%.300s. Password: ", purpose, thumbturn_refusal_message(refusal));
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
	note[0] = '\0';
	if (manner_of_refusal(refusal) != MANNER_SILENT)
		snprintf(note, NOTE_SIZE, " (%s; type %s) ", thumbturn_refusal_message(refusal), secret_text(attempt));
}

const char *line_of_refusal(int refusal)
{
	return manner_of_refusal(refusal) == MANNER_SILENT ? "" : thumbturn_refusal_message(refusal);
}
