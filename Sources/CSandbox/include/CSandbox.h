/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSandbox.h - takes files, network and other processes away from this process.
 */
#ifndef CSANDBOX_H
#define CSANDBOX_H

/* What is still allowed below a path. A path that does not exist allows nothing. */
enum csandbox_access {
	csandbox_read,   /* read files and list folders */
	csandbox_device, /* and write to what exists, and ioctl */
	csandbox_folder, /* and make and remove files and sockets */
};

struct csandbox_rule {
	const char *_Nonnull path;
	enum csandbox_access access;
};

/* The version of Landlock's interface, 0 or less where the kernel has none. */
int csandbox_version(void);

/*
 * Lets the calling thread and what it starts make threads but no processes, run no
 * other program and look into no other process, for ever. Returns 0, or -1 with errno.
 */
int csandbox_stay_alone(void);

/*
 * Applies the rules to the calling thread and what it starts, for ever. Nothing
 * else can be opened; there is no TCP, no abstract socket and no signal
 * to the outside where the kernel can refuse these. Nothing may be executed.
 *
 * Returns the version of Landlock's interface, 0 where the kernel has none,
 * -1 with errno when the rules could not be applied.
 */
int csandbox_enter(const struct csandbox_rule *_Nonnull rules, int count);

#endif
