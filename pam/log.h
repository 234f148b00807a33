/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOG_H
#define LOG_H

#include "attempt.h"

/* One line (LOG_NOTICE) for a refusal; `error` is an errno or 0. */
void log_refusal(const struct attempt *attempt, int refusal, int error);

/* A line with the option `debug` only. Never a secret. */
void log_debug(const struct attempt *attempt, const char *text);

#endif
