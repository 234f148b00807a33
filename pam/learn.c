/* SPDX-License-Identifier: Apache-2.0 */
#include "learn.h"

#include "log.h"

#define HAND_OVER_MS 300 /* what a silent daemon may cost; the check is not waited for */

int learn(struct attempt *attempt)
{
	const void *token = NULL;

	if (!attempt_may_teach(attempt))
		return PAM_AUTHINFO_UNAVAIL;
	if (pam_get_item(attempt->pamh, PAM_AUTHTOK, &token) != PAM_SUCCESS || token == NULL ||
	    *(const char *)token == '\0')
		log_debug(attempt, "no password to learn from");
	else if (thumbturn_learn(attempt->options.socket, attempt->user, attempt->service, token, HAND_OVER_MS) !=
		 THUMBTURN_OK)
		log_debug(attempt, "the password could not be handed over");
	return PAM_AUTHINFO_UNAVAIL;
}
