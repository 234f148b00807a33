/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is logged becomes a finding, "log NUMBER: TEXT" with the priority's number:
 * libpam finds these before those of the C library.
 */
#include "pam_host.h"

#include <stdarg.h>
#include <syslog.h>

#undef syslog

static void print(int priority, const char *format, va_list arguments)
{
	if (findings == NULL)
		return;
	fprintf(findings, "log %d: ", priority & LOG_PRIMASK);
	vfprintf(findings, format, arguments);
	fprintf(findings, "\n");
}

void syslog(int priority, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(priority, format, arguments);
	va_end(arguments);
}

void __syslog_chk(int priority, int flag, const char *format, ...);

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list arguments;

	(void)flag;
	va_start(arguments, format);
	print(priority, format, arguments);
	va_end(arguments);
}
