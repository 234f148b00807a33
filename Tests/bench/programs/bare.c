// SPDX-License-Identifier: Apache-2.0
/*
 * The yardstick: libfprint and nothing else.
 *
 *	bare enroll FILE	enrols one finger and writes the print
 *	bare identify FILE	identifies one touch against the print
 *
 * Standard output: "NAME SECONDS" lines on CLOCK_MONOTONIC: `start` at the
 * first statement of main, `stage` after each touch of an enrolment, `done` at
 * the moment libfprint reports the match.
 * Ends with 0 for a match, 1 for none.
 */
#include <libfprint-2/fprint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void event(const char *name)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%s %ld.%09ld\n", name, (long)now.tv_sec, now.tv_nsec);
	fflush(stdout);
}

static int fail(const char *what, GError *error)
{
	fprintf(stderr, "bare: %s: %s\n", what, error && error->message ? error->message : "unknown");
	return 2;
}

static void on_match(FpDevice *device, FpPrint *match, FpPrint *print, gpointer data, GError *error)
{
	(void)device;
	(void)print;
	(void)error;
	if (!match)
		return;
	event("done");
	*(int *)data = 1;
}

static void on_stage(FpDevice *device, gint stages, FpPrint *print, gpointer data, GError *error)
{
	(void)device;
	(void)stages;
	(void)print;
	(void)data;
	event(error ? "retry" : "stage");
}

static int enroll(FpDevice *device, const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autofree guchar *bytes = NULL;
	gsize size;
	FpPrint *print = fp_print_new(device);

	fp_print_set_finger(print, FP_FINGER_RIGHT_INDEX);
	print = fp_device_enroll_sync(device, print, NULL, on_stage, NULL, &error);
	if (!print)
		return fail("enroll", error);
	if (!fp_print_serialize(print, &bytes, &size, &error))
		return fail("serialize", error);
	if (!g_file_set_contents(path, (const char *)bytes, (gssize)size, &error))
		return fail("write", error);
	return 0;
}

static int identify(FpDevice *device, FpPrint *enrolled)
{
	g_autoptr(GPtrArray) gallery = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	FpPrint *match = NULL;
	int matched = 0;

	g_ptr_array_add(gallery, enrolled);
	if (!fp_device_identify_sync(device, gallery, NULL, on_match, &matched, &match, NULL, &error))
		return fail("identify", error);
	return matched ? 0 : 1;
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *bytes = NULL;
	FpPrint *enrolled = NULL;
	gsize size;
	int code;

	event("start");
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "identify")) {
		if (!g_file_get_contents(argv[2], &bytes, &size, &error))
			return fail("read", error);
		enrolled = fp_print_deserialize((guchar *)bytes, size, &error);
		if (!enrolled)
			return fail("deserialize", error);
	}
	g_autoptr(FpContext) context = fp_context_new();
	GPtrArray *devices = fp_context_get_devices(context);
	if (devices->len == 0)
		return fail("no reader", NULL);
	FpDevice *device = g_ptr_array_index(devices, 0);
	if (!fp_device_open_sync(device, NULL, &error))
		return fail("open", error);
	code = enrolled ? identify(device, enrolled) : enroll(device, argv[2]);
	if (!fp_device_close_sync(device, NULL, &error))
		return fail("close", error);
	return code;
}
