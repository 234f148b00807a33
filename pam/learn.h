/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LEARN_H
#define LEARN_H

#include "attempt.h"

/*
 * Hands PAM_AUTHTOK to the daemon, which has it checked and learns from it only if
 * it is right. Where the line stands says nothing about that: the one behind
 * pam_unix may be reached exactly when the password was wrong. What the daemon announces
 * is shown; one that is silent costs 1.5 s. Always PAM_AUTHINFO_UNAVAIL, so that no stack
 * takes this for an authentication.
 */
int learn(struct attempt *attempt);

#endif
