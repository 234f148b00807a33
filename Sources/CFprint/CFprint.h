// SPDX-License-Identifier: Apache-2.0
#include <fprint.h>
#include <gusb.h>
#include <glib-unix.h>
