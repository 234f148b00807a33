// SPDX-License-Identifier: Apache-2.0
/*
 * two_stacks - asks PAM in two threads at once, as desktops do: a stack that asks
 * the reader alone, and one that asks for the password.
 *
 *     two_stacks USER FINGER-SERVICE PASSWORD-SERVICE
 *
 * The password is a line of standard input. Prints a line for each message, as
 * "finger info: ...", and for each result, as "password 0".
 */
#include <pthread.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stack {
	const char *name, *service, *user;
};

static const char *style_name(int style)
{
	return style == PAM_ERROR_MSG ? "error" : style == PAM_TEXT_INFO ? "info" : "prompt";
}

static char *read_answer(void)
{
	char line[512] = "";

	if (fgets(line, sizeof(line), stdin) == NULL)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return strdup(line);
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
	const struct stack *stack = data;
	struct pam_response *answers = calloc((size_t)count, sizeof(*answers));

	if (answers == NULL)
		return PAM_BUF_ERR;
	*responses = answers;
	for (int index = 0; index < count; index++) {
		int style = messages[index]->msg_style;

		printf("%s %s: %s\n", stack->name, style_name(style), messages[index]->msg);
		fflush(stdout);
		if (style != PAM_ERROR_MSG && style != PAM_TEXT_INFO)
			answers[index].resp = read_answer();
	}
	return PAM_SUCCESS;
}

static void *run(void *data)
{
	const struct stack *stack = data;
	struct pam_conv conversation = { converse, data };
	pam_handle_t *pamh = NULL;
	int result = pam_start(stack->service, stack->user, &conversation, &pamh);

	if (result == PAM_SUCCESS)
		result = pam_authenticate(pamh, 0);
	printf("%s %d\n", stack->name, result);
	fflush(stdout);
	pam_end(pamh, result);
	return NULL;
}

int main(int count, char **words)
{
	struct stack finger = { .name = "finger" }, password = { .name = "password" };
	pthread_t threads[2];

	if (count != 4)
		return 2;
	finger.user = password.user = words[1];
	finger.service = words[2];
	password.service = words[3];
	if (pthread_create(&threads[0], NULL, run, &finger) != 0 || pthread_create(&threads[1], NULL, run, &password) != 0)
		return 2;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
