// SPDX-License-Identifier: Apache-2.0
#include <sys/types.h>
#include <sys/acl.h>
#include <acl/libacl.h>
