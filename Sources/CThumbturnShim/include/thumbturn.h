/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thumbturn.h - talks to thumbturnd on behalf of one authentication.
 *
 * A conversation is a value of the caller's; nothing is allocated, no thread is
 * started, no signal is touched, and no call waits longer than it is told. Its
 * descriptor can be polled: when it is readable, thumbturn_next_event() has
 * something to say. Calls are not thread-safe per conversation.
 *
 *     struct thumbturn_conversation c;
 *     if (thumbturn_open(&c, NULL, &request, 250) == THUMBTURN_OK)
 *             ... poll(thumbturn_descriptor(&c)), thumbturn_next_event(), ...
 *     thumbturn_close(&c);
 */
#ifndef THUMBTURN_H
#define THUMBTURN_H

#include <stddef.h>
#include <stdint.h>

#define THUMBTURN_SOCKET "/run/thumbturn/socket"
#define THUMBTURN_TEXT_SIZE 256 /* bytes of a text with its NUL */
#define THUMBTURN_NONCE_SIZE 16

/* What a call answers. */
enum thumbturn_result {
	THUMBTURN_OK = 0,
	THUMBTURN_NOTHING = 1, /* the time is up and nothing came */
	THUMBTURN_ENDED = 2,   /* the conversation is over; see thumbturn_refusal() */
};

/* Kinds of events, numbered as on the wire. */
enum thumbturn_event_kind {
	THUMBTURN_ACCEPTED = 1,
	THUMBTURN_WAITING = 2,
	THUMBTURN_ARMED = 3,
	THUMBTURN_MISMATCH = 4,
	THUMBTURN_RETRY = 5,
	THUMBTURN_MATCHED = 6,
	THUMBTURN_VOIDED = 7,
	THUMBTURN_GRANTED = 8,
	THUMBTURN_REFUSED = 9,
	THUMBTURN_PASSED_ON = 10,
	THUMBTURN_PATTERN_OFFERED = 11, /* first, where a pattern may be answered */
	THUMBTURN_FINGER_ENDED = 12,    /* the conversation goes on for an answer */
	THUMBTURN_ANNOUNCED = 13,       /* after thumbturn_learn() only */
};

/* The refusals a caller makes or tells apart, numbered as on the wire. */
enum thumbturn_refusal_code {
	THUMBTURN_NOTHING_ENROLLED = 5,
	THUMBTURN_NO_MATCH = 6,
	THUMBTURN_LOCKED_OUT = 8,
	THUMBTURN_REMOTE = 9,
	THUMBTURN_LID_CLOSED = 10,
	THUMBTURN_TIMED_OUT = 11,
	THUMBTURN_MALFORMED = 15,
	THUMBTURN_WRONG_PATTERN = 25,
	THUMBTURN_PASSWORD_AFTER_START = 32,
	THUMBTURN_PASSWORD_DUE = 33,
	THUMBTURN_LOCKDOWN = 34,
	THUMBTURN_HOME_CLOSED = 35,
	THUMBTURN_NOT_AT_SEAT = 36,
	THUMBTURN_FACTOR_OFF = 37,
};

/* One event, whole and of fixed size. Texts have no control characters. */
struct thumbturn_event {
	enum thumbturn_event_kind kind;
	int refusal;           /* REFUSED, FINGER_ENDED: its code */
	int tries_left;        /* MISMATCH */
	int retry_reason;      /* RETRY */
	int swipe;             /* ACCEPTED: 1 when the finger is drawn over the sensor */
	int finger;            /* ACCEPTED: the only enrolled finger, 1 to 10, else 0; ANNOUNCED: 0 for a pattern */
	uint64_t when;         /* ANNOUNCED: seconds since 1970 */
	unsigned char nonce[THUMBTURN_NONCE_SIZE]; /* MATCHED */
	char name[THUMBTURN_TEXT_SIZE];            /* ACCEPTED: the reader; WAITING: the holder's service */
	char terminal[THUMBTURN_TEXT_SIZE];        /* WAITING: the holder's terminal */
};

/* Who asks for whom. Texts may be NULL, which means empty. */
struct thumbturn_request {
	const char *_Nullable service;
	const char *_Nullable user;
	const char *_Nullable terminal;
	const char *_Nullable remote_host;
	uint32_t real_user;
	uint32_t login_user; /* UINT32_MAX when there is none */
	unsigned tries;      /* 0: the configured number */
	unsigned timeout;    /* seconds, 0: the configured number */
	uint32_t requester;  /* the process on whose behalf this one asks, 0: none */
};

/* The caller owns it; the fields are the library's. A copy of it in a forked
 * process may be used there as long as only one of the two receives. */
struct thumbturn_conversation {
	int descriptor;
	int refusal;
	int error;
	int confirmed;
	int answered;
	int learning;
};

/*
 * Connects to `socket` (NULL: THUMBTURN_SOCKET), makes sure that root listens
 * there, and sends the request. Waits at most `limit_ms` in all. THUMBTURN_OK, or
 * THUMBTURN_ENDED with a refusal. `conversation` needs no initial value and may be
 * closed in either case. A text of the request longer than 255 bytes is refused.
 */
enum thumbturn_result thumbturn_open(struct thumbturn_conversation *_Nonnull conversation,
				     const char *_Nullable socket,
				     const struct thumbturn_request *_Nonnull request, int limit_ms);

/* The descriptor to poll for reading, -1 once the conversation is over. */
int thumbturn_descriptor(const struct thumbturn_conversation *_Nonnull conversation);

/*
 * Takes the next event, waiting at most `wait_ms` (0: not at all). A refusal is
 * reported once as an event and ends the conversation; whatever else ends it
 * (hang-up, garbage, another version) answers THUMBTURN_ENDED with its refusal.
 * THUMBTURN_GRANTED only ever follows a thumbturn_confirm() of this very
 * conversation that no THUMBTURN_VOIDED took back, or a thumbturn_answer() that was
 * not passed on; it ends the conversation too.
 */
enum thumbturn_result thumbturn_next_event(struct thumbturn_conversation *_Nonnull conversation, int wait_ms,
					   struct thumbturn_event *_Nonnull event);

/*
 * Sends one message each; THUMBTURN_OK or THUMBTURN_ENDED. None waits. After an
 * ENDED of theirs thumbturn_next_event() still tells what had arrived before, the
 * refusal among it. `nonce` has THUMBTURN_NONCE_SIZE bytes; `secret` has at most 511.
 */
enum thumbturn_result thumbturn_confirm(struct thumbturn_conversation *_Nonnull conversation,
					const unsigned char *_Nonnull nonce);
enum thumbturn_result thumbturn_foreground(struct thumbturn_conversation *_Nonnull conversation, int in_front);
enum thumbturn_result thumbturn_hold(struct thumbturn_conversation *_Nonnull conversation);
enum thumbturn_result thumbturn_answer(struct thumbturn_conversation *_Nonnull conversation,
				       const char *_Nonnull secret);
enum thumbturn_result thumbturn_cancel(struct thumbturn_conversation *_Nonnull conversation);

/*
 * Hands a password over in a conversation of its own, for the daemon to have it checked
 * and to learn from it if it is right. Waits at most `limit_ms` to connect and not at
 * all for the check; THUMBTURN_OK when it was handed over. What the person has to hear
 * of then comes as THUMBTURN_ANNOUNCED, and THUMBTURN_ENDED when that is all. As with
 * thumbturn_open(), `conversation` needs no initial value and may be closed in either case.
 */
enum thumbturn_result thumbturn_learn(struct thumbturn_conversation *_Nonnull conversation,
				      const char *_Nullable socket, const char *_Nonnull user,
				      const char *_Nonnull service, const char *_Nonnull secret, int limit_ms);

/* Closes the descriptor. May be called again. */
void thumbturn_close(struct thumbturn_conversation *_Nonnull conversation);

/* The code of the refusal that ended the conversation, 0 while there is none. */
int thumbturn_refusal(const struct thumbturn_conversation *_Nonnull conversation);

/*
 * The errno of the system call behind that refusal, 0 when there is none. EPERM
 * from thumbturn_open(): whoever listens on the socket is not root.
 */
int thumbturn_error(const struct thumbturn_conversation *_Nonnull conversation);

/*
 * The PAM return value of a refusal. Never PAM_SUCCESS and never PAM_IGNORE; an
 * unknown code is PAM_SYSTEM_ERR.
 */
int thumbturn_pam_code(int refusal);

/*
 * The same where nothing but the reader is asked, beside a stack that asks for the
 * password: PAM_AUTHINFO_UNAVAIL retires the reader until the next lock, so it is kept
 * for what cannot be mended by another try.
 */
int thumbturn_pam_code_alone(int refusal);

/* A sentence about a refusal, a retry reason, or a finger's name; static, never NULL. */
const char *_Nonnull thumbturn_refusal_message(int refusal);
const char *_Nonnull thumbturn_retry_message(int retry_reason);
const char *_Nonnull thumbturn_finger_name(int finger);

#endif
