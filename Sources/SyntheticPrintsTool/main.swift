// SPDX-License-Identifier: Apache-2.0
import Glibc

do throws(ToolError) {
  try run(CommandLine.arguments.dropFirst())
} catch {
  let (message, code): (String, CInt) =
    switch error {
    case .usage(let message): (message + "; see --help", 2)
    case .failed(let message): (message, 1)
    }
  try? writeAll(Array("thumbturn-synth: \(message)\n".utf8), to: STDERR_FILENO, name: "standard error")
  exit(code)
}
