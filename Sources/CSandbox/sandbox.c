/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Landlock's interface, from the kernel's Documentation/userspace-api/landlock.rst.
 * The distribution's header may be older than its kernel, so it is spelled here.
 */
enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9,
	FS_ABI_1 = (1 << 13) - 1,
	FS_REFER = 1 << 13,     /* ABI 2 */
	FS_TRUNCATE = 1 << 14,  /* ABI 3 */
	FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
	NET_TCP = 3,            /* ABI 4: bind and connect */
	SCOPE_ALL = 3,          /* ABI 6: abstract sockets and signals */
	QUERY_VERSION = 1,
	PATH_BENEATH = 1,
};

struct ruleset {
	uint64_t files;
	uint64_t network;
	uint64_t scoped;
};

struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* What this version of the interface can refuse; `size` is the part of the structure it knows. */
static struct ruleset everything(int version, size_t *size)
{
	struct ruleset all = { .files = FS_ABI_1 };

	*size = sizeof(all.files);
	if (version >= 2)
		all.files |= FS_REFER;
	if (version >= 3)
		all.files |= FS_TRUNCATE;
	if (version >= 4) {
		all.network = NET_TCP;
		*size = sizeof(all.files) + sizeof(all.network);
	}
	if (version >= 5)
		all.files |= FS_IOCTL_DEV;
	if (version >= 6) {
		all.scoped = SCOPE_ALL;
		*size = sizeof(all);
	}
	return all;
}

static uint64_t rights(enum csandbox_access access)
{
	uint64_t allowed = FS_READ_FILE | FS_READ_DIR;

	if (access >= csandbox_device)
		allowed |= FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
	if (access == csandbox_folder)
		allowed |= FS_REMOVE_FILE | FS_MAKE_REG | FS_MAKE_SOCK;
	return allowed;
}

static int allow(int ruleset, const struct csandbox_rule *rule, uint64_t handled)
{
	const uint64_t of_files = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
	struct beneath beneath = { .allowed = rights(rule->access) & handled };
	struct stat status;
	int result;

	/* The call itself: the rules are about real paths, whatever a preloaded library makes of open(). */
	beneath.parent = (int)syscall(SYS_openat, AT_FDCWD, rule->path, O_PATH | O_CLOEXEC);
	if (beneath.parent < 0)
		return 0;
	if (fstat(beneath.parent, &status) == 0 && !S_ISDIR(status.st_mode))
		beneath.allowed &= of_files;
	result = (int)syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &beneath, 0);
	close(beneath.parent);
	return result;
}

int csandbox_version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, QUERY_VERSION);
}

int csandbox_enter(const struct csandbox_rule *rules, int count)
{
	int version = csandbox_version();
	struct ruleset all;
	size_t size;
	int ruleset;
	int index;
	int saved;

	if (version < 1)
		return 0;
	all = everything(version, &size);
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
	if (ruleset < 0)
		return -1;
	for (index = 0; index < count; index++) {
		if (allow(ruleset, &rules[index], all.files) < 0)
			goto failed;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		goto failed;
	close(ruleset);
	return version;
failed:
	saved = errno;
	close(ruleset);
	errno = saved;
	return -1;
}
