// SPDX-License-Identifier: Apache-2.0

/// Whether whoever asks sits in front of the machine.
public enum Presence: Equatable, Sendable {
  /// At a seat, in front: this session (`2`), or this console (`tty2`).
  case seat(session: String)
  /// At a seat, but another session is in front of it.
  case inactive
  /// From another machine, or nothing rules that out.
  case remote
  /// At no seat: a service, cron, a container, a session without a screen, nobody.
  case none
  /// Nobody can tell: there is no session manager, or it does not answer.
  case unknown
}

/// The lid of a laptop.
public enum Lid: Equatable, Sendable {
  /// Open, or the machine has none.
  case open
  /// Closed.
  case closed
  /// Nothing tells.
  case unknown

  /// Understands `/proc/acpi/button/lid/NAME/state` of the kernel, `state:      open`.
  public init(acpi text: String) {
    switch text.split(whereSeparator: \.isWhitespace).last {
    case "open": self = .open
    case "closed": self = .closed
    default: self = .unknown
    }
  }

  /// Several lids: one that is closed decides.
  public init(all lids: [Lid]) {
    self = lids.contains(.closed) ? .closed : lids.contains(.open) ? .open : .unknown
  }
}
