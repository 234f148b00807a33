/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <security/pam_modules.h>
#include <stdbool.h>

/* When the reader is used: option `reader=`. */
enum reader_use {
	READER_PARALLEL, /* beside the prompt; the default */
	READER_ONLY,     /* without any prompt: fingerprint-only stacks of a desktop */
	READER_OFF,      /* a prompt for the secret; the other of two stacks has the reader */
};

struct options {
	enum reader_use reader;
	unsigned timeout;    /* seconds, 1 to 170; 0 when not given */
	unsigned tries;      /* 1 to 10; 0 when not given */
	const char *prompt;  /* replaces the module's own; NULL when not given */
	const char *socket;  /* absolute; NULL for the default */
	bool debug;
	bool use_first_pass; /* never ask; try_first_pass is what happens anyway */
	bool learn;          /* authenticate nobody: hand over the password to learn from it */
};

/*
 * Reads the words behind the module's name. Every one that is unknown or wrong is
 * logged by name; then the answer is false, and the module must refuse: a line
 * that does not say what its author meant must not decide anything.
 */
bool options_read(pam_handle_t *pamh, int argc, const char **argv, struct options *options);

#endif
