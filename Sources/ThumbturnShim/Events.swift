// SPDX-License-Identifier: Apache-2.0

public import CThumbturnShim

// What the daemon says, from a packet to the fixed structure C takes.

/// What one try to receive brought.
private enum Received {
  case event(ServerEvent)
  case nothing
  case ended(Refusal, error: CInt)
}

extension Refusal {
  /// Why a packet ends the conversation.
  fileprivate init(_ error: FrameError) {
    switch error {
    case .version: self = .unknownVersion
    case .notOurs, .unknownKind, .malformed: self = .malformed
    }
  }
}

/// Takes one packet, if one waits, and decodes it by the protocol's own code.
private func receive(from descriptor: CInt) -> Received {
  var buffer = [2054 of UInt8](repeating: 0)
  var span = buffer.mutableSpan
  // SAFETY: recvmsg() writes at most `count` bytes and keeps no pointer.
  let count = unsafe span.withUnsafeMutableBytes { room in
    unsafe room.baseAddress.map { unsafe shim_receive(descriptor, $0, room.count) } ?? -3
  }
  guard count > 0 else {
    switch count {
    case Int(SHIM_NOTHING.rawValue): return .nothing
    case Int(SHIM_TRUNCATED.rawValue): return .ended(.malformed, error: 0)
    case Int(SHIM_END.rawValue): return .ended(.daemonMissing, error: 0)
    default: return .ended(.daemonMissing, error: shim_errno())
    }
  }
  do throws(FrameError) {
    return .event(try ServerEvent(frame: buffer.span.extracting(first: count)))
  } catch {
    return .ended(Refusal(error), error: 0)
  }
}

/// Takes the next event, waiting at most `wait_ms`.
@c @implementation
public func thumbturn_next_event(
  _ conversation: UnsafeMutablePointer<thumbturn_conversation>, _ wait_ms: CInt,
  _ event: UnsafeMutablePointer<thumbturn_event>
) -> thumbturn_result {
  // SAFETY: both pointers are the caller's for the length of the call.
  unsafe event.pointee = thumbturn_event()
  let descriptor = unsafe conversation.pointee.descriptor
  guard descriptor >= 0 else { return THUMBTURN_ENDED }
  var received = receive(from: descriptor)
  if case .nothing = received, wait_ms > 0, shim_wait(descriptor, wait_ms) == 1 {
    received = receive(from: descriptor)
  }
  switch received {
  case .nothing: return THUMBTURN_NOTHING
  case .ended(let refusal, let error): return unsafe conversation.pointee.end(refusal, error: error)
  case .event(let told): return unsafe conversation.pointee.take(told, into: &event.pointee)
  }
}

extension thumbturn_conversation {
  /// Hands an event on, unless it does not belong where it came.
  fileprivate mutating func take(_ told: ServerEvent, into event: inout thumbturn_event) -> thumbturn_result {
    switch told {
    case .granted:
      guard confirmed == 1 || answered == 1 else { return end(.malformed) }
      finish()
    case .voided: confirmed = 0
    case .announced where learning != 1: return end(.malformed)
    case .done where learning == 1:
      finish()
      return THUMBTURN_ENDED
    case .passedOn: answered = 0
    case .refused(let reason): _ = end(reason)
    default: break
    }
    return event.fill(from: told) ? THUMBTURN_OK : end(.malformed)
  }
}

extension thumbturn_event {
  /// Copies an event's fields; `false` for one that no authentication has.
  fileprivate mutating func fill(from told: ServerEvent) -> Bool {
    switch told {
    case .accepted(let reader, let scan, let fingers):
      kind = THUMBTURN_ACCEPTED
      swipe = scan == .swipe ? 1 : 0
      finger = CInt(fingers.only?.rawValue ?? 0)
      copy(reader, into: &name)
    case .waiting(let service, let holder):
      kind = THUMBTURN_WAITING
      copy(service, into: &name)
      copy(holder, into: &terminal)
    case .armed: kind = THUMBTURN_ARMED
    case .mismatch(let left):
      kind = THUMBTURN_MISMATCH
      tries_left = CInt(left)
    case .retry(let reason):
      kind = THUMBTURN_RETRY
      retry_reason = CInt(reason.rawValue)
    case .matched(let number):
      kind = THUMBTURN_MATCHED
      copy(number)
    case .voided: kind = THUMBTURN_VOIDED
    case .granted: kind = THUMBTURN_GRANTED
    case .refused(let reason):
      kind = THUMBTURN_REFUSED
      refusal = CInt(reason.rawValue)
    case .passedOn: kind = THUMBTURN_PASSED_ON
    case .patternOffered: kind = THUMBTURN_PATTERN_OFFERED
    case .fingerEnded(let reason):
      kind = THUMBTURN_FINGER_ENDED
      refusal = CInt(reason.rawValue)
    case .announced(let told, let seconds):
      kind = THUMBTURN_ANNOUNCED
      finger = CInt(told?.rawValue ?? 0)
      when = seconds
    case .proofWanted, .enrolling, .stage, .listed, .reader, .status, .done, .patternWanted, .lockedFor,
      .leftOnReader, .untrustedReader:
      return false
    }
    return true
  }

  /// Copies a text without its control characters; the rest stays NUL.
  private func copy<Room>(_ text: Text, into room: inout Room) {
    let clean = text.printable
    // SAFETY: `Room` is a C array of bytes; the last one stays NUL.
    unsafe withUnsafeMutableBytes(of: &room) { bytes in
      for index in 0..<min(clean.count, max(0, bytes.count &- 1)) { unsafe bytes[index] = clean[index] }
    }
  }

  /// Copies a nonce, most significant byte first.
  private mutating func copy(_ number: Nonce) {
    // SAFETY: the array has 16 bytes, and no index is beyond its count.
    unsafe withUnsafeMutableBytes(of: &nonce) { bytes in
      for index in 0..<min(16, bytes.count) {
        let half = index < 8 ? number.high : number.low
        let shift = UInt64(truncatingIfNeeded: 56 &- 8 &* (index & 7))
        unsafe bytes[index] = UInt8(truncatingIfNeeded: half >> shift)
      }
    }
  }
}
