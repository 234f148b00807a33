// SPDX-License-Identifier: Apache-2.0

internal import CommandCore
internal import Glibc

exit(runThumbturn(Array(CommandLine.arguments.dropFirst())))
