// SPDX-License-Identifier: Apache-2.0

// thumbturn-pwcheck USER: asks PAM whether standard input is USER's password.

internal import Glibc

exit(checkPassword(CommandLine.arguments).rawValue)
