// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import Records
internal import System
internal import ThumbturnProtocol

extension Configuration {
  /// Whether a pattern may be given for this request: not to services named, not from
  /// another machine, and only by root or the account's owner, unless configured.
  ///
  /// Only root's word counts for who asks; anybody else asks for themselves alone.
  func allowsPattern(_ begin: Begin, account: Account, isRoot: Bool) -> Bool {
    guard patternEnabled, !patternOffFor.contains(where: { begin.service == Text(cut: $0) }) else {
      return false
    }
    guard patternRemote || Standing.isLocal(begin.remoteHost) else { return false }
    return !isRoot || patternOtherUsers || begin.realUser == 0 || begin.realUser == account.uid
  }
}

extension Services {
  /// Whether a pattern is offered to a request: it is allowed, and the person has one.
  func offersPattern(_ begin: Begin, account: Account, peer: Peer) -> Bool {
    configuration.allowsPattern(begin, account: account, isRoot: peer.user == 0)
      && patterns.state(of: account).hasPattern
  }

  /// Whether the client still waits for what it asked for.
  func wanted(by connection: Connection?) -> () -> Bool {
    { [weak connection] in connection?.isOpen == true }
  }

  /// Tests what somebody answered, unless they are gone before its turn comes. `done` may
  /// come before this returns.
  func test(
    _ secret: borrowing Secret, at range: SecretRange, of account: Account, for connection: Connection?,
    done: @escaping (PatternVerdict) -> Void
  ) {
    secret.withPart(range) { typed in
      patterns.check(typed, of: account, isWanted: wanted(by: connection)) { [log] verdict in
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
