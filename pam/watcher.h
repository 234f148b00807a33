/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watcher.h - a process beside the host's prompt that waits for the reader.
 *
 * The host's conversation runs in the host, as with any module; the watcher runs
 * no host code. When the finger matches while the host is in front, it reports the
 * match and types Enter, and the prompt returns. What it reports decides, never
 * how it ended.
 */
#ifndef WATCHER_H
#define WATCHER_H

#include "attempt.h"
#include "process.h"

struct watcher {
	struct process process;
	int reports; /* the end we read */
	int terminal;
};

/* What the watcher found out. */
struct findings {
	bool matched;
	bool pressed; /* Enter was typed for a match, this one or one that is void */
	unsigned char nonce[THUMBTURN_NONCE_SIZE];
	int refusal; /* why the finger, or all of it, ended; 0 when it did not */
	bool pattern_offered;
};

/*
 * Starts the watcher over the attempt's conversation. False when no process can be
 * had; `terminal` stays the caller's. `queued`: somebody else holds the reader.
 */
bool watcher_start(struct watcher *watcher, struct attempt *attempt, int terminal, bool in_front, bool queued);

/* Ends it and tells what it found. After a match, void or not, the terminal's input is discarded. */
void watcher_stop(struct watcher *watcher, struct findings *findings);

/* How the two talk: one report is one write to the pipe. */
enum report_kind {
	REPORT_MATCHED = 'M',
	REPORT_VOIDED = 'V',
	REPORT_REFUSED = 'R', /* all of it, or only the finger */
	REPORT_OFFERED = 'O', /* a pattern may be answered */
};

struct report {
	unsigned char kind;
	unsigned char refusal;
	unsigned char nonce[THUMBTURN_NONCE_SIZE];
};

/* The watcher's own life, in its process: returns when the host is gone. */
void watch(struct attempt *attempt, int reports, int terminal, pid_t host, pid_t group, bool in_front,
	   bool queued);

#endif
