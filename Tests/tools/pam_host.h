/* SPDX-License-Identifier: Apache-2.0 */
/* pam_host.h - what the parts of the test host share. */
#ifndef PAM_HOST_H
#define PAM_HOST_H

#include <security/pam_appl.h>
#include <stdio.h>

/* The words of the command line, `name=value` each. */
struct words {
	int count;
	char **list;
};

/* The value of a word, or `otherwise`. */
const char *word(const struct words *words, const char *name, const char *otherwise);
long number(const struct words *words, const char *name, long otherwise);

/* Where the findings go: a copy of the standard output that survives its closing. */
extern FILE *findings;

/* How the host talks, by the word `talk`: see converse.c. */
struct talk {
	const struct words *words;
	pam_handle_t *pamh;
};
int converse(int count, const struct pam_message **messages, struct pam_response **answers, void *data);

/* Makes the host an odd one, by the word `odd`: see odd.c. */
void become_odd(const struct words *words);

/* What a module must leave as it was. */
struct trace {
	unsigned char bytes[4096];
	size_t length;
	long memory_kb;
	int maps;
};
void take_trace(struct trace *trace);
/* Prints one line for everything that differs. */
void compare_traces(const struct trace *before, const struct trace *after);

#endif
