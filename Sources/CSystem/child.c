/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts a child program. Between vfork and exec only async-signal-safe calls
 * run, on the memory of the parent, which waits for the exec in any case: a copy
 * of its page tables would cost both of them half a millisecond.
 */
#define _GNU_SOURCE
#include "CSystem.h"

#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* A raw call: a preloaded library that stands before open() would note in the parent's memory what the child opens. */
static int open_here(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags);
}

static int move_to(int from, int to)
{
	int flags;

	if (from != to)
		return dup2(from, to) < 0 ? -1 : 0;
	flags = fcntl(from, F_GETFD);
	return flags < 0 ? -1 : fcntl(from, F_SETFD, flags & ~FD_CLOEXEC);
}

/* Puts the three descriptors at 0, 1 and 3, standard error stays, the rest goes. */
static int arrange_descriptors(const struct csystem_child *child)
{
	int nowhere = open_here("/dev/null", O_RDWR | O_CLOEXEC);
	int sources[3] = { child->standard_input, child->standard_output, child->channel };
	static const int targets[3] = { 0, 1, 3 };
	int index;

	if (nowhere < 0)
		return -1;
	for (index = 0; index < 3; index++) {
		if (sources[index] < 0)
			sources[index] = nowhere;
		/* Above every target, so that no move overwrites a later source. */
		sources[index] = fcntl(sources[index], F_DUPFD_CLOEXEC, 10);
		if (sources[index] < 0)
			return -1;
	}
	for (index = 0; index < 3; index++) {
		if (move_to(sources[index], targets[index]) < 0)
			return -1;
	}
	if (fcntl(2, F_GETFD) < 0 && move_to(sources[0], 2) < 0)
		return -1;
	return (int)syscall(SYS_close_range, 4, ~0U, CLOSE_RANGE_CLOEXEC);
}

static void limit(int resource, rlim_t value)
{
	struct rlimit both = { value, value };

	setrlimit(resource, &both);
}

static int drop_privileges(const struct csystem_child *child)
{
	if (child->isolated) {
		limit(RLIMIT_CORE, 0);
		/* A write to a file fails; the signal that goes with it would kill for a line on standard error. */
		limit(RLIMIT_FSIZE, 0);
		signal(SIGXFSZ, SIG_IGN);
		limit(RLIMIT_NOFILE, 64);
		/* Only root can; without it the uid and the sandbox remain. */
		(void)unshare(CLONE_NEWNET | CLONE_NEWIPC);
	}
	if (child->memory_megabytes > 0)
		limit(RLIMIT_AS, (rlim_t)child->memory_megabytes << 20);
	if (child->uid != (uid_t)-1) {
		/* Raw calls: the C library would change the uid of the parent's other threads, too. */
		if (syscall(SYS_setgroups, 0, NULL) < 0 ||
		    syscall(SYS_setresgid, child->gid, child->gid, child->gid) < 0 ||
		    syscall(SYS_setresuid, child->uid, child->uid, child->uid) < 0)
			return -1;
	}
	if (child->isolated && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return 0;
}

static void reset_signals(void)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t none;
	int number;

	for (number = 1; number < NSIG; number++)
		sigaction(number, &standard, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Opened while the parent's rights last: the child's user may not reach its folder. */
static int open_program(const char *path)
{
	int program = open_here(path, O_PATH | O_CLOEXEC);

	return program < 0 ? -1 : fcntl(program, F_DUPFD_CLOEXEC, 20);
}

__attribute__((noreturn)) static void become(const struct csystem_child *child, pid_t parent, int report)
{
	int program = open_program(child->path);
	/* Out of the way of the descriptors that get fixed numbers. */
	int kept = fcntl(report, F_DUPFD_CLOEXEC, 20);
	int failure;

	if (kept >= 0)
		report = kept;
	if (program < 0)
		goto failed;
	setsid();
	reset_signals();
	if (chdir("/") < 0 || arrange_descriptors(child) < 0 || drop_privileges(child) < 0)
		goto failed;
	/* Set last: a change of uid clears it. The parent may have died before. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		goto failed;
	syscall(SYS_execveat, program, "", child->arguments, child->environment, AT_EMPTY_PATH);
	/* A script's interpreter could not open it by a descriptor that is closed by then. */
	execve(child->path, child->arguments, child->environment);
failed:
	failure = errno ? errno : ESRCH;
	(void)!write(report, &failure, sizeof(failure));
	_exit(127);
}

pid_t csystem_start(const struct csystem_child *child)
{
	pid_t parent = getpid();
	int report[2];
	int failure = 0;
	sigset_t all, before;
	ssize_t got;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -1;
	/* No handler of the parent's may run in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = vfork();
	if (pid == 0)
		become(child, parent, report[1]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		return -1;
	}
	do
		got = read(report[0], &failure, sizeof(failure));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got <= 0)
		return pid;
	waitpid(pid, NULL, 0);
	errno = failure;
	return -1;
}

int csystem_reap(pid_t pid)
{
	int status;
	pid_t ended = waitpid(pid, &status, WNOHANG);

	if (ended == 0)
		return -2;
	if (ended < 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}
