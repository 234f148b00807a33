/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock that only goes forward. */
static inline int64_t clock_now(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds until `deadline`, never negative. Deadlines are minutes at most. */
static inline int clock_left(int64_t deadline)
{
	int64_t left = deadline - clock_now();

	return left > 0 ? (int)left : 0;
}

#endif
