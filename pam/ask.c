/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "ask.h"

#include <security/pam_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "opening.h"
#include "pattern.h"
#include "piped.h"
#include "prompt.h"
#include "terminal.h"
#include "watcher.h"

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

int settle(struct attempt *attempt, char *typed)
{
	int result;

	if (!pattern_has_shape(typed) || !pattern_decides(attempt, typed, &result))
		return pass_on(attempt, typed);
	wipe_and_free(typed);
	return result;
}

int ask_plainly(struct attempt *attempt, const char *prompt)
{
	char *typed = NULL;
	int result;

	return ask(attempt, prompt, &typed, &result) ? settle(attempt, typed) : result;
}

int ask_only(struct attempt *attempt)
{
	return ask_plainly(attempt, attempt->options.prompt != NULL ? attempt->options.prompt : "Password: ");
}

/*
 * Connecting only once an empty answer, or one in the shape of a pattern, asks for
 * it, a typed password is checked without delay and the reader is not lit behind a
 * prompt that cannot take a touch.
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
		return settle(attempt, typed);
	wipe_and_free(typed);
	if (limit == 0 || limit > ELSEWHERE_S)
		limit = ELSEWHERE_S;
	if (misses == 0 || misses > ELSEWHERE_MISSES)
		misses = ELSEWHERE_MISSES;
	/* A finger that is not recognised must not keep the person from the password. */
	return wait_for_touch(attempt, limit, misses, &result) == 0 ? result : PAM_AUTHINFO_UNAVAIL;
}

/* The host's prompt, while the watcher waits for the reader. */
static int ask_beside(struct attempt *attempt, struct watcher *watcher, const char *prompt)
{
	struct findings findings;
	char *typed = NULL;
	int result = PAM_CONV_ERR;
	bool answered = ask(attempt, prompt, &typed, &result);

	watcher_stop(watcher, &findings);
	attempt->pattern_offered |= findings.pattern_offered;
	if (findings.refusal != 0)
		log_refusal(attempt, findings.refusal, 0);
	/* Ctrl-C, a time limit: a failed conversation voids the match. */
	if (!answered)
		return result;
	if (findings.matched && attempt_take(attempt, findings.nonce, CONFIRM_MS) == TAKEN) {
		wipe_and_free(typed);
		return attempt_granted(attempt, "granted by fingerprint");
	}
	return settle(attempt, typed);
}

static int ask_on_terminal(struct attempt *attempt, int terminal)
{
	bool in_front = terminal_in_front(terminal, getpgrp());
	struct watcher watcher;
	char prompt[PROMPT_SIZE];
	bool queued;
	int result;

	switch (open_for_prompt(attempt, in_front, prompt, &queued, &result)) {
	case OPENED:
		break;
	case OPENED_TO_TYPE:
		return ask_plainly(attempt, prompt);
	case NOT_OPENED:
	default:
		return result;
	}
	if (watcher_start(&watcher, attempt, terminal, in_front, queued))
		return ask_beside(attempt, &watcher, prompt);
	log_debug(attempt, "no watcher can be started; asking in process");
	thumbturn_close(&attempt->conversation);
	return ask_elsewhere(attempt);
}

/*
 * Nothing of ours is seen there unless the daemon takes a pattern from afar; it is
 * asked first, since a prompt cannot be taken back.
 */
static int ask_from_afar(struct attempt *attempt)
{
	char prompt[PROMPT_SIZE];
	bool queued;
	int result;

	switch (open_for_prompt(attempt, true, prompt, &queued, &result)) {
	case OPENED_TO_TYPE:
		return attempt->pattern_offered ? ask_plainly(attempt, prompt) : PAM_AUTHINFO_UNAVAIL;
	case NOT_OPENED:
		return result;
	case OPENED:
	default:
		return PAM_AUTHINFO_UNAVAIL;
	}
}

int ask_or_touch(struct attempt *attempt)
{
	int terminal;
	int result;

	if (attempt->from_afar)
		return ask_from_afar(attempt);
	if (piped_host(attempt))
		return ask_piped(attempt);
	terminal = terminal_open(attempt->terminal);
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
