/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pam_host - a PAM application for tests, with a service file of the test's own.
 *
 *     pam_host FOLDER SERVICE USER [name=value ...]
 *
 * tty=NAME (PAM_TTY; "self" for the name of its standard input's terminal),
 * rhost=NAME, authtok=TEXT, flags=NUMBER, cycles=NUMBER, call=setcred|account|
 * open|close|password, linger=1 (stays after the result until a line is typed, so
 * that its memory can be read); see converse.c and odd.c for the others.
 * Prints one finding a line; the last is "result N".
 */
#define _GNU_SOURCE
#include "pam_host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

FILE *findings;

const char *word(const struct words *words, const char *name, const char *otherwise)
{
	size_t length = strlen(name);

	for (int index = 0; index < words->count; index++) {
		const char *text = words->list[index];

		if (strncmp(text, name, length) == 0 && text[length] == '=')
			return text + length + 1;
	}
	return otherwise;
}

long number(const struct words *words, const char *name, long otherwise)
{
	const char *text = word(words, name, NULL);

	return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

static void set(pam_handle_t *pamh, int type, const char *value)
{
	if (value != NULL)
		pam_set_item(pamh, type, value);
}

/* The call that the word `call` names. */
static int call(pam_handle_t *pamh, const struct words *words)
{
	const char *which = word(words, "call", "authenticate");
	int flags = (int)number(words, "flags", 0);

	if (strcmp(which, "setcred") == 0)
		return pam_setcred(pamh, flags);
	if (strcmp(which, "account") == 0)
		return pam_acct_mgmt(pamh, flags);
	if (strcmp(which, "open") == 0)
		return pam_open_session(pamh, flags);
	if (strcmp(which, "close") == 0)
		return pam_close_session(pamh, flags);
	if (strcmp(which, "password") == 0)
		return pam_chauthtok(pamh, flags);
	return pam_authenticate(pamh, flags);
}

static int transact(const char *folder, const char *service, const char *user, const struct words *words)
{
	struct talk talk = { .words = words };
	struct pam_conv conversation = { .conv = converse, .appdata_ptr = &talk };
	const char *tty = word(words, "tty", NULL);
	int result = pam_start_confdir(service, user, &conversation, folder, &talk.pamh);

	if (result != PAM_SUCCESS)
		return result;
	if (tty != NULL && strcmp(tty, "self") == 0)
		tty = ttyname(STDIN_FILENO);
	set(talk.pamh, PAM_TTY, tty);
	set(talk.pamh, PAM_RHOST, word(words, "rhost", NULL));
	result = call(talk.pamh, words);
	pam_end(talk.pamh, result);
	return result;
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	struct words words = { .count = argc - 4, .list = argv + 4 };
	struct trace before, after;
	long cycles, start;
	int result = PAM_SYSTEM_ERR;

	if (argc < 4)
		return 2;
	findings = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, (int)number(&words, "out", 50)), "w");
	if (findings == NULL)
		return 2;
	setvbuf(findings, NULL, _IOLBF, 512);
	become_odd(&words);
	cycles = number(&words, "cycles", 1);
	/* The first run loads libpam's helpers and fills the allocator's bins. */
	if (cycles > 1)
		transact(argv[1], argv[2], argv[3], &words);
	take_trace(&before);
	start = milliseconds();
	for (long cycle = 0; cycle < cycles; cycle++)
		result = transact(argv[1], argv[2], argv[3], &words);
	fprintf(findings, "took %ld ms\n", milliseconds() - start);
	take_trace(&after);
	compare_traces(&before, &after);
	if (waitpid(-1, NULL, WNOHANG | __WALL) >= 0)
		fprintf(findings, "differs: children\n");
	fprintf(findings, "result %d\n", result);
	if (number(&words, "linger", 0))
		getchar();
	fclose(findings);
	return result == PAM_SUCCESS ? 0 : 1;
}
