/* SPDX-License-Identifier: Apache-2.0 */
#include <security/pam_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask.h"
#include "clock.h"
#include "log.h"
#include "prompt.h"
#include "terminal.h"

#define CONNECT_MS 250
#define ONLY_S 30
#define ONLY_MISSES 3

/* A message for hosts that show them. False when the conversation failed. */
static bool tell(struct attempt *attempt, int style, const char *text, int *result)
{
	char *unasked = NULL;
	int answer;

	if (attempt->silent || text[0] == '\0')
		return true;
	answer = pam_prompt(attempt->pamh, style, &unasked, "%s", text);
	wipe_and_free(unasked);
	if (answer == PAM_SUCCESS)
		return true;
	*result = conversation_failed(answer);
	return false;
}

/* Says and logs why it is over; the result stands in one table for all. */
static int give_up(struct attempt *attempt, int refusal, int error)
{
	int result = thumbturn_pam_code(refusal);

	log_refusal(attempt, refusal, error);
	tell(attempt, PAM_ERROR_MSG, thumbturn_refusal_message(refusal), &result);
	return result;
}

static int give_up_as_told(struct attempt *attempt)
{
	return give_up(attempt, thumbturn_refusal(&attempt->conversation), thumbturn_error(&attempt->conversation));
}

/* Whether the person can know of the request: see ask.h. */
static bool is_shown(const struct attempt *attempt)
{
	int terminal;
	bool in_front;

	if (!host_is_setuid())
		return true;
	terminal = terminal_open(attempt->terminal);
	if (terminal < 0)
		return false;
	in_front = terminal_in_front(terminal, getpgrp());
	close(terminal);
	return in_front;
}

/* True when the match decided; one that came too late decides nothing. */
static bool matched(struct attempt *attempt, const unsigned char *nonce, int *result)
{
	if (!is_shown(attempt)) {
		log_debug(attempt, "touched while the request was not in front");
		*result = PAM_AUTHINFO_UNAVAIL;
		return true;
	}
	switch (attempt_take(attempt, nonce)) {
	case TAKEN:
		*result = attempt_granted(attempt);
		return true;
	case TAKEN_VOID:
		return false;
	case TAKEN_OVER:
	default:
		*result = PAM_AUTHINFO_UNAVAIL;
		return true;
	}
}

/* One event; true when it decided. */
static bool decide(struct attempt *attempt, const struct thumbturn_event *event, unsigned *misses, int *result)
{
	char line[NOTE_SIZE];

	if (event->kind == THUMBTURN_MATCHED)
		return matched(attempt, event->nonce, result);
	if (event->kind == THUMBTURN_REFUSED) {
		*result = give_up_as_told(attempt);
		return true;
	}
	if (event->kind == THUMBTURN_MISMATCH && *misses <= 1) {
		*result = give_up(attempt, THUMBTURN_NO_MATCH, 0);
		return true;
	}
	if (event->kind == THUMBTURN_MISMATCH)
		(*misses)--;
	line_of_event(line, event);
	return !tell(attempt, PAM_TEXT_INFO, line, result);
}

int wait_for_touch(struct attempt *attempt, unsigned limit_s, unsigned misses)
{
	int64_t deadline = clock_now() + (int64_t)limit_s * 1000;
	struct thumbturn_event event;
	int result = PAM_AUTHINFO_UNAVAIL;

	if (!is_shown(attempt)) {
		log_debug(attempt, "no terminal shows this request");
		return result;
	}
	if (!attempt_begin(attempt, misses, limit_s, CONNECT_MS))
		return thumbturn_pam_code(thumbturn_refusal(&attempt->conversation));
	for (;;) {
		switch (thumbturn_next_event(&attempt->conversation, clock_left(deadline), &event)) {
		case THUMBTURN_OK:
			if (decide(attempt, &event, &misses, &result))
				return result;
			break;
		case THUMBTURN_NOTHING:
			return give_up(attempt, THUMBTURN_TIMED_OUT, 0);
		case THUMBTURN_ENDED:
		default:
			return give_up_as_told(attempt);
		}
		if (clock_left(deadline) == 0)
			return give_up(attempt, THUMBTURN_TIMED_OUT, 0);
	}
}

int touch_only(struct attempt *attempt)
{
	unsigned limit = attempt->options.timeout != 0 ? attempt->options.timeout : ONLY_S;
	unsigned misses = attempt->options.tries != 0 ? attempt->options.tries : ONLY_MISSES;

	return wait_for_touch(attempt, limit, misses);
}
