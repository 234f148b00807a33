/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <security/pam_ext.h>
#include <string.h>
#include <syslog.h>

void log_refusal(const struct attempt *attempt, int refusal, int error)
{
	pam_syslog(attempt->pamh, LOG_NOTICE, "no fingerprint for %s: %s%s%s", attempt->user,
		   thumbturn_refusal_message(refusal), error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
}

void log_debug(const struct attempt *attempt, const char *text)
{
	if (attempt->options.debug)
		pam_syslog(attempt->pamh, LOG_DEBUG, "%s: %s", attempt->user, text);
}
