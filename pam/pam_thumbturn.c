/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pam_thumbturn - lets a touch of the fingerprint reader, or a pattern, stand for the
 * password.
 *
 * The entry points. Options: reader=parallel|only|off timeout=SECONDS
 * max-tries=NUMBER prompt=TEXT socket=PATH use_first_pass try_first_pass debug; or
 * learn socket=PATH debug.
 *
 * Whatever fails, the module says so with a code of failure; it never returns
 * PAM_IGNORE, which would be a way in where a stack relies on it.
 */
#include <security/pam_ext.h>
#include <string.h>
#include <syslog.h>

#include "ask.h"
#include "attempt.h"
#include "learn.h"

#define EXPORTED __attribute__((visibility("default")))

static int authenticate(struct attempt *attempt)
{
	int result;

	if (attempt->options.learn)
		return learn(attempt);
	if (!attempt_is_for_us(attempt, &result))
		return result;
	switch (attempt->options.reader) {
	case READER_ONLY:
		return touch_only(attempt);
	case READER_OFF:
		return ask_only(attempt);
	case READER_PARALLEL:
	default:
		return ask_or_touch(attempt);
	}
}

EXPORTED int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	struct attempt attempt;
	int result;

	memset(&attempt, 0, sizeof(attempt));
	attempt.pamh = pamh;
	attempt.silent = (flags & PAM_SILENT) != 0;
	attempt.conversation.descriptor = -1;
	/* An error of the stack's author: a failure like others, so the next module decides. */
	if (!options_read(pamh, argc, argv, &attempt.options))
		return PAM_SERVICE_ERR;
	result = authenticate(&attempt);
	thumbturn_close(&attempt.conversation);
	explicit_bzero(&attempt, sizeof(attempt));
	return result;
}

/* Called behind every success of the stack, ours or not; there are no credentials. */
EXPORTED int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)pamh;
	(void)flags;
	(void)argc;
	(void)argv;
	return PAM_SUCCESS;
}

/*
 * The module has nothing to say about accounts, sessions and passwords. In such a
 * stack it stands by mistake: a success would vouch for what was never looked at,
 * so the mistake is logged and fails.
 */
static int misplaced(pam_handle_t *pamh, const char *stack)
{
	pam_syslog(pamh, LOG_ERR, "the module does not belong into the %s stack", stack);
	return PAM_SERVICE_ERR;
}

EXPORTED int pam_sm_acct_mgmt(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)flags;
	(void)argc;
	(void)argv;
	return misplaced(pamh, "account");
}

EXPORTED int pam_sm_open_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)flags;
	(void)argc;
	(void)argv;
	return misplaced(pamh, "session");
}

EXPORTED int pam_sm_close_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)flags;
	(void)argc;
	(void)argv;
	return misplaced(pamh, "session");
}

EXPORTED int pam_sm_chauthtok(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)flags;
	(void)argc;
	(void)argv;
	return misplaced(pamh, "password");
}
