// SPDX-License-Identifier: Apache-2.0
/*
 * Packets of a false daemon, through a real socket, to the PAM module's client.
 *
 * The first byte says what the module has done before (bit 0: confirmed a match,
 * bit 4: answered a pattern, bit 5: handed a password over) and bits 1 to 3 how often the same packet comes. What is
 * told must stay within what thumbturn.h promises.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "thumbturn.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static int is_text(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	if (!memchr(text, 0, THUMBTURN_TEXT_SIZE))
		return 0;
	for (; *byte; byte++)
		if (*byte < 0x20 || *byte == 0x7f)
			return 0;
	return 1;
}

static void check_event(const struct thumbturn_event *event, int confirmed, int learning)
{
	check(event->kind >= THUMBTURN_ACCEPTED && event->kind <= THUMBTURN_ANNOUNCED);
	check(event->kind != THUMBTURN_ANNOUNCED || learning);
	check(event->kind != THUMBTURN_GRANTED || confirmed);
	check(is_text(event->name) && is_text(event->terminal));
	check(event->finger >= 0 && event->finger <= 10);
	check(event->tries_left >= 0 && event->tries_left <= 255);
	check(event->swipe == 0 || event->swipe == 1);
	check(thumbturn_retry_message(event->retry_reason)[0] != 0);
	if (event->finger)
		check(thumbturn_finger_name(event->finger)[0] != 0);
}

static void check_end(const struct thumbturn_conversation *conversation)
{
	int code = thumbturn_pam_code(thumbturn_refusal(conversation));

	check(thumbturn_descriptor(conversation) == -1);
	/* Neither PAM_SUCCESS nor PAM_IGNORE. */
	check(code != 0 && code != 25);
	code = thumbturn_pam_code_alone(thumbturn_refusal(conversation));
	check(code != 0 && code != 25);
	check(thumbturn_refusal_message(thumbturn_refusal(conversation))[0] != 0);
}

static void receive(struct thumbturn_conversation *conversation)
{
	struct thumbturn_event event;
	int confirmed, learning, granted = 0;
	enum thumbturn_result result;

	for (;;) {
		confirmed = conversation->confirmed || conversation->answered;
		learning = conversation->learning;
		result = thumbturn_next_event(conversation, 0, &event);
		if (result != THUMBTURN_OK)
			break;
		check(!granted);
		check_event(&event, confirmed, learning);
		granted = event.kind == THUMBTURN_GRANTED;
	}
	if (result == THUMBTURN_ENDED && !granted)
		check_end(conversation);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t count);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t count)
{
	static const unsigned char nonce[THUMBTURN_NONCE_SIZE] = { 1 };
	struct thumbturn_conversation conversation = { .descriptor = -1 };
	int pair[2], times;

	if (count < 1)
		return 0;
	check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	conversation.descriptor = pair[0];
	if (data[0] & 1)
		check(thumbturn_confirm(&conversation, nonce) == THUMBTURN_OK);
	if (data[0] & 16)
		check(thumbturn_answer(&conversation, "2589") == THUMBTURN_OK);
	conversation.learning = (data[0] & 32) != 0;
	for (times = 0; times <= ((data[0] >> 1) & 7); times++)
		/* A packet longer than the socket's buffer cannot be sent at all. */
		if (send(pair[1], data + 1, count - 1, MSG_NOSIGNAL) < 0)
			check(errno == EMSGSIZE || errno == EAGAIN || errno == ENOBUFS);
	close(pair[1]);
	receive(&conversation);
	thumbturn_close(&conversation);
	return 0;
}
