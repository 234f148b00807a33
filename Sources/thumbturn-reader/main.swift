// SPDX-License-Identifier: Apache-2.0

import ReaderCore

#if canImport(Glibc)
  import Glibc
#endif

exit(ReaderProgram.run(arguments: Array(CommandLine.arguments.dropFirst())))
