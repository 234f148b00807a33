/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a host: tells on the standard error when code of the module
 * itself asks for memory. What libpam and libc allocate on its behalf is theirs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_calloc(size_t count, size_t size);

static void look_at(const void *caller)
{
	static const char message[] = "the module allocates\n";
	Dl_info place;

	if (dladdr(caller, &place) != 0 && place.dli_fname != NULL && strstr(place.dli_fname, "pam_thumbturn") != NULL)
		(void)!write(STDERR_FILENO, message, sizeof(message) - 1);
}

void *malloc(size_t size)
{
	look_at(__builtin_return_address(0));
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	look_at(__builtin_return_address(0));
	return __libc_calloc(count, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	look_at(__builtin_return_address(0));
	*memory = __libc_memalign(alignment, size);
	return *memory == NULL;
}
