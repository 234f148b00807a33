/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_H
#define ASK_H

#include "attempt.h"

/*
 * Each runs one attempt and answers the module's result. Their callers close the
 * conversation.
 */

/*
 * With a prompt: on a terminal beside a watcher, over pipes in a process of its own,
 * elsewhere in process. A setuid host without a terminal (`echo | setsid sudo -S`) is
 * none of ours, unless it is polkit's helper: the person who touches would not know
 * of it.
 */
int ask_or_touch(struct attempt *attempt);

/* The same for one of the hosts of piped.h. */
int ask_piped(struct attempt *attempt);

/* In the host, with nothing beside it. */
int ask_plainly(struct attempt *attempt, const char *prompt);

/* With a prompt, and without the reader. */
int ask_only(struct attempt *attempt);

/*
 * Without a prompt: the reader alone. PAM_AUTHINFO_UNAVAIL only where it cannot be
 * used, PAM_AUTH_ERR for whatever another try may mend.
 */
int touch_only(struct attempt *attempt);

/*
 * Waits in process for at most `limit_s` and `misses` fingers that are not
 * recognised. 0 when the touch decided, and `*result` is what the module returns;
 * else the refusal that ended it, told and logged. For a setuid host only what is
 * touched while it is in front on its terminal counts.
 */
int wait_for_touch(struct attempt *attempt, unsigned limit_s, unsigned misses, int *result);

/*
 * A message for hosts that show them; an empty one is none. False when the
 * conversation failed; `*result` says how.
 */
bool tell(struct attempt *attempt, int style, const char *text, int *result);

/*
 * The same of an event. Desktops show a problem as such, and take information only
 * as a sign that the reader waits.
 */
bool tell_of_event(struct attempt *attempt, const struct thumbturn_event *event, int *result);

/* A pattern where the daemon says so, else what the next module decides about. */
int settle(struct attempt *attempt, char *typed);

/* The result of a conversation that failed: nothing but the end of it. */
int conversation_failed(int answer);

/*
 * Hands what was typed to the next module as PAM_AUTHTOK, wipes and frees it. An
 * empty answer becomes no token at all. Never PAM_SUCCESS.
 */
int pass_on(struct attempt *attempt, char *typed);

void wipe_and_free(char *typed);

#endif
