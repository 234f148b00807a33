/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pam_tell - a module that stands behind the one under test and writes what that
 * one handed on to the file named by its argument; or, with `token=TEXT`, before
 * it and sets PAM_AUTHTOK. It always fails: what the stack answers is not its doing.
 */
#include <security/pam_modules.h>
#include <stdio.h>
#include <string.h>

int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	const void *token = NULL;
	FILE *file;

	(void)flags;
	if (argc > 0 && strncmp(argv[0], "token=", 6) == 0) {
		pam_set_item(pamh, PAM_AUTHTOK, argv[0] + 6);
		return PAM_AUTH_ERR;
	}
	file = argc > 0 ? fopen(argv[0], "we") : NULL;
	if (file == NULL)
		return PAM_SYSTEM_ERR;
	pam_get_item(pamh, PAM_AUTHTOK, &token);
	fprintf(file, "%s%s", token != NULL ? "token:" : "none", token != NULL ? (const char *)token : "");
	fclose(file);
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
