// SPDX-License-Identifier: Apache-2.0
#include <glib.h>
#include <glib-unix.h>
#include <gio/gio.h>
