// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import Glibc
internal import Policy
internal import Records
internal import System
internal import ThumbturnProtocol
internal import Throttle

/// What policy has to do with one sign-in from its beginning to its end.
struct SignIn {
  let account: Account
  let judged: Judged
  let decision: Decision
  private let services: Services

  init(_ judged: Judged, of account: Account, services: Services) {
    self.account = account
    self.judged = judged
    self.services = services
    decision = services.decide(judged, of: account)
  }

  /// The uid on whose behalf it was asked for.
  var requester: UInt32 { judged.request.realUser }

  /// Whose count its failures go to.
  var origin: Origin { decision.origin }

  /// Why a finger does not count at this moment; a lockdown may have come meanwhile.
  var fingerObjection: Refusal? { services.decide(judged, of: account).finger?.refusal }

  /// Whether a pattern counts at this moment.
  var takesPattern: Bool { services.decide(judged, of: account).pattern == nil }

  /// Counts a finger that was not recognised, before anybody hears of it.
  func mismatched() -> ReaderNews {
    guard let counts = services.counter.add(origin, of: account) else { return .failed(.lockedOut) }
    guard services.counter.isKept(account) else { return .failed(.storageFailed) }
    let limit = services.configuration.policy.lockAfter
    guard counts.isLocked(origin, after: limit) else { return .mismatched }
    services.log.note(
      "the finger of uid \(account.uid) is locked after \(counts[origin]) mismatches (\(origin))")
    return .lockedOut
  }

  /// A confirmed match ends the count it added to; a right pattern ends them all.
  func granted(byPattern: Bool, service: Text) {
    services.counter.clear(byPattern ? nil : origin, of: account)
    let use = LastUses.Use(seconds: UInt64(max(time(nil), 0)), service: service.shown)
    do throws(StoreError) {
      try services.store.noteUse(byPattern ? .pattern : .finger, use, of: account)
    } catch {
      services.log.problem("\(error)")
    }
  }

  /// Whether a reader stays dark.
  func spares(_ reader: ReaderIdentity) -> Bool {
    decision.sparesBuiltInReaders && reader.usb?.removable != .removable
  }
}

extension ConversationLimits {
  /// The most seconds a reader stays armed: after about 180 without a pause libfprint
  /// calls it too hot.
  private static let longestTimeout = 170
  /// The most mismatches that root may ask for.
  private static let mostTries: UInt8 = 10

  /// What was asked for, within what is decided. Who is not root gets no more
  /// tries than that.
  init(_ begin: Begin, peer: Peer, decision: Decision, configuration: Configuration) {
    self.init()
    let configured = UInt8(clamping: decision.tries)
    let most = peer.user == 0 ? Self.mostTries : configured
    tries = begin.tries == 0 ? configured : min(begin.tries, most)
    let seconds = begin.timeout == 0 ? decision.timeout : min(Int(begin.timeout), Self.longestTimeout)
    timeout = seconds * 1000
    queueWait = configuration.queueWait * 1000
  }
}
