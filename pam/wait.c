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

bool tell(struct attempt *attempt, int style, const char *text, int *result)
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

/* Says and logs why it is over; 0 when the conversation with the person failed. */
static int give_up(struct attempt *attempt, int refusal, int error, int *result)
{
	log_refusal(attempt, refusal, error);
	return tell(attempt, PAM_ERROR_MSG, line_of_refusal(refusal), result) ? refusal : 0;
}

static int give_up_as_told(struct attempt *attempt, int *result)
{
	return give_up(attempt, thumbturn_refusal(&attempt->conversation), thumbturn_error(&attempt->conversation),
		       result);
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

/* What one event leads to. */
enum step {
	GO_ON,
	DECIDED, /* the result stands */
	ENDED,   /* the refusal stands */
};

/* A wait for the reader. */
struct wait {
	struct attempt *attempt;
	int64_t deadline;
	unsigned misses; /* fingers that may still not be recognised */
	int result;
	int refusal;
};

static enum step decided(struct wait *wait, int result)
{
	wait->result = result;
	return DECIDED;
}

/* A match that came too late, or was taken back, decides nothing. */
static enum step matched(struct wait *wait, const unsigned char *nonce)
{
	if (!is_shown(wait->attempt)) {
		log_debug(wait->attempt, "touched while the request was not in front");
		return decided(wait, PAM_AUTHINFO_UNAVAIL);
	}
	switch (attempt_take(wait->attempt, nonce, clock_left(wait->deadline))) {
	case TAKEN:
		return decided(wait, attempt_granted(wait->attempt, "granted by fingerprint"));
	case TAKEN_VOID:
		return GO_ON;
	case TAKEN_OVER:
	default:
		return decided(wait, PAM_AUTHINFO_UNAVAIL);
	}
}

static enum step ended(struct wait *wait, int refusal)
{
	wait->refusal = give_up(wait->attempt, refusal, 0, &wait->result);
	return wait->refusal != 0 ? ENDED : DECIDED;
}

static enum step ended_as_told(struct wait *wait)
{
	wait->refusal = give_up_as_told(wait->attempt, &wait->result);
	return wait->refusal != 0 ? ENDED : DECIDED;
}

bool tell_of_event(struct attempt *attempt, const struct thumbturn_event *event, int *result)
{
	bool problem = event->kind == THUMBTURN_MISMATCH || event->kind == THUMBTURN_RETRY;
	char line[NOTE_SIZE];

	line_of_event(line, event);
	return tell(attempt, problem ? PAM_ERROR_MSG : PAM_TEXT_INFO, line, result);
}

static enum step tell_of(struct wait *wait, const struct thumbturn_event *event)
{
	return tell_of_event(wait->attempt, event, &wait->result) ? GO_ON : DECIDED;
}

static enum step take_event(struct wait *wait, const struct thumbturn_event *event)
{
	switch (event->kind) {
	case THUMBTURN_MATCHED:
		return matched(wait, event->nonce);
	case THUMBTURN_REFUSED:
		return ended_as_told(wait);
	case THUMBTURN_FINGER_ENDED:
		return ended(wait, event->refusal);
	case THUMBTURN_MISMATCH:
		if (wait->misses <= 1)
			return ended(wait, THUMBTURN_NO_MATCH);
		wait->misses--;
		return tell_of(wait, event);
	case THUMBTURN_ACCEPTED:
	case THUMBTURN_WAITING:
	case THUMBTURN_RETRY:
		return tell_of(wait, event);
	case THUMBTURN_ARMED:
	case THUMBTURN_VOIDED:
	case THUMBTURN_GRANTED:
	case THUMBTURN_PASSED_ON:
	case THUMBTURN_PATTERN_OFFERED:
	default:
		return GO_ON;
	}
}

static enum step next_step(struct wait *wait)
{
	int left = clock_left(wait->deadline);
	struct thumbturn_event event;

	switch (thumbturn_next_event(&wait->attempt->conversation, left, &event)) {
	case THUMBTURN_OK:
		return left > 0 ? take_event(wait, &event) : ended(wait, THUMBTURN_TIMED_OUT);
	case THUMBTURN_NOTHING:
		return ended(wait, THUMBTURN_TIMED_OUT);
	case THUMBTURN_ENDED:
	default:
		return ended_as_told(wait);
	}
}

int wait_for_touch(struct attempt *attempt, unsigned limit_s, unsigned misses, int *result)
{
	struct wait wait = {
		.attempt = attempt,
		.deadline = clock_now() + (int64_t)limit_s * 1000,
		.misses = misses,
	};
	enum step step;

	*result = PAM_AUTHINFO_UNAVAIL;
	if (!is_shown(attempt)) {
		log_debug(attempt, "no terminal shows this request");
		return 0;
	}
	if (!attempt_begin(attempt, misses, limit_s, CONNECT_MS))
		return thumbturn_refusal(&attempt->conversation);
	do
		step = next_step(&wait);
	while (step == GO_ON);
	if (step == DECIDED)
		*result = wait.result;
	return step == DECIDED ? 0 : wait.refusal;
}

int touch_only(struct attempt *attempt)
{
	unsigned limit = attempt->options.timeout != 0 ? attempt->options.timeout : ONLY_S;
	unsigned misses = attempt->options.tries != 0 ? attempt->options.tries : ONLY_MISSES;
	int result;
	int refusal = wait_for_touch(attempt, limit, misses, &result);

	return refusal == 0 ? result : thumbturn_pam_code_alone(refusal);
}
