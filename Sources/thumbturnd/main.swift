// SPDX-License-Identifier: Apache-2.0

import DaemonCore
import Glibc

exit(Thumbturnd.run(Array(CommandLine.arguments.dropFirst())))
