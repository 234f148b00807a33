/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <security/pam_ext.h>
#include <string.h>
#include <sys/un.h>
#include <syslog.h>

#define LONGEST_PROMPT 400 /* below PAM_MAX_MSG_SIZE, which hosts hold us to */

/* The value of `word` when it is `name=value`, else NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* Digits only, without a leading zero, within the limits. */
static bool read_number(const char *text, unsigned most, unsigned *number)
{
	unsigned value = 0;
	const char *place;

	for (place = text; *place >= '0' && *place <= '9' && value <= most; place++)
		value = value * 10 + (unsigned)(*place - '0');
	if (*place != '\0' || *text == '0' || value < 1 || value > most)
		return false;
	*number = value;
	return true;
}

static bool read_reader(const char *text, enum reader_use *reader)
{
	if (strcmp(text, "parallel") == 0)
		*reader = READER_PARALLEL;
	else if (strcmp(text, "only") == 0)
		*reader = READER_ONLY;
	else if (strcmp(text, "off") == 0)
		*reader = READER_OFF;
	else
		return false;
	return true;
}

static bool read_text(const char *text, size_t most, const char **target)
{
	size_t length = strlen(text);

	if (length == 0 || length > most)
		return false;
	*target = text;
	return true;
}

static bool read_socket(const char *text, const char **target)
{
	return text[0] == '/' && read_text(text, sizeof(((struct sockaddr_un *)0)->sun_path) - 1, target);
}

static bool read_flag(const char *word, struct options *options)
{
	if (strcmp(word, "debug") == 0)
		options->debug = true;
	else if (strcmp(word, "use_first_pass") == 0)
		options->use_first_pass = true;
	else if (strcmp(word, "learn") == 0)
		options->learn = true;
	else
		return strcmp(word, "try_first_pass") == 0;
	return true;
}

static bool read_word(const char *word, struct options *options)
{
	const char *value;

	if ((value = value_of(word, "reader")) != NULL)
		return read_reader(value, &options->reader);
	if ((value = value_of(word, "timeout")) != NULL)
		return read_number(value, 170, &options->timeout);
	if ((value = value_of(word, "max-tries")) != NULL)
		return read_number(value, 10, &options->tries);
	if ((value = value_of(word, "prompt")) != NULL)
		return read_text(value, LONGEST_PROMPT, &options->prompt);
	if ((value = value_of(word, "socket")) != NULL)
		return read_socket(value, &options->socket);
	return read_flag(word, options);
}

/* A line that learns asks for nothing, so it has nothing to say about how to. */
static bool fits_learning(const struct options *options)
{
	return options->reader == READER_PARALLEL && options->timeout == 0 && options->tries == 0 &&
	       options->prompt == NULL && !options->use_first_pass;
}

bool options_read(pam_handle_t *pamh, int argc, const char **argv, struct options *options)
{
	bool good = true;

	memset(options, 0, sizeof(*options));
	for (int index = 0; index < argc; index++) {
		if (read_word(argv[index], options))
			continue;
		pam_syslog(pamh, LOG_ERR, "unknown or wrong option: %s", argv[index]);
		good = false;
	}
	if (good && options->learn && !fits_learning(options)) {
		pam_syslog(pamh, LOG_ERR, "the option learn stands alone, or with socket= and debug");
		good = false;
	}
	return good;
}
