/* SPDX-License-Identifier: Apache-2.0 */
#include "learn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <security/pam_ext.h>

#include "clock.h"
#include "log.h"

#define HAND_OVER_MS 300
#define IN_ALL_MS 1500 /* what a silent daemon may cost */
#define MOST_NEWS 8    /* as many as the daemon keeps */
#define DATE_SIZE 32

/* The day and minute where the host is, "2026-11-30 09:12"; digits only, so no locale changes it. */
static void write_date(uint64_t when, char date[DATE_SIZE])
{
	time_t seconds = (time_t)when;
	struct tm parts;

	if (localtime_r(&seconds, &parts) == NULL ||
	    strftime(date, DATE_SIZE, "%Y-%m-%d %H:%M", &parts) == 0)
		snprintf(date, DATE_SIZE, "an unknown day");
}

/*
 * Shown in spite of PAM_SILENT, which sudo always sets: it is no decoration, and comes
 * only once. A host that cannot show it is let go on.
 */
static void show(struct attempt *attempt, const struct thumbturn_event *event)
{
	const char *name = thumbturn_finger_name(event->finger);
	const char *quote = name[0] != '\0' ? "\"" : "";
	char date[DATE_SIZE];
	char *unasked = NULL;

	write_date(event->when, date);
	pam_prompt(attempt->pamh, PAM_TEXT_INFO, &unasked,
		   "Since a fingerprint let somebody in: %s%s%s was %s on %s.", quote,
		   name[0] != '\0' ? name : "a pattern", quote, name[0] != '\0' ? "enrolled" : "set", date);
	free(unasked);
}

/* Shows what the daemon announces until it is done, which without news is at once. */
static void announce(struct attempt *attempt, int64_t deadline)
{
	struct thumbturn_event event;

	for (int count = 0; count < MOST_NEWS; count++) {
		if (thumbturn_next_event(&attempt->conversation, clock_left(deadline), &event) !=
			    THUMBTURN_OK ||
		    event.kind != THUMBTURN_ANNOUNCED)
			return;
		show(attempt, &event);
	}
}

int learn(struct attempt *attempt)
{
	int64_t deadline = clock_now() + IN_ALL_MS;
	const void *token = NULL;

	if (!attempt_may_teach(attempt))
		return PAM_AUTHINFO_UNAVAIL;
	if (pam_get_item(attempt->pamh, PAM_AUTHTOK, &token) != PAM_SUCCESS || token == NULL ||
	    *(const char *)token == '\0')
		log_debug(attempt, "no password to learn from");
	else if (thumbturn_learn(&attempt->conversation, attempt->options.socket, attempt->user,
				 attempt->service, token, HAND_OVER_MS) != THUMBTURN_OK)
		log_debug(attempt, "the password could not be handed over");
	else
		announce(attempt, deadline);
	return PAM_AUTHINFO_UNAVAIL;
}
