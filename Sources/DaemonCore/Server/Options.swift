// SPDX-License-Identifier: Apache-2.0

/// What the command line asks for.
struct Options: Equatable {
  static let defaultSocket = "/run/thumbturn/socket"
  static let defaultData = "/var/lib/thumbturn"
  static let defaultConfiguration = "/etc/thumbturn/thumbturn.conf"
  static let defaultReaderUser = "thumbturn-reader"

  var socket = Options.defaultSocket
  var data = Options.defaultData
  var configuration = Options.defaultConfiguration
  /// The folder of the other programs; `nil`: where this one lies.
  var libexec: String?
  var virtualReaders = false
  /// The reader process's user; `nil`: the default one, or with virtual readers none.
  var readerUser: String?
  /// Milliseconds; `nil`: the configured time.
  var settleTime: Int?
  /// Seconds; `nil`: the configured time.
  var idleExit: Int?
  var logToStandardError = false
  /// Where it is read who sits in front of the machine.
  var presence = PresenceSources()

  static let help = """
    Usage: thumbturnd [OPTION]...
    Serves fingerprint sign-in to the PAM module and to thumbturn.

      --socket PATH        listen there (\(Options.defaultSocket)); systemd's socket comes first
      --data FOLDER        where enrolled prints are kept (\(Options.defaultData))
      --config FILE        settings (\(Options.defaultConfiguration))
      --libexec FOLDER     where thumbturn-reader and thumbturn-pwcheck are (beside this program)
      --reader-user NAME   the user of the reader process (\(Options.defaultReaderUser))
      --idle-exit SECONDS  end after so long without a connection, 0: never
      --log-stderr         also write the log to standard error
      --virtual-readers    use libfprint's virtual readers; only with a data folder of its own
      --settle-time MS     how long a finger must be away first; only with virtual readers
      --anywhere           take everybody to sit at this machine; only with virtual readers
      --login-bus PATH     the socket of the bus with the session manager; only with virtual readers
      --proc FOLDER        where processes are shown; only with virtual readers
      --sys FOLDER         where devices are shown; only with virtual readers
      --help               show this text
      --version            show the version

    """
}

/// Why the command line cannot be obeyed; the text is for its author.
struct OptionError: Error, Equatable {
  let text: String
}

/// What the program is to do.
enum Invocation: Equatable {
  case serve(Options)
  case help
  case version
}

extension Invocation {
  /// Understands a command line without the program's name.
  ///
  /// `--name VALUE` and `--name=VALUE` are the same. `isRoot` decides what an
  /// ordinary user must name.
  init(_ arguments: [String], isRoot: Bool) throws(OptionError) {
    var options = Options()
    var given: Set<String> = []
    var words = arguments[...]
    while let word = words.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      if name == "--help" || name == "--version" {
        self = name == "--help" ? .help : .version
        return
      }
      given.insert(name)
      var value = parts.count > 1 ? parts[1] : nil
      if Options.flags.contains(name) {
        guard value == nil else { throw OptionError(text: "\(name) takes no value") }
      } else if value == nil {
        value = words.popFirst()
      }
      try options.take(name, value)
    }
    try options.check(given: given, isRoot: isRoot)
    self = .serve(options)
  }
}

extension Options {
  static let flags: Set<String> = ["--virtual-readers", "--log-stderr", "--anywhere"]

  fileprivate mutating func take(_ name: String, _ value: String?) throws(OptionError) {
    switch name {
    case "--virtual-readers": virtualReaders = true
    case "--anywhere": presence.everybodySits = true
    case "--log-stderr": logToStandardError = true
    case "--socket": socket = try text(name, value)
    case "--data": data = try text(name, value)
    case "--config": configuration = try text(name, value)
    case "--libexec": libexec = try text(name, value)
    case "--reader-user": readerUser = try text(name, value)
    case "--login-bus": presence.bus = try text(name, value)
    case "--proc": presence.processes = try text(name, value)
    case "--sys": presence.devices = try text(name, value)
    case "--settle-time": settleTime = try number(name, value, in: 0...2000)
    case "--idle-exit": idleExit = try number(name, value, in: 0...3600)
    default: throw OptionError(text: "unknown option \(name)")
    }
  }

  private func text(_ name: String, _ value: String?) throws(OptionError) -> String {
    guard let value, !value.isEmpty else { throw OptionError(text: "\(name) needs a value") }
    return value
  }

  private func number(_ name: String, _ value: String?, in range: ClosedRange<Int>) throws(OptionError) -> Int
  {
    guard let number = Int(try text(name, value)), range.contains(number) else {
      throw OptionError(text: "\(name) needs a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Nothing on a command line brings a virtual reader to the data of real logins.
  fileprivate func check(given: Set<String>, isRoot: Bool) throws(OptionError) {
    if virtualReaders, Options.isDefault(data) {
      throw OptionError(text: "--virtual-readers needs a --data folder other than \(Options.defaultData)")
    }
    if settleTime != nil, !virtualReaders {
      throw OptionError(text: "--settle-time is only for --virtual-readers")
    }
    if presence != PresenceSources(), !virtualReaders {
      throw OptionError(text: "--anywhere, --login-bus, --proc and --sys are only for --virtual-readers")
    }
    if !isRoot, !given.isSuperset(of: ["--socket", "--data"]) {
      throw OptionError(text: "an ordinary user needs a --socket and a --data folder of their own")
    }
  }

  /// Spellings of the default folder that a comparison of texts would miss are
  /// caught again, by device and inode, before anything is served.
  private static func isDefault(_ path: String) -> Bool {
    path.split(separator: "/") == Options.defaultData.split(separator: "/") && path.hasPrefix("/")
  }
}
