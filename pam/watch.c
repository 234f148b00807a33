/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "prompt.h"
#include "terminal.h"
#include "watcher.h"

#define LOOK_MS 250  /* how often the foreground is looked at */
#define ANSWER_MS 60 /* how long an Enter may take to end the prompt */
#define MOST_ENTERS 2
#define MOST_EVENTS 32 /* taken at once, so that a flood starves nothing else */

/* The watcher's state. All signals are blocked in it, and nothing is allocated. */
struct watch {
	struct attempt *attempt;
	struct thumbturn_conversation *conversation;
	int reports, terminal;
	pid_t host, group;
	bool in_front;
	bool queued;      /* somebody else holds the reader */
	bool matched;     /* a match waits for the host to take it */
	bool held;        /* the person was asked to press Enter */
	int enters;       /* keys pushed for this match */
	int64_t deadline; /* of the answer to the last one */
};

static void report(const struct watch *watch, enum report_kind kind, int refusal, const unsigned char *nonce)
{
	struct report report = { .kind = (unsigned char)kind, .refusal = (unsigned char)refusal };

	if (nonce != NULL)
		memcpy(report.nonce, nonce, sizeof(report.nonce));
	(void)!write(watch->reports, &report, sizeof(report));
}

static void note(const struct watch *watch, const char *text)
{
	if (watch->in_front && text[0] != '\0')
		terminal_write(watch->terminal, text);
}

/*
 * Tells the daemon, and the host, when the host went behind or came back. One that
 * is stopped counts as behind although its group may stay, or be put, in front.
 */
static void look(struct watch *watch)
{
	bool in_front = terminal_in_front(watch->terminal, watch->group) && !process_is_stopped(watch->host);

	if (in_front == watch->in_front)
		return;
	watch->in_front = in_front;
	if (watch->matched && !in_front) {
		watch->matched = false;
		report(watch, REPORT_VOIDED, 0, NULL);
	}
	thumbturn_foreground(watch->conversation, in_front);
}

/* The prompt does not end by itself: the person must do it. */
static void hold(struct watch *watch)
{
	watch->held = true;
	thumbturn_hold(watch->conversation);
	terminal_flush(watch->terminal);
	note(watch, " recognised, press Enter ");
}

static void press_enter(struct watch *watch)
{
	watch->enters++;
	watch->deadline = clock_now() + ANSWER_MS;
	if (!terminal_push_enter(watch->terminal))
		hold(watch);
}

static void take_match(struct watch *watch, const struct thumbturn_event *event)
{
	look(watch);
	if (!watch->in_front) {
		/* Said again, as the daemon may have matched before it heard of it. */
		thumbturn_foreground(watch->conversation, 0);
		return;
	}
	watch->matched = true;
	watch->held = false;
	watch->enters = 0;
	/* First the report, then the key: when the prompt ends, the match stands. */
	report(watch, REPORT_MATCHED, 0, event->nonce);
	press_enter(watch);
}

/* The next step for a match nobody took: Ctrl-V, for one, swallows the first key. */
static void step(struct watch *watch)
{
	if (!watch->matched || watch->held || clock_left(watch->deadline) > 0)
		return;
	look(watch);
	if (!watch->matched)
		return;
	if (watch->enters < MOST_ENTERS)
		press_enter(watch);
	else
		hold(watch);
}

/* The finger is over, and perhaps the conversation with it. */
static void end(struct watch *watch, int refusal)
{
	char text[NOTE_SIZE];

	watch->matched = false;
	report(watch, REPORT_REFUSED, refusal, NULL);
	note_of_refusal(text, watch->attempt, refusal);
	note(watch, text);
}

static void take_event(struct watch *watch, const struct thumbturn_event *event)
{
	char text[NOTE_SIZE];

	switch (event->kind) {
	case THUMBTURN_MATCHED:
		take_match(watch, event);
		break;
	case THUMBTURN_VOIDED:
		if (watch->matched) {
			report(watch, REPORT_VOIDED, 0, NULL);
			note(watch, " (that took too long, touch again) ");
		}
		watch->matched = false;
		break;
	case THUMBTURN_REFUSED:
	case THUMBTURN_FINGER_ENDED:
		end(watch, event->refusal);
		break;
	case THUMBTURN_PATTERN_OFFERED:
		watch->attempt->pattern_offered = true;
		report(watch, REPORT_OFFERED, 0, NULL);
		break;
	case THUMBTURN_WAITING:
		watch->queued = true;
		note_of_event(text, event);
		note(watch, text);
		break;
	case THUMBTURN_ARMED:
		if (watch->queued)
			note(watch, " (the reader is free, touch it now) ");
		watch->queued = false;
		break;
	case THUMBTURN_MISMATCH:
	case THUMBTURN_RETRY:
		note_of_event(text, event);
		note(watch, text);
		break;
	case THUMBTURN_ACCEPTED:
	case THUMBTURN_GRANTED:
	case THUMBTURN_PASSED_ON:
	default:
		break;
	}
}

static void take_events(struct watch *watch)
{
	struct thumbturn_event event;

	for (int taken = 0; taken < MOST_EVENTS && thumbturn_descriptor(watch->conversation) >= 0; taken++) {
		switch (thumbturn_next_event(watch->conversation, 0, &event)) {
		case THUMBTURN_OK:
			take_event(watch, &event);
			break;
		case THUMBTURN_ENDED:
			end(watch, thumbturn_refusal(watch->conversation));
			return;
		case THUMBTURN_NOTHING:
		default:
			return;
		}
	}
}

/* Waits for the daemon, for the host's end or for the next thing to do. */
static bool wait_on(const struct watch *watch)
{
	struct pollfd watched[] = {
		{ .fd = thumbturn_descriptor(watch->conversation), .events = POLLIN },
		{ .fd = watch->reports, .events = 0 },
	};
	int wait = LOOK_MS;

	if (watch->matched && !watch->held && clock_left(watch->deadline) < wait)
		wait = clock_left(watch->deadline);
	poll(watched, 2, wait);
	return (watched[1].revents & (POLLERR | POLLHUP | POLLNVAL)) == 0 && getppid() == watch->host;
}

/*
 * Even when the conversation is over it lives on, idle, until the host ends it:
 * a process that is there cannot have given its number to another.
 */
void watch(struct attempt *attempt, int reports, int terminal, pid_t host, pid_t group, bool in_front,
	   bool queued)
{
	struct watch watch = {
		.attempt = attempt,
		.conversation = &attempt->conversation,
		.reports = reports,
		.terminal = terminal,
		.host = host,
		.group = group,
		.in_front = in_front,
		.queued = queued,
	};

	do {
		look(&watch);
		take_events(&watch);
		step(&watch);
	} while (wait_on(&watch));
}
