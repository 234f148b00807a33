/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h - what was typed may be a pattern: 4 to 9 digits 1 to 9. */
#ifndef PATTERN_H
#define PATTERN_H

#include "attempt.h"

/* The mere shape. Whether it is a pattern at all, and whose, the daemon knows. */
bool pattern_has_shape(const char *typed);

/*
 * Lets the daemon decide about what has the shape, where it offers that, within 3 s:
 * over the conversation that is open, over one of its own where none is. True when
 * it did; `*result` is then PAM_SUCCESS or PAM_AUTH_ERR. False when what was typed
 * is for the next module.
 */
bool pattern_decides(struct attempt *attempt, const char *typed, int *result);

#endif
