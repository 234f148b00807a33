/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the host talks. The word `talk`:
 *
 *     script    answers with the word `answer` after `delay` milliseconds
 *     terminal  reads a line from /dev/tty, as sudo does (discards what was typed
 *               before it switches the echo off); `keep=1`: as su does (keeps it)
 *     pipes     writes the prompt to standard output and reads a line from standard
 *               input, as polkit's helper does
 *     fail      fails after `delay` milliseconds
 *     rename    sets PAM_USER to the word `rename`, then answers
 *     exit      ends the process in the middle of the conversation
 */
#define _GNU_SOURCE
#include "pam_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	interrupted = number;
}

static void pause_for(long milliseconds)
{
	while (milliseconds > 0 && poll(NULL, 0, (int)milliseconds) < 0 && errno == EINTR)
		continue;
}

/* One line, without its end; NULL when Ctrl-C or the end of input came. */
static char *read_line(int terminal)
{
	char line[PAM_MAX_RESP_SIZE] = "";
	size_t length = 0;
	char *copy;

	while (length + 1 < sizeof(line)) {
		ssize_t count = read(terminal, line + length, 1);

		if (count <= 0)
			return NULL;
		if (line[length] == '\n' || line[length] == '\r')
			break;
		length++;
	}
	line[length] = '\0';
	copy = strdup(line);
	explicit_bzero(line, sizeof(line));
	return copy;
}

static char *ask_on_terminal(const struct words *words, const char *prompt)
{
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	int how = number(words, "keep", 0) ? TCSADRAIN : TCSAFLUSH;
	struct sigaction action = { .sa_handler = on_interrupt }, before;
	struct termios old, quiet;
	char *answer;

	if (terminal < 0 || tcgetattr(terminal, &old) != 0)
		return NULL;
	sigaction(SIGINT, &action, &before);
	quiet = old;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	if (number(words, "raw", 0)) {
		quiet.c_lflag &= ~(tcflag_t)ICANON;
		quiet.c_iflag |= INLCR | ICRNL;
	}
	tcsetattr(terminal, how, &quiet);
	(void)!write(terminal, prompt, strlen(prompt));
	answer = read_line(terminal);
	(void)!write(terminal, "\n", 1);
	tcsetattr(terminal, how, &old);
	sigaction(SIGINT, &before, NULL);
	close(terminal);
	return answer;
}

static char *ask(struct talk *talk, const char *prompt)
{
	const char *how = word(talk->words, "talk", "script");

	if (strcmp(how, "terminal") == 0) {
		char *answer = ask_on_terminal(talk->words, prompt);

		/* Behind the answer: who sees the prompt before may type at once. */
		fprintf(findings, "prompt: %s\n", prompt);
		return answer;
	}
	fprintf(findings, "prompt: %s\n", prompt);
	if (strcmp(how, "pipes") == 0)
		return read_line(STDIN_FILENO);
	pause_for(number(talk->words, "delay", 0));
	if (strcmp(how, "fail") == 0)
		return NULL;
	if (strcmp(how, "exit") == 0)
		_exit(3);
	if (strcmp(how, "rename") == 0)
		pam_set_item(talk->pamh, PAM_USER, word(talk->words, "rename", "nobody"));
	return strdup(word(talk->words, "answer", ""));
}

int converse(int count, const struct pam_message **messages, struct pam_response **answers, void *data)
{
	struct talk *talk = data;
	struct pam_response *made = calloc((size_t)count, sizeof(*made));

	for (int index = 0; made != NULL && index < count; index++) {
		const struct pam_message *message = messages[index];

		if (message->msg_style == PAM_TEXT_INFO) {
			fprintf(findings, "info: %s\n", message->msg);
		} else if (message->msg_style == PAM_ERROR_MSG) {
			fprintf(findings, "error: %s\n", message->msg);
		} else {
			made[index].resp = ask(talk, message->msg);
			if (made[index].resp == NULL) {
				free(made);
				return PAM_CONV_ERR;
			}
		}
	}
	*answers = made;
	return made != NULL ? PAM_SUCCESS : PAM_BUF_ERR;
}
