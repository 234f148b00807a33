/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "ask.h"

#include <security/pam_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "prompt.h"
#include "terminal.h"
#include "watcher.h"

#define CONNECT_MS 250
#define BEFORE_PROMPT_MS 300 /* what a silent daemon may cost, connecting included */
#define ELSEWHERE_S 8        /* a locker stands still meanwhile */
#define ELSEWHERE_MISSES 2

void wipe_and_free(char *typed)
{
	if (typed == NULL)
		return;
	explicit_bzero(typed, strlen(typed));
	free(typed);
}

int conversation_failed(int answer)
{
	return answer == PAM_ABORT ? PAM_ABORT : PAM_CONV_ERR;
}

int pass_on(struct attempt *attempt, char *typed)
{
	int result = PAM_AUTHINFO_UNAVAIL;

	if (typed != NULL && typed[0] != '\0' && pam_set_item(attempt->pamh, PAM_AUTHTOK, typed) != PAM_SUCCESS)
		result = PAM_BUF_ERR;
	wipe_and_free(typed);
	return result;
}

/* Asks once, without echo. False when the conversation failed; `*result` says how. */
static bool ask(struct attempt *attempt, const char *prompt, char **typed, int *result)
{
	int answer = pam_prompt(attempt->pamh, PAM_PROMPT_ECHO_OFF, typed, "%s", prompt);

	if (answer == PAM_SUCCESS)
		return true;
	wipe_and_free(*typed);
	*typed = NULL;
	*result = conversation_failed(answer);
	return false;
}

/*
 * Connecting only once an empty answer asks for it, a typed secret is checked
 * without delay and the reader is not lit behind a prompt that cannot take a touch.
 */
static int ask_elsewhere(struct attempt *attempt)
{
	unsigned limit = attempt->options.timeout;
	unsigned misses = attempt->options.tries;
	char prompt[PROMPT_SIZE];
	char *typed = NULL;
	int result;

	prompt_elsewhere(prompt, &attempt->options);
	if (!ask(attempt, prompt, &typed, &result))
		return result;
	if (typed != NULL && typed[0] != '\0')
		return pass_on(attempt, typed);
	wipe_and_free(typed);
	if (limit == 0 || limit > ELSEWHERE_S)
		limit = ELSEWHERE_S;
	if (misses == 0 || misses > ELSEWHERE_MISSES)
		misses = ELSEWHERE_MISSES;
	result = wait_for_touch(attempt, limit, misses);
	/* A wrong finger must not keep the person from the password. */
	return result == PAM_AUTH_ERR ? PAM_AUTHINFO_UNAVAIL : result;
}

/* The host's prompt, while the watcher waits for the reader. */
static int ask_beside(struct attempt *attempt, struct watcher *watcher, const char *prompt)
{
	struct findings findings;
	char *typed = NULL;
	int result = PAM_CONV_ERR;
	bool answered = ask(attempt, prompt, &typed, &result);

	watcher_stop(watcher, &findings);
	if (findings.refusal != 0)
		log_refusal(attempt, findings.refusal, 0);
	/* Ctrl-C, a time limit: a failed conversation voids the match. */
	if (!answered)
		return result;
	if (findings.matched && attempt_take(attempt, findings.nonce) == TAKEN) {
		wipe_and_free(typed);
		return attempt_granted(attempt);
	}
	thumbturn_close(&attempt->conversation);
	return pass_on(attempt, typed);
}

/*
 * Waits a moment for what the prompt should say. False when there will be no
 * reader; no event at all is a prompt without details.
 */
static bool first_event(struct attempt *attempt, int64_t deadline, struct thumbturn_event *event, int *result)
{
	struct thumbturn_conversation *conversation = &attempt->conversation;
	int refusal;

	switch (thumbturn_next_event(conversation, clock_left(deadline), event)) {
	case THUMBTURN_NOTHING:
		return true;
	case THUMBTURN_OK:
		if (event->kind == THUMBTURN_ACCEPTED || event->kind == THUMBTURN_WAITING)
			return true;
		break;
	case THUMBTURN_ENDED:
	default:
		break;
	}
	refusal = thumbturn_refusal(conversation);
	if (refusal == 0)
		refusal = THUMBTURN_MALFORMED; /* nothing else may come first */
	log_refusal(attempt, refusal, thumbturn_error(conversation));
	*result = thumbturn_pam_code(refusal);
	return false;
}

static int ask_on_terminal(struct attempt *attempt, int terminal)
{
	int64_t deadline = clock_now() + BEFORE_PROMPT_MS;
	bool in_front = terminal_in_front(terminal, getpgrp());
	struct thumbturn_event event = { 0 };
	struct watcher watcher;
	char prompt[PROMPT_SIZE];
	int result = PAM_AUTHINFO_UNAVAIL;

	if (!attempt_begin(attempt, attempt->options.tries, attempt->options.timeout, CONNECT_MS))
		return thumbturn_pam_code(thumbturn_refusal(&attempt->conversation));
	/* Behind from the start: the reader is not ours until `fg`. */
	if (!in_front)
		thumbturn_foreground(&attempt->conversation, 0);
	if (!first_event(attempt, in_front ? deadline : clock_now(), &event, &result))
		return result;
	prompt_of_event(prompt, &attempt->options, &event);
	if (watcher_start(&watcher, attempt, terminal, in_front, event.kind == THUMBTURN_WAITING))
		return ask_beside(attempt, &watcher, prompt);
	log_debug(attempt, "no watcher can be started; asking in process");
	thumbturn_close(&attempt->conversation);
	return ask_elsewhere(attempt);
}

int ask_or_touch(struct attempt *attempt)
{
	int terminal = terminal_open(attempt->terminal);
	int result;

	if (terminal < 0 && host_is_setuid()) {
		log_debug(attempt, "no terminal shows this request");
		return PAM_AUTHINFO_UNAVAIL;
	}
	if (terminal < 0)
		return ask_elsewhere(attempt);
	result = ask_on_terminal(attempt, terminal);
	close(terminal);
	return result;
}
