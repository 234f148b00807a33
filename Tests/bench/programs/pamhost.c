// SPDX-License-Identifier: Apache-2.0
/*
 * A PAM host as small as can be: one thread, a controlling terminal, a
 * conversation that reads the terminal without echo, as su's does.
 *
 *	pamhost CONFDIR SERVICE USER DESCRIPTOR
 *
 * Writes "NAME SECONDS [CODE]" lines on CLOCK_MONOTONIC to the descriptor:
 * `start` before pam_start (which loads the modules), `authenticate` before
 * pam_authenticate, `prompt` when the first message is on the terminal, `done`
 * with the PAM code. Ends with 0 for PAM_SUCCESS.
 */
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int report;

static void event(const char *name, int code)
{
	struct timespec now;
	char line[96];

	clock_gettime(CLOCK_MONOTONIC, &now);
	int size = snprintf(line, sizeof(line), "%s %ld.%09ld %d\n", name, (long)now.tv_sec, now.tv_nsec, code);
	if (write(report, line, (size_t)size) != size)
		_exit(3);
}

static void show(const char *text)
{
	static int shown;

	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(3);
	if (!shown)
		event("prompt", 0);
	shown = 1;
}

static char *ask(const char *prompt)
{
	struct termios before, silent;
	char line[512];
	ssize_t size;

	if (tcgetattr(STDIN_FILENO, &before))
		return NULL;
	silent = before;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
	show(prompt);
	size = read(STDIN_FILENO, line, sizeof(line) - 1);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	if (size <= 0)
		return NULL;
	line[size] = 0;
	line[strcspn(line, "\r\n")] = 0;
	return strdup(line);
}

static int converse(int count, const struct pam_message **messages, struct pam_response **answers, void *data)
{
	struct pam_response *made = calloc((size_t)count, sizeof(*made));

	(void)data;
	if (!made)
		return PAM_BUF_ERR;
	for (int i = 0; i < count; i++) {
		if (messages[i]->msg_style == PAM_PROMPT_ECHO_OFF || messages[i]->msg_style == PAM_PROMPT_ECHO_ON) {
			made[i].resp = ask(messages[i]->msg);
			if (!made[i].resp) {
				free(made);
				return PAM_CONV_ERR;
			}
		} else {
			show(messages[i]->msg);
			show("\n");
		}
	}
	*answers = made;
	return PAM_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct pam_conv conversation = {.conv = converse};
	const char *terminal = ttyname(STDIN_FILENO);
	pam_handle_t *pamh;
	int code;

	if (argc != 5 || !terminal)
		return 2;
	report = atoi(argv[4]);
	event("start", 0);
	if (pam_start_confdir(argv[2], argv[3], &conversation, argv[1], &pamh) != PAM_SUCCESS)
		return 2;
	pam_set_item(pamh, PAM_TTY, terminal);
	pam_set_item(pamh, PAM_RUSER, "root");
	event("authenticate", 0);
	code = pam_authenticate(pamh, 0);
	event("done", code);
	pam_end(pamh, code);
	return code == PAM_SUCCESS ? 0 : 1;
}
