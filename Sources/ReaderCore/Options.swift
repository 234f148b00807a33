// SPDX-License-Identifier: Apache-2.0

/// What the command line asks for.
package enum Invocation: Equatable, Sendable {
  case run(Options)
  case help
  case version
  /// It is not understood; the text says why.
  case wrong(String)

  /// Reads the arguments behind the program's name.
  package init(arguments: [String]) {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help":
        self = .help
        return
      case "--version":
        self = .version
        return
      case "--settle", "--allow-folder":
        guard let value = rest.popFirst() else {
          self = .wrong("\(argument) needs a value")
          return
        }
        if let problem = options.take(value, for: argument) {
          self = .wrong(problem)
          return
        }
      default:
        self = .wrong("unknown option \(argument)")
        return
      }
    }
    self = .run(options)
  }
}

/// The reader process's settings.
package struct Options: Equatable, Sendable {
  /// The longest settle time that is accepted, in milliseconds.
  package static let longestSettle = 5_000

  /// Milliseconds after arming in which a finger that appears counts as resting.
  package var settle = 250
  /// Folders in which files and sockets may be made.
  package var folders: [String] = []

  package init() {}

  fileprivate mutating func take(_ value: String, for option: String) -> String? {
    if option == "--allow-folder" {
      guard value.utf8.first == UInt8(ascii: "/") else { return "--allow-folder needs an absolute path" }
      folders.append(value)
      return nil
    }
    guard let number = Int(value), (0...Options.longestSettle).contains(number) else {
      return "--settle needs milliseconds from 0 to \(Options.longestSettle)"
    }
    settle = number
    return nil
  }
}
