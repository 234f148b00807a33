// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// Who wants the reader.
public struct Claimant: Equatable, Sendable {
  /// A number of its own.
  public let number: UInt64
  /// What others are told of it: its service and terminal.
  public let service: Text
  /// See ``service``.
  public let terminal: Text

  /// Names somebody who wants the reader.
  public init(number: UInt64, service: Text, terminal: Text) {
    self.number = number
    self.service = service
    self.terminal = terminal
  }
}

/// Who must be told something about the queue.
public enum QueueNotice: Equatable, Sendable {
  /// This claimant has the reader now.
  case turn(UInt64)
  /// This claimant waits for somebody else.
  case mustWait(UInt64, service: Text, terminal: Text)
}

/// The queue for the reader: first come, first served, one at a time.
///
/// A reader that was given back is not free before its process has ended, so
/// giving it back and being free are two steps.
public struct ReaderQueue: Equatable, Sendable {
  private var holder: Claimant?
  private var closing = false
  private var waiting: [Claimant] = []

  /// A free reader.
  public init() {}

  /// Who has the reader, `nil` also while the former process ends.
  public var current: Claimant? { holder }
  /// Whether nobody has it, waits for it or is about to be rid of it.
  public var isIdle: Bool { holder == nil && !closing && waiting.isEmpty }

  /// Somebody wants the reader; a second wish of the same claimant changes nothing.
  public mutating func join(_ claimant: Claimant) -> [QueueNotice] {
    guard holder?.number != claimant.number, !waiting.contains(where: { $0.number == claimant.number })
    else { return [] }
    let ahead = holder ?? waiting.first
    if ahead == nil, !closing {
      holder = claimant
      return [.turn(claimant.number)]
    }
    waiting.append(claimant)
    // Behind a process that ends there is nobody to name: it takes a moment only.
    guard let ahead else { return [] }
    return [.mustWait(claimant.number, service: ahead.service, terminal: ahead.terminal)]
  }

  /// Somebody wants it no more. Answers whether the reader was theirs: then its
  /// process must be closed and ``free()`` called once that has ended.
  public mutating func leave(_ number: UInt64) -> Bool {
    waiting.removeAll { $0.number == number }
    guard holder?.number == number else { return false }
    holder = nil
    closing = true
    return true
  }

  /// The former holder's process has ended.
  public mutating func free() -> [QueueNotice] {
    guard holder == nil else { return [] }
    closing = false
    guard !waiting.isEmpty else { return [] }
    let next = waiting.removeFirst()
    holder = next
    return [.turn(next.number)]
      + waiting.map { .mustWait($0.number, service: next.service, terminal: next.terminal) }
  }
}
