/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "watcher.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

/* The child's part; never returns into the host's code. */
__attribute__((noreturn)) static void live(struct attempt *attempt, int reports, int terminal, pid_t host,
					    pid_t group, bool in_front, bool queued)
{
	const int kept[] = { thumbturn_descriptor(&attempt->conversation), reports, terminal };

	process_settle(host, "thumbturn-watch");
	process_keep(kept, sizeof(kept) / sizeof(kept[0]));
	watch(attempt, reports, terminal, host, group, in_front, queued);
	_exit(0);
}

bool watcher_start(struct watcher *watcher, struct attempt *attempt, int terminal, bool in_front, bool queued)
{
	pid_t host = getpid();
	pid_t group = getpgrp();
	sigset_t all, before;
	int ends[2];
	int started;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	watcher->reports = above_standard(ends[0]);
	ends[1] = above_standard(ends[1]);
	watcher->terminal = terminal;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	started = process_start(&watcher->process);
	if (started == 0)
		live(attempt, ends[1], terminal, host, group, in_front, queued);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (started < 0)
		close(watcher->reports);
	return started > 0;
}

/* The last word about a match counts. */
static void read_reports(int reports, struct findings *findings)
{
	struct report report;

	while (read(reports, &report, sizeof(report)) == (ssize_t)sizeof(report)) {
		switch (report.kind) {
		case REPORT_MATCHED:
			findings->matched = true;
			findings->pressed = true;
			memcpy(findings->nonce, report.nonce, sizeof(findings->nonce));
			break;
		case REPORT_REFUSED:
			findings->refusal = report.refusal;
			findings->matched = false;
			break;
		case REPORT_OFFERED:
			findings->pattern_offered = true;
			break;
		case REPORT_VOIDED:
		default:
			findings->matched = false;
			break;
		}
	}
}

void watcher_stop(struct watcher *watcher, struct findings *findings)
{
	sigset_t all, before;

	memset(findings, 0, sizeof(*findings));
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	process_end(&watcher->process, 0);
	read_reports(watcher->reports, findings);
	close(watcher->reports);
	/*
	 * What was half typed, and an Enter that nobody read, must not reach the next
	 * program. From behind the input is others'.
	 */
	if (findings->matched || (findings->pressed && terminal_in_front(watcher->terminal, getpgrp())))
		terminal_flush(watcher->terminal);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
