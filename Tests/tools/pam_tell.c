/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pam_tell - a module that stands behind the one under test and writes what that
 * one handed on to the file named by its argument; or, with `token=TEXT`, before
 * it and sets PAM_AUTHTOK. It always fails: what the stack answers is not its doing.
 */
#include <fcntl.h>
#include <security/pam_modules.h>
#include <string.h>
#include <unistd.h>

/* Straight to the file: a stream's buffer would keep the token in memory. */
static void put(int file, const char *text)
{
	(void)!write(file, text, strlen(text));
}

int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	const void *token = NULL;
	int file;

	(void)flags;
	if (argc > 0 && strncmp(argv[0], "token=", 6) == 0) {
		pam_set_item(pamh, PAM_AUTHTOK, argv[0] + 6);
		return PAM_AUTH_ERR;
	}
	file = argc > 0 ? open(argv[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (file < 0)
		return PAM_SYSTEM_ERR;
	pam_get_item(pamh, PAM_AUTHTOK, &token);
	put(file, token != NULL ? "token:" : "none");
	put(file, token != NULL ? token : "");
	close(file);
	return PAM_AUTH_ERR;
}

int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)pamh;
	(void)flags;
	(void)argc;
	(void)argv;
	return PAM_SUCCESS;
}
