// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import System
internal import ThumbturnProtocol
internal import Throttle

/// The system log, facility `authpriv`. Nothing secret can reach it: it takes
/// texts of this program, names, and how a request ended.
struct Log: Sendable {
  private static let identifier: StaticString = "thumbturnd"

  /// Whether standard error sees each line, and the steps of requests too.
  private let mirror: Bool

  /// Opens it; `mirror` also writes each line to standard error.
  init(mirror: Bool) {
    self.mirror = mirror
    Log.identifier.withUTF8Buffer { buffer in
      guard let start = buffer.baseAddress else { return }
      // SAFETY: the literal ends with a NUL and lives as long as the program.
      unsafe start.withMemoryRebound(to: CChar.self, capacity: buffer.count + 1) {
        unsafe csystem_open_log($0, LOG_AUTHPRIV, mirror ? 1 : 0)
      }
    }
  }

  /// Something an administrator may want to know.
  func note(_ text: String) { write(LOG_INFO, text) }

  /// Something an administrator should look at.
  func problem(_ text: String) { write(LOG_WARNING, text) }

  /// A step of a request, for whoever watches standard error.
  func step(_ event: ServerEvent, of request: LoggedRequest) {
    guard mirror else { return }
    write(LOG_DEBUG, "\(request.request) \(event.kind), user \(request.user.quoted)")
  }

  /// How a request ended.
  func outcome(_ outcome: Outcome, of request: LoggedRequest) {
    write(outcome.priority, request.line(outcome: outcome, now: csystem_milliseconds()))
  }

  private func write(_ priority: CInt, _ text: String) {
    // SAFETY: the text is passed as a NUL-terminated copy.
    unsafe csystem_log(priority, text.withoutControls)
  }
}

/// What the log says of a request, beside how it ended.
struct LoggedRequest {
  /// What was asked for, `verify`.
  var request: StaticString
  /// The account it is about.
  var user = Text()
  /// The uid at the other end of the connection.
  var requester: UInt32
  /// The PAM service.
  var service = Text()
  /// The terminal.
  var terminal = Text()
  /// Whose count its failures go to; `nil` where none does.
  var origin: Origin?
  /// When it began (`csystem_milliseconds`).
  var began = csystem_milliseconds()

  /// `verify granted: sudo for ada on pts/3, asked by uid 0, 1234 ms`
  func line(outcome: Outcome, now: Int64) -> String {
    var line = "\(request) \(outcome.words)"
    if !service.isEmpty { line += ", service \(service.quoted)" }
    if !user.isEmpty { line += ", user \(user.quoted)" }
    if !terminal.isEmpty { line += ", terminal \(terminal.quoted)" }
    if let origin { line += ", origin \(origin)" }
    return line + ", asked by uid \(requester), \(max(now - began, 0)) ms"
  }
}

extension Outcome {
  /// `granted`, `refused (nobody touched the fingerprint reader in time)`
  var words: String {
    switch self {
    case .granted: "granted"
    case .done: "done"
    case .hungUp: "given up by the client"
    case .refused(let refusal): "refused (\(refusal.message))"
    }
  }

  /// What is not the person's doing stands out.
  fileprivate var priority: CInt {
    switch self {
    case .granted, .done, .hungUp: LOG_INFO
    case .refused(.readerFailed), .refused(.malfunction), .refused(.storageFailed): LOG_WARNING
    case .refused(.noMatch), .refused(.wrongPassword), .refused(.wrongPattern), .refused(.patternLocked),
      .refused(.notPermitted):
      LOG_NOTICE
    case .refused: LOG_INFO
    }
  }
}

extension Text {
  /// The text for one field of a log line: in quotes where it could pass for more
  /// than one. Clients choose it.
  fileprivate var quoted: String {
    let text = shown
    guard text.utf8.contains(where: { [0x20, 0x22, 0x2C].contains($0) }) else { return text }
    return "\"\(String(text.map { $0 == "\"" ? "?" : $0 }))\""
  }

  /// The text for a log; control characters become "?".
  var shown: String {
    let clean = printable
    return String(decoding: (0..<clean.count).map { clean[$0] }, as: UTF8.self)
  }
}

extension String {
  /// The same with control characters turned into "?", so that one line stays one line.
  var withoutControls: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.value < 32 || (127..<160).contains($0.value) ? "?" : $0 }))
  }
}
