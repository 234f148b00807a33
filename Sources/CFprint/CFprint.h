// SPDX-License-Identifier: Apache-2.0
#include <fprint.h>
#include <fp-image-device.h>
#include <glib-unix.h>
