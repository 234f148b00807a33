/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "ask.h"
#include "log.h"
#include "opening.h"
#include "piped.h"
#include "speaker.h"

/* A prompt in a process of its own, and the reader meanwhile. */
struct relay {
	struct attempt *attempt;
	struct speaker speaker;
	bool queued; /* somebody else holds the reader */
	bool over;   /* one of the two decided; `result` is what the module returns */
	int result;
};

static void decide(struct relay *relay, int result)
{
	relay->over = true;
	relay->result = result;
}

/*
 * xsecurelock would ask again after PAM_CONV_ERR, up to three times: that its
 * conversation failed, only the process knows in which it did. PAM_ABORT it takes
 * for the end.
 */
static int failed(const struct relay *relay, int failure)
{
	return piped_shows_messages(relay->attempt) ? conversation_failed(failure) : PAM_ABORT;
}

/* False when nobody has answered yet. */
static bool take_answer(struct relay *relay)
{
	char *typed = NULL;
	int failure = PAM_CONV_ERR;

	switch (speaker_hear(&relay->speaker, &typed, &failure)) {
	case HEARD_ANSWER:
		decide(relay, settle(relay->attempt, typed));
		return true;
	case HEARD_FAILURE:
		decide(relay, failed(relay, failure));
		return true;
	case HEARD_NOTHING:
	default:
		return false;
	}
}

/* From here on what is typed reaches nobody. */
static void grant(struct relay *relay)
{
	piped_dismiss(relay->attempt, relay->speaker.answers);
	decide(relay, attempt_granted(relay->attempt, "granted by fingerprint"));
}

/* An answer that came before the match counts, and the match does not. */
static void take_match(struct relay *relay, const unsigned char *nonce)
{
	if (take_answer(relay))
		return;
	switch (attempt_take(relay->attempt, nonce, CONFIRM_MS)) {
	case TAKEN:
		grant(relay);
		return;
	case TAKEN_VOID:
		return;
	case TAKEN_OVER:
	default:
		log_debug(relay->attempt, "the match was not confirmed");
		thumbturn_close(&relay->attempt->conversation);
	}
}

/* polkit's agent shows a message beside its prompt; xsecurelock only once that is over. */
static void note(struct relay *relay, int style, const char *text)
{
	int ignored;

	if (piped_shows_messages(relay->attempt))
		tell(relay->attempt, style, text, &ignored);
}

static void take_end(struct relay *relay, int refusal, int error)
{
	log_refusal(relay->attempt, refusal, error);
	note(relay, PAM_ERROR_MSG, line_of_refusal(refusal));
}

static void take_event(struct relay *relay, const struct thumbturn_event *event)
{
	int ignored;

	switch (event->kind) {
	case THUMBTURN_MATCHED:
		take_match(relay, event->nonce);
		return;
	case THUMBTURN_REFUSED:
	case THUMBTURN_FINGER_ENDED:
		take_end(relay, event->refusal, 0);
		return;
	case THUMBTURN_PATTERN_OFFERED:
		relay->attempt->pattern_offered = true;
		return;
	case THUMBTURN_ARMED:
		if (relay->queued)
			note(relay, PAM_TEXT_INFO, "The fingerprint reader is free, touch it now");
		relay->queued = false;
		return;
	case THUMBTURN_WAITING:
		relay->queued = true;
		/* fall through */
	case THUMBTURN_MISMATCH:
	case THUMBTURN_RETRY:
		if (piped_shows_messages(relay->attempt))
			tell_of_event(relay->attempt, event, &ignored);
		return;
	case THUMBTURN_ACCEPTED:
	case THUMBTURN_VOIDED:
	case THUMBTURN_GRANTED:
	case THUMBTURN_PASSED_ON:
	default:
		return;
	}
}

static void hear_daemon(struct relay *relay)
{
	struct thumbturn_conversation *conversation = &relay->attempt->conversation;
	struct thumbturn_event event;

	switch (thumbturn_next_event(conversation, 0, &event)) {
	case THUMBTURN_OK:
		take_event(relay, &event);
		return;
	case THUMBTURN_ENDED:
		take_end(relay, thumbturn_refusal(conversation), thumbturn_error(conversation));
		return;
	case THUMBTURN_NOTHING:
	default:
		return;
	}
}

/* One step: whatever comes first, and of two at once the answer. */
static void wait_for_either(struct relay *relay)
{
	struct pollfd watched[] = {
		{ .fd = relay->speaker.answers, .events = POLLIN },
		{ .fd = thumbturn_descriptor(&relay->attempt->conversation), .events = POLLIN },
	};

	if (poll(watched, 2, -1) < 0) {
		if (errno != EINTR && errno != ENOMEM)
			decide(relay, PAM_SYSTEM_ERR);
		return;
	}
	if (watched[0].revents != 0 && take_answer(relay))
		return;
	if (watched[1].revents != 0)
		hear_daemon(relay);
}

int ask_piped(struct attempt *attempt)
{
	struct relay relay = { .attempt = attempt };
	char prompt[PROMPT_SIZE];
	int result = PAM_AUTHINFO_UNAVAIL;

	switch (open_for_prompt(attempt, true, prompt, &relay.queued, &result)) {
	case OPENED:
		break;
	case OPENED_TO_TYPE:
		return ask_plainly(attempt, prompt);
	case NOT_OPENED:
	default:
		return result;
	}
	if (!speaker_start(&relay.speaker, attempt, prompt)) {
		log_debug(attempt, "no process can be started; asking without the reader");
		return ask_only(attempt);
	}
	while (!relay.over)
		wait_for_either(&relay);
	speaker_end(&relay.speaker);
	if (relay.result == PAM_SUCCESS)
		piped_drain();
	return relay.result;
}
