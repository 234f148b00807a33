// SPDX-License-Identifier: Apache-2.0

/// Why the tool ends without having done what was asked.
enum ToolError: Error {
  /// The command line makes no sense (exit code 2).
  case usage(String)
  /// A file or socket refused (exit code 1).
  case failed(String)
}
