/* SPDX-License-Identifier: Apache-2.0 */
/* What a module must leave as it was: taken before and after, then compared. */
#define _GNU_SOURCE
#include "pam_host.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* Every record starts with its name, so that a difference can be told. */
static void add(struct trace *trace, const char *name, const void *bytes, size_t count)
{
	size_t head = strlen(name) + 1;

	if (trace->length + head + sizeof(count) + count > sizeof(trace->bytes))
		abort();
	memcpy(trace->bytes + trace->length, name, head);
	memcpy(trace->bytes + trace->length + head, &count, sizeof(count));
	memcpy(trace->bytes + trace->length + head + sizeof(count), bytes, count);
	trace->length += head + sizeof(count) + count;
}

static void add_descriptors(struct trace *trace)
{
	unsigned char open_ones[32] = { 0 };
	struct stat status;

	for (int number = 0; number < 256; number++) {
		if (fstat(number, &status) == 0)
			open_ones[number / 8] |= (unsigned char)(1 << number % 8);
	}
	add(trace, "descriptors", open_ones, sizeof(open_ones));
}

static void add_signals(struct trace *trace)
{
	sigset_t mask;
	void *handlers[65] = { 0 };

	for (int number = 1; number < 65; number++) {
		struct sigaction action = { 0 };

		sigaction(number, NULL, &action);
		handlers[number] = (void *)action.sa_handler;
	}
	sigemptyset(&mask);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	add(trace, "handlers", handlers, sizeof(handlers));
	add(trace, "mask", &mask, 8);
}

static void add_environment(struct trace *trace)
{
	unsigned long sum = 5381;

	for (char **entry = environ; *entry != NULL; entry++) {
		for (const char *place = *entry; *place != '\0'; place++)
			sum = sum * 33 + (unsigned char)*place;
	}
	add(trace, "environment", &sum, sizeof(sum));
}

static void count_lines(const char *path, const char *wanted, int *lines, long *value)
{
	char line[512];
	FILE *file = fopen(path, "r");

	*lines = 0;
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		(*lines)++;
		if (wanted != NULL && strncmp(line, wanted, strlen(wanted)) == 0)
			*value = strtol(line + strlen(wanted), NULL, 10);
	}
	if (file != NULL)
		fclose(file);
}

void take_trace(struct trace *trace)
{
	struct termios mode;
	struct stat status = { 0 };
	char folder[512] = "";
	int lines;

	memset(trace, 0, sizeof(*trace));
	memset(&mode, 0, sizeof(mode));
	tcgetattr(STDIN_FILENO, &mode);
	add_descriptors(trace);
	add_signals(trace);
	add_environment(trace);
	add(trace, "terminal", &mode, sizeof(mode));
	stat("/proc/self/task", &status);
	add(trace, "threads", &status.st_nlink, sizeof(status.st_nlink));
	(void)!getcwd(folder, sizeof(folder));
	add(trace, "folder", folder, sizeof(folder));
	count_lines("/proc/self/maps", NULL, &trace->maps, NULL);
	count_lines("/proc/self/status", "VmRSS:", &lines, &trace->memory_kb);
}

void compare_traces(const struct trace *before, const struct trace *after)
{
	size_t place = 0;

	fprintf(findings, "memory %ld kB, maps %d\n", after->memory_kb - before->memory_kb,
		after->maps - before->maps);
	while (place < before->length) {
		const char *name = (const char *)before->bytes + place;
		size_t count;

		place += strlen(name) + 1;
		memcpy(&count, before->bytes + place, sizeof(count));
		place += sizeof(count);
		if (memcmp(before->bytes + place, after->bytes + place, count) != 0)
			fprintf(findings, "differs: %s\n", name);
		place += count;
	}
}
