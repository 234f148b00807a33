/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Odd hosts. The word `odd` names one or more, with commas:
 *
 *     closed     standard input, output and error are closed
 *     few        RLIMIT_NOFILE is 8
 *     noproc     no process can be started (real uid 65534, RLIMIT_NPROC 0)
 *     blocked    all signals are blocked
 *     deaf       SIGTERM is ignored
 *     ignore     SIGCHLD is ignored
 *     nowait     SIGCHLD has SA_NOCLDWAIT
 *     reaper     a handler of SIGCHLD reaps everything there is
 *     thread     there is a second thread
 *     realuser   the real uid is 65534, as in a setuid program
 */
#define _GNU_SOURCE
#include "pam_host.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void reap(int number)
{
	int saved = errno;

	(void)number;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		fprintf(findings, "differs: the host's handler reaped a child\n");
	errno = saved;
}

static void handle_children(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGCHLD, &action, NULL);
}

static void *idle(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void limit(int what, rlim_t most)
{
	struct rlimit both = { most, most };

	setrlimit(what, &both);
}

/* Root may start processes beyond the limit, so the capabilities go too. */
static void forbid_processes(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	syscall(SYS_setresuid, 65534, 0, 0);
	syscall(SYS_capget, &header, data);
	data[0].effective &= ~((1U << CAP_SYS_RESOURCE) | (1U << CAP_SYS_ADMIN));
	syscall(SYS_capset, &header, data);
	limit(RLIMIT_NPROC, 0);
}

static void become(const char *name)
{
	sigset_t all;
	pthread_t thread;

	if (strcmp(name, "closed") == 0) {
		for (int number = 0; number < 3; number++)
			close(number);
	} else if (strcmp(name, "few") == 0) {
		limit(RLIMIT_NOFILE, 8);
	} else if (strcmp(name, "noproc") == 0) {
		forbid_processes();
	} else if (strcmp(name, "blocked") == 0) {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
	} else if (strcmp(name, "deaf") == 0) {
		signal(SIGTERM, SIG_IGN);
	} else if (strcmp(name, "ignore") == 0) {
		handle_children(SIG_IGN, 0);
	} else if (strcmp(name, "nowait") == 0) {
		handle_children(SIG_DFL, SA_NOCLDWAIT);
	} else if (strcmp(name, "reaper") == 0) {
		handle_children(reap, SA_RESTART);
	} else if (strcmp(name, "thread") == 0) {
		pthread_create(&thread, NULL, idle, NULL);
	} else if (strcmp(name, "realuser") == 0) {
		syscall(SYS_setresuid, 65534, 0, 0);
	}
}

void become_odd(const struct words *words)
{
	char names[128];
	char *rest = names;
	char *name;

	snprintf(names, sizeof(names), "%s", word(words, "odd", ""));
	while ((name = strsep(&rest, ",")) != NULL)
		become(name);
}
