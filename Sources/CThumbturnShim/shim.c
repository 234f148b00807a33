/* SPDX-License-Identifier: Apache-2.0 */
#include "thumbturn.h"

typedef int thumbturn_not_empty;
