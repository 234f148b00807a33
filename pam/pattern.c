/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern.h"

#include <security/pam_ext.h>
#include <string.h>
#include <syslog.h>

#include "clock.h"
#include "log.h"

#define FEWEST_CELLS 4
#define MOST_CELLS 9
#define CONNECT_MS 250
#define ANSWER_MS 3000 /* connecting included; a pattern takes some tenths of a second */
#define MOST_EVENTS 64 /* so that a flood has an end before the time is up */

bool pattern_has_shape(const char *typed)
{
	size_t length = typed != NULL ? strnlen(typed, MOST_CELLS + 1) : 0;

	if (length < FEWEST_CELLS || length > MOST_CELLS)
		return false;
	for (size_t index = 0; index < length; index++) {
		if (typed[index] < '1' || typed[index] > '9')
			return false;
	}
	return true;
}

/* Takes what had come before the answer; false when the conversation is over. */
static bool is_open(struct attempt *attempt)
{
	struct thumbturn_event event;

	for (int taken = 0; taken < MOST_EVENTS; taken++) {
		switch (thumbturn_next_event(&attempt->conversation, 0, &event)) {
		case THUMBTURN_OK:
			break;
		case THUMBTURN_NOTHING:
			return true;
		case THUMBTURN_ENDED:
		default:
			return false;
		}
	}
	return false;
}

/* Opens a conversation for the sake of the pattern; it is offered first or not at all. */
static bool open_anew(struct attempt *attempt, int64_t deadline)
{
	struct thumbturn_event event;

	thumbturn_close(&attempt->conversation);
	if (!attempt_begin(attempt, attempt->options.tries, attempt->options.timeout, CONNECT_MS))
		return false;
	if (thumbturn_next_event(&attempt->conversation, clock_left(deadline), &event) != THUMBTURN_OK)
		return false;
	return event.kind == THUMBTURN_PATTERN_OFFERED;
}

/*
 * Whether the daemon takes a pattern now. At a prompt that stood for long, the
 * conversation may have ended meanwhile although one was offered.
 */
static bool is_offered(struct attempt *attempt, int64_t deadline)
{
	if (attempt->begun && !attempt->pattern_offered)
		return false;
	return (attempt->begun && is_open(attempt)) || open_anew(attempt, deadline);
}

static bool refused(struct attempt *attempt, int *result)
{
	int refusal = thumbturn_refusal(&attempt->conversation);

	if (refusal != THUMBTURN_WRONG_PATTERN) {
		log_refusal(attempt, refusal, thumbturn_error(&attempt->conversation));
		return false;
	}
	pam_syslog(attempt->pamh, LOG_NOTICE, "wrong pattern for %s", attempt->user);
	*result = thumbturn_pam_code(refusal);
	return true;
}

bool pattern_decides(struct attempt *attempt, const char *typed, int *result)
{
	int64_t deadline = clock_now() + ANSWER_MS;
	struct thumbturn_event event;

	if (!is_offered(attempt, deadline) || thumbturn_answer(&attempt->conversation, typed) != THUMBTURN_OK)
		return false;
	for (int taken = 0; taken < MOST_EVENTS; taken++) {
		switch (thumbturn_next_event(&attempt->conversation, clock_left(deadline), &event)) {
		case THUMBTURN_OK:
			break;
		case THUMBTURN_NOTHING:
			log_debug(attempt, "no answer about the pattern in time");
			return false;
		case THUMBTURN_ENDED:
		default:
			return refused(attempt, result);
		}
		if (event.kind == THUMBTURN_PASSED_ON)
			return false;
		if (event.kind == THUMBTURN_REFUSED)
			return refused(attempt, result);
		if (event.kind == THUMBTURN_GRANTED) {
			*result = attempt_granted(attempt, "granted by pattern");
			return true;
		}
	}
	return false;
}
