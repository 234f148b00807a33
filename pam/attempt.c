/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "attempt.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <security/pam_ext.h>

#include "clock.h"
#include "log.h"
#include "piped.h"

#define DEFAULT_MARKERS "/var/lib/thumbturn"

/* The service thumbturn-pwcheck asks with; asking back would be a circle. */
#define PASSWORD_SERVICE "thumbturn-password"

static const char *item(pam_handle_t *pamh, int type)
{
	const void *value = NULL;

	return pam_get_item(pamh, type, &value) == PAM_SUCCESS && value != NULL ? value : "";
}

/* Fit for a file's name and for a log line. */
static bool is_sane_name(const char *name)
{
	size_t length = strlen(name);

	if (length == 0 || length >= NAME_SIZE || name[0] == '.')
		return false;
	for (const unsigned char *place = (const unsigned char *)name; *place != '\0'; place++) {
		if (*place < ' ' || *place == 127 || *place == '/')
			return false;
	}
	return true;
}

/* An empty PAM_RHOST is local: login sets it so. */
static bool is_local(const char *host)
{
	static const char *const local[] = { "", "localhost", "localhost.localdomain", "127.0.0.1", "::1" };

	for (size_t index = 0; index < sizeof(local) / sizeof(local[0]); index++) {
		if (strcmp(host, local[index]) == 0)
			return true;
	}
	return false;
}

/*
 * The marker only says that somebody has something enrolled. With `socket=` it is
 * looked for in the folder of the socket.
 */
static bool has_marker(const struct attempt *attempt)
{
	const char *socket = attempt->options.socket;
	size_t folder = socket != NULL ? (size_t)(strrchr(socket, '/') - socket) : strlen(DEFAULT_MARKERS);
	char path[PATH_MAX];
	struct stat status;
	int length = snprintf(path, sizeof(path), "%.*s/enrolled/%s", (int)folder,
			      socket != NULL ? socket : DEFAULT_MARKERS, attempt->user);

	return length > 0 && (size_t)length < sizeof(path) && lstat(path, &status) == 0;
}

/* Fills in whom it is about; false when there is nobody we could know. */
static bool take_user(struct attempt *attempt, int *result)
{
	const char *user = NULL;
	int answer = pam_get_user(attempt->pamh, &user, NULL);

	if (answer == PAM_CONV_AGAIN)
		*result = PAM_INCOMPLETE;
	else if (answer == PAM_CONV_ERR || answer == PAM_ABORT)
		*result = answer;
	if (answer != PAM_SUCCESS || user == NULL || !is_sane_name(user))
		return false;
	memcpy(attempt->user, user, strlen(user) + 1);
	return true;
}

/* Fills in what for and for whom; false when it is not for us. */
static bool take_request(struct attempt *attempt, int *result)
{
	*result = PAM_AUTHINFO_UNAVAIL;
	attempt->service = item(attempt->pamh, PAM_SERVICE);
	return strcmp(attempt->service, PASSWORD_SERVICE) != 0 && take_user(attempt, result);
}

bool attempt_may_teach(struct attempt *attempt)
{
	int result;

	return take_request(attempt, &result) && has_marker(attempt);
}

bool attempt_is_for_us(struct attempt *attempt, int *result)
{
	bool only = attempt->options.reader == READER_ONLY;
	bool parallel = attempt->options.reader == READER_PARALLEL;
	const char *why = NULL;

	if (!take_request(attempt, result))
		return false;
	attempt->remote_host = item(attempt->pamh, PAM_RHOST);
	attempt->caller = item(attempt->pamh, PAM_RUSER);
	attempt->terminal = item(attempt->pamh, PAM_TTY);
	if (strncmp(attempt->terminal, "/dev/", 5) == 0)
		attempt->terminal += 5;
	/* sshd names no terminal, and its peer may be this machine. */
	attempt->from_afar = !is_local(attempt->remote_host) || strcmp(attempt->terminal, "ssh") == 0;
	/* A pattern may come from there, if the daemon is set so. */
	if (attempt->from_afar && !parallel)
		why = "the request comes from another machine";
	else if (!only && (attempt->options.use_first_pass || item(attempt->pamh, PAM_AUTHTOK)[0] != '\0'))
		why = "a password was given before";
	else if (!has_marker(attempt))
		why = "nothing is enrolled";
	if (why != NULL)
		log_debug(attempt, why);
	return why == NULL;
}

static uint32_t login_uid(void)
{
	char text[16] = "";
	int file = open("/proc/self/loginuid", O_RDONLY | O_CLOEXEC);
	ssize_t count;

	if (file < 0)
		return UINT32_MAX;
	count = read(file, text, sizeof(text) - 1);
	close(file);
	return count > 0 ? (uint32_t)strtoul(text, NULL, 10) : UINT32_MAX;
}

bool attempt_begin(struct attempt *attempt, unsigned tries, unsigned timeout, int limit_ms)
{
	struct thumbturn_request request = {
		.service = attempt->service,
		.user = attempt->user,
		.terminal = attempt->terminal,
		.remote_host = attempt->remote_host,
		.real_user = getuid(),
		.login_user = login_uid(),
		.tries = tries,
		.timeout = timeout,
	};
	struct thumbturn_conversation *conversation = &attempt->conversation;
	struct ucred agent;

	/* The helper of newer polkits is a service, so its own uid says nothing of who asks. */
	if (piped_agent(attempt, &agent)) {
		request.requester = (uint32_t)agent.pid;
		if (request.real_user == 0)
			request.real_user = agent.uid;
	}
	attempt->begun = true;
	if (thumbturn_open(conversation, attempt->options.socket, &request, limit_ms) == THUMBTURN_OK)
		return true;
	log_refusal(attempt, thumbturn_refusal(conversation), thumbturn_error(conversation));
	return false;
}

enum taken attempt_take(struct attempt *attempt, const unsigned char *nonce, int limit_ms)
{
	int64_t deadline = clock_now() + (limit_ms < CONFIRM_MS ? limit_ms : CONFIRM_MS);
	struct thumbturn_event event;

	if (thumbturn_confirm(&attempt->conversation, nonce) != THUMBTURN_OK)
		return TAKEN_OVER;
	for (;;) {
		int left = clock_left(deadline);

		switch (thumbturn_next_event(&attempt->conversation, left, &event)) {
		case THUMBTURN_OK:
			break;
		case THUMBTURN_NOTHING:
		case THUMBTURN_ENDED:
		default:
			return TAKEN_OVER;
		}
		if (event.kind == THUMBTURN_GRANTED)
			return TAKEN;
		if (event.kind == THUMBTURN_VOIDED)
			return TAKEN_VOID;
		if (event.kind == THUMBTURN_REFUSED || left == 0)
			return TAKEN_OVER;
	}
}

int attempt_granted(struct attempt *attempt, const char *how)
{
	if (strcmp(item(attempt->pamh, PAM_USER), attempt->user) != 0) {
		pam_syslog(attempt->pamh, LOG_NOTICE, "the user changed from %s meanwhile; not granted",
			   attempt->user);
		return PAM_SYSTEM_ERR;
	}
	log_debug(attempt, how);
	return PAM_SUCCESS;
}
