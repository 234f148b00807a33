// SPDX-License-Identifier: Apache-2.0
/*
 * What a PAM module costs to load, in a process that has libpam already.
 *
 *	loadtime MODULE		prints "MICROSECONDS LIBRARIES"
 *
 * LIBRARIES counts the shared objects the module brought along, itself
 * included. One process a measurement: a library that dlclose does not
 * unload would make every later one cheaper.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <time.h>

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	++*(int *)data;
	return 0;
}

int main(int argc, char **argv)
{
	struct timespec before, after;
	int had = 0, has = 0;
	void *module;

	/* The use of one of its functions makes sure that libpam is there. */
	if (argc != 2 || !pam_strerror(NULL, PAM_SUCCESS))
		return 2;
	dl_iterate_phdr(count, &had);
	clock_gettime(CLOCK_MONOTONIC, &before);
	module = dlopen(argv[1], RTLD_NOW);
	clock_gettime(CLOCK_MONOTONIC, &after);
	if (!module) {
		fprintf(stderr, "loadtime: %s\n", dlerror());
		return 1;
	}
	dl_iterate_phdr(count, &has);
	printf("%.3f %d\n", (double)(after.tv_sec - before.tv_sec) * 1e6 + (double)(after.tv_nsec - before.tv_nsec) / 1e3,
	       has - had);
	return 0;
}
