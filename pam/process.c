/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terminal.h"

#define END_MS 1000

/* Raw calls: the C library's own count on its own fork, or are too young. */
static long start_quietly(int *pidfd)
{
	struct clone_args arguments = {
		.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
		.pidfd = (__u64)(uintptr_t)pidfd,
		.exit_signal = 0,
	};

	return syscall(SYS_clone3, &arguments, sizeof(arguments));
}

int process_start(struct process *child)
{
	long pid;

	child->pidfd = -1;
	pid = start_quietly(&child->pidfd);
	if (pid < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL)) {
		pid = _Fork();
		if (pid > 0)
			child->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	}
	if (pid < 0)
		return -1;
	/*
	 * A group of its own, made on both sides because either may run first: in
	 * the host's group it would stop with it, and its stop breaks sudo's read.
	 */
	setpgid((pid_t)pid, (pid_t)pid);
	if (pid == 0)
		return 0;
	child->pid = (pid_t)pid;
	child->pidfd = above_standard(child->pidfd);
	return 1;
}

/* The folder has one link a thread besides "." and ".."; no descriptor is needed. */
bool process_has_one_thread(void)
{
	struct stat status;

	return stat("/proc/self/task", &status) == 0 && status.st_nlink == 3;
}

static void close_between(unsigned first, unsigned last)
{
	struct rlimit limit = { 0 };

	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 65536)
		limit.rlim_cur = 65536;
	for (unsigned number = first; number <= last && number < limit.rlim_cur; number++)
		close((int)number);
}

/* Closes the gaps between the descriptors that are kept, in their order. */
void process_keep(const int *kept, size_t count)
{
	unsigned first = 0;

	for (;;) {
		unsigned next = ~0U;

		for (size_t index = 0; index < count; index++) {
			if (kept[index] >= 0 && (unsigned)kept[index] >= first && (unsigned)kept[index] < next)
				next = (unsigned)kept[index];
		}
		if (next == ~0U)
			break;
		if (next > first)
			close_between(first, next - 1);
		first = next + 1;
	}
	close_between(first, ~0U);
}

void process_settle(pid_t host, const char *name)
{
	/* Else the caller of a setuid host could stop or kill it. */
	if (geteuid() == 0 && syscall(SYS_setresuid, 0, 0, 0) != 0)
		_exit(1);
	/* A change of uid clears this, so it comes behind. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != host)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NAME, name);
}

/* "PID (NAME) STATE ...": no name is longer than 15 bytes, and only it can hold ")". */
bool process_is_stopped(pid_t pid)
{
	char text[64] = "";
	const char *end;
	int file;

	snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	file = open(text, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	memset(text, 0, sizeof(text));
	(void)!read(file, text, sizeof(text) - 1);
	close(file);
	end = strrchr(text, ')');
	return end != NULL && strncmp(end, ") T", 3) == 0;
}

static void send_signal(const struct process *child, int number)
{
	if (child->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, child->pidfd, number, NULL, 0);
	else
		kill(child->pid, number);
}

/* Whether the child ended in time; only a pidfd tells. */
static bool has_ended(const struct process *child, int limit_ms)
{
	struct pollfd ended = { .fd = child->pidfd, .events = POLLIN };

	return child->pidfd >= 0 && poll(&ended, 1, limit_ms) > 0;
}

void process_end(struct process *child, int grace_ms)
{
	int options = __WALL;

	if (grace_ms > 0)
		send_signal(child, SIGTERM);
	if (grace_ms == 0 || !has_ended(child, grace_ms))
		send_signal(child, SIGKILL);
	if (child->pidfd >= 0 && !has_ended(child, END_MS))
		options |= WNOHANG;
	/* ECHILD is a host that ignores SIGCHLD, and only without clone3. */
	while (waitpid(child->pid, NULL, options) < 0 && errno == EINTR)
		continue;
	if (child->pidfd >= 0)
		close(child->pidfd);
	child->pidfd = -1;
}
