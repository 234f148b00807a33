// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import System
internal import ThumbturnProtocol
internal import Throttle

extension Services {
  /// Whether the client still waits for what it asked for.
  func wanted(by connection: Connection?) -> () -> Bool {
    { [weak connection] in connection?.isOpen == true }
  }

  /// Tests what somebody answered, unless they are gone before its turn comes. `done` may
  /// come before this returns.
  func test(
    _ secret: borrowing Secret, at range: SecretRange, of account: Account, from origin: Origin,
    for connection: Connection?, done: @escaping (PatternVerdict) -> Void
  ) {
    secret.withPart(range) { typed in
      patterns.check(typed, of: account, from: origin, isWanted: wanted(by: connection)) { [log] verdict in
        switch verdict {
        case .throttled, .disabled:
          log.note("a pattern of uid \(account.uid) was not tested: too many wrong ones")
        case .unavailable(let fault): log.problem("a pattern of uid \(account.uid) was not tested: \(fault)")
        case .right, .wrong, .none, .notAPattern: break
        }
        done(verdict)
      }
    }
  }
}

extension PatternVerdict {
  /// What a conversation makes of it. What was not tested, and what may be the password,
  /// is for the next module.
  var answer: PatternAnswer {
    switch self {
    case .right: .right
    case .wrong(let handOn), .notAPattern(let handOn): handOn ? .passedOn : .wrong
    case .throttled, .disabled, .none, .unavailable: .passedOn
    }
  }
}

extension PatternFault {
  /// What the client is told.
  var refusal: Refusal {
    switch self {
    case .store: .storageFailed
    case .noKey, .unusableKey, .otherKey, .damaged, .foreign, .noBoot, .noMemory: .malfunction
    }
  }
}

extension Secret {
  /// Lends the bytes at `range`; none when it is not inside.
  borrowing func withPart<Result>(_ range: SecretRange, _ body: (Span<UInt8>) -> Result) -> Result {
    withBytes { bytes in
      let isInside = range.offset >= 0 && range.count >= 0 && range.offset <= bytes.count - range.count
      return body(bytes.extracting(isInside ? range.offset..<(range.offset + range.count) : 0..<0))
    }
  }
}
