/* SPDX-License-Identifier: Apache-2.0 */
#include "opening.h"

#include <stdint.h>

#include "clock.h"
#include "log.h"

#define CONNECT_MS 250
#define BEFORE_PROMPT_MS 300 /* what a silent daemon may cost, connecting included */

/* Kept with the transaction: sudo asks three times in one. */
#define TOLD "thumbturn_told"

/* Whether this reason is news, which it is once. */
static bool is_news(struct attempt *attempt, int refusal)
{
	const void *before = NULL;
	void *mark = (void *)(uintptr_t)refusal; /* a number, so nothing has to be freed */

	if (pam_get_data(attempt->pamh, TOLD, &before) == PAM_SUCCESS && before == mark)
		return false;
	return pam_set_data(attempt->pamh, TOLD, mark, NULL) == PAM_SUCCESS;
}

/* Nothing is to be waited for: logs why. */
static enum opening over(struct attempt *attempt, char prompt[PROMPT_SIZE], int *result)
{
	int refusal = thumbturn_refusal(&attempt->conversation);

	if (refusal == 0)
		refusal = THUMBTURN_MALFORMED; /* nothing else may come first */
	log_refusal(attempt, refusal, thumbturn_error(&attempt->conversation));
	*result = thumbturn_pam_code(refusal);
	if (manner_of_refusal(refusal) != MANNER_REASON || !is_news(attempt, refusal))
		return NOT_OPENED;
	/* The reasons hold for patterns too: what is typed is a password. */
	attempt->pattern_offered = false;
	prompt_of_reason(prompt, attempt, refusal);
	return OPENED_TO_TYPE;
}

/* The prompt of somebody whom the reader cannot serve, though a pattern can. */
static enum opening pattern_alone(struct attempt *attempt, char prompt[PROMPT_SIZE], struct thumbturn_event *event)
{
	int refusal = event->refusal;

	if (refusal == THUMBTURN_NOTHING_ENROLLED)
		log_debug(attempt, thumbturn_refusal_message(refusal));
	else
		log_refusal(attempt, refusal, 0);
	if (manner_of_refusal(refusal) == MANNER_REASON && !is_news(attempt, refusal))
		event->refusal = 0;
	prompt_of_event(prompt, attempt, event);
	return OPENED_TO_TYPE;
}

static enum opening first_event(struct attempt *attempt, int64_t deadline, char prompt[PROMPT_SIZE], bool *queued,
				int *result)
{
	struct thumbturn_event event;

	for (;;) {
		switch (thumbturn_next_event(&attempt->conversation, clock_left(deadline), &event)) {
		case THUMBTURN_NOTHING:
			prompt_of_event(prompt, attempt, &event);
			return OPENED;
		case THUMBTURN_OK:
			break;
		case THUMBTURN_ENDED:
		default:
			return over(attempt, prompt, result);
		}
		if (event.kind == THUMBTURN_FINGER_ENDED && attempt->pattern_offered)
			return pattern_alone(attempt, prompt, &event);
		*queued = event.kind == THUMBTURN_WAITING;
		if (event.kind == THUMBTURN_ACCEPTED || *queued) {
			prompt_of_event(prompt, attempt, &event);
			return OPENED;
		}
		if (event.kind != THUMBTURN_PATTERN_OFFERED || attempt->pattern_offered)
			return over(attempt, prompt, result);
		attempt->pattern_offered = true;
	}
}

enum opening open_for_prompt(struct attempt *attempt, bool in_front, char prompt[PROMPT_SIZE], bool *queued,
			     int *result)
{
	int64_t deadline = clock_now() + BEFORE_PROMPT_MS;

	*queued = false;
	*result = PAM_AUTHINFO_UNAVAIL;
	if (!attempt_begin(attempt, attempt->options.tries, attempt->options.timeout, CONNECT_MS)) {
		*result = thumbturn_pam_code(thumbturn_refusal(&attempt->conversation));
		return NOT_OPENED;
	}
	/* Behind from the start: the reader is not ours until `fg`. */
	if (!in_front)
		thumbturn_foreground(&attempt->conversation, 0);
	return first_event(attempt, in_front ? deadline : clock_now(), prompt, queued, result);
}
