/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt.h - one authentication, as every file of the module sees it.
 *
 * It lives on the stack of pam_sm_authenticate(). The module has no globals, no
 * threads and no signal handlers, and leaves the environment alone: nothing is
 * left behind in the host when it is unloaded.
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <security/pam_modules.h>
#include <stdbool.h>

#include "options.h"
#include "thumbturn.h"

#define NAME_SIZE 256
#define CONFIRM_MS 500 /* the daemon's own limit for a match without `hold` */

struct attempt {
	pam_handle_t *pamh;
	struct options options;
	bool silent;         /* PAM_SILENT: no messages besides the prompt */
	char user[NAME_SIZE]; /* PAM_USER as it was at the start */
	const char *service;  /* never NULL, as the next three */
	const char *terminal; /* PAM_TTY without "/dev/" */
	const char *remote_host;
	const char *caller; /* PAM_RUSER: whoever asks, "" where the host does not say */
	bool from_afar;       /* from another machine: no touch, and a pattern where that is allowed */
	bool begun;           /* the daemon was asked */
	bool pattern_offered; /* and would take a pattern */
	struct thumbturn_conversation conversation;
};

/*
 * Whether this attempt is ours at all: the checks that cost nothing and ask nobody.
 * Otherwise `*result` says what the module returns.
 */
bool attempt_is_for_us(struct attempt *attempt, int *result);

/* Whether a password of this attempt may be handed over to learn from it. */
bool attempt_may_teach(struct attempt *attempt);

/*
 * Opens the conversation with the daemon. `tries` and `timeout` (in seconds) may
 * be 0, for what the daemon is configured to. False when it refused, logged.
 */
bool attempt_begin(struct attempt *attempt, unsigned tries, unsigned timeout, int limit_ms);

/* What became of a match. */
enum taken {
	TAKEN,      /* granted: the person is who they say */
	TAKEN_VOID, /* too late, or taken back; the reader is armed again */
	TAKEN_OVER, /* the conversation is over */
};

/* Confirms a match and waits at most `limit_ms`, and never above 500, for the daemon's answer. */
enum taken attempt_take(struct attempt *attempt, const unsigned char *nonce, int limit_ms);

/*
 * PAM_SUCCESS, unless PAM_USER is no longer whom the daemon was asked about. The
 * only place from which an authentication succeeds.
 */
int attempt_granted(struct attempt *attempt, const char *how);

#endif
