/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "speaker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <security/pam_ext.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "terminal.h"

#define GRACE_MS 100

/* What the process says: one write to the pipe, and at most one. */
struct answer {
	int result;
	int has_text;
	char text[PAM_MAX_RESP_SIZE];
};
_Static_assert(sizeof(struct answer) <= PIPE_BUF, "one write is whole or none");

/* SIGTERM must end it whatever the host made of it; the rest is as in the host. */
static void take_signals(const sigset_t *hosts)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t mask = *hosts;

	sigaction(SIGTERM, &action, NULL);
	sigdelset(&mask, SIGTERM);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void fill(struct answer *answer, char *typed)
{
	size_t length = typed != NULL ? strlen(typed) : 0;

	if (answer->result != PAM_SUCCESS)
		return;
	if (length >= sizeof(answer->text)) {
		answer->result = PAM_CONV_ERR; /* longer than PAM allows; half of it would be another */
		return;
	}
	answer->has_text = typed != NULL;
	if (typed != NULL)
		memcpy(answer->text, typed, length);
}

/* The child's part. Nothing of the host's is flushed or run at its end. */
__attribute__((noreturn)) static void speak(struct attempt *attempt, int answers, const char *prompt)
{
	struct answer answer = { 0 };
	char *typed = NULL;

	answer.result = pam_prompt(attempt->pamh, PAM_PROMPT_ECHO_OFF, &typed, "%s", prompt);
	fill(&answer, typed);
	wipe_and_free(typed);
	(void)!write(answers, &answer, sizeof(answer));
	explicit_bzero(&answer, sizeof(answer));
	_exit(0);
}

bool speaker_start(struct speaker *speaker, struct attempt *attempt, const char *prompt)
{
	pid_t host = getpid();
	sigset_t all, before;
	int ends[2];
	int started;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	speaker->answers = above_standard(ends[0]);
	ends[1] = above_standard(ends[1]);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	started = process_start(&speaker->process);
	if (started == 0) {
		process_settle(host, "thumbturn-speak");
		/* The daemon must notice when the host is gone. */
		thumbturn_close(&attempt->conversation);
		close(speaker->answers);
		take_signals(&before);
		speak(attempt, ends[1], prompt);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (started < 0)
		close(speaker->answers);
	return started > 0;
}

enum heard speaker_hear(struct speaker *speaker, char **typed, int *failure)
{
	struct answer answer = { 0 };
	ssize_t count;

	do
		count = read(speaker->answers, &answer, sizeof(answer));
	while (count < 0 && errno == EINTR);
	if (count < 0 && errno == EAGAIN)
		return HEARD_NOTHING;
	*failure = PAM_CONV_ERR;
	*typed = NULL;
	/* An end without an answer is a process that somebody killed. */
	if (count == (ssize_t)sizeof(answer))
		*failure = answer.result;
	if (count == (ssize_t)sizeof(answer) && answer.result == PAM_SUCCESS && answer.has_text) {
		answer.text[sizeof(answer.text) - 1] = '\0';
		*typed = strdup(answer.text);
		if (*typed == NULL)
			*failure = PAM_BUF_ERR;
	}
	explicit_bzero(&answer, sizeof(answer));
	return *failure == PAM_SUCCESS ? HEARD_ANSWER : HEARD_FAILURE;
}

void speaker_end(struct speaker *speaker)
{
	char *typed = NULL;
	int failure;
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	process_end(&speaker->process, GRACE_MS);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (speaker_hear(speaker, &typed, &failure) == HEARD_ANSWER)
		wipe_and_free(typed);
	close(speaker->answers);
}
