// SPDX-License-Identifier: Apache-2.0

/// The text of `thumbturn help`.
let overview = """
  Usage: thumbturn COMMAND [OPTION]...

  Manages the fingerprints and the pattern that sign you in.

  Commands:
  \(indented(CommandName.allCases.map { [$0.rawValue, $0.summary] }))

  Options of every command:
  \(optionLines(OptionName.common))

  Exit codes:
  \(indented(ExitCode.allCases.map { ["\($0.rawValue)", $0.meaning] }))

  "thumbturn help COMMAND" explains one of them; so does thumbturn(1).

  """

/// The text of `thumbturn help COMMAND`.
func help(for command: CommandName) -> String {
  let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst()
  var text = "Usage: \(usageLine(of: command))\n\n\(summary).\n"
  if !command.details.isEmpty { text += "\n\(command.details)\n" }
  text += "\nOptions:\n\(optionLines(command.options + OptionName.common))\n"
  return text
}

/// The hint below an error in the use of `command`.
func usage(of command: CommandName) -> String { "usage: \(usageLine(of: command))" }

private func usageLine(of command: CommandName) -> String {
  switch command {
  case .delete: "thumbturn delete (--finger FINGER | --all) [--user NAME] [--password-stdin]"
  case .pattern: "thumbturn pattern (set | delete | check) [--user NAME] [--password-stdin]"
  case .policy: "thumbturn policy SERVICE [USER]"
  case .unlock: "thumbturn unlock USER"
  case .lockdown: "thumbturn lockdown [USER | --all]"
  case .help: "thumbturn help [COMMAND]"
  default: (["thumbturn", command.rawValue] + command.options.map { "[\($0.usage)]" }).joined(separator: " ")
  }
}

private func optionLines(_ options: [OptionName]) -> String {
  indented(options.map { [$0.usage, $0.summary] })
}

private func indented(_ rows: [[String]]) -> String {
  alignedRows(rows).map { "  " + $0 }.joined(separator: "\n")
}
