// SPDX-License-Identifier: Apache-2.0

extension ServerEvent {
  /// The code of this event.
  public var kind: Kind {
    switch self {
    case .accepted: .accepted
    case .waiting: .waiting
    case .armed: .armed
    case .mismatch: .mismatch
    case .retry: .retry
    case .matched: .matched
    case .voided: .voided
    case .granted: .granted
    case .refused: .refused
    case .passedOn: .passedOn
    case .proofWanted: .proofWanted
    case .enrolling: .enrolling
    case .stage: .stage
    case .listed: .listed
    case .reader: .reader
    case .status: .status
    case .done: .done
    case .patternOffered: .patternOffered
    case .fingerEnded: .fingerEnded
    case .announced: .announced
    case .patternWanted: .patternWanted
    case .lockedFor: .lockedFor
    case .leftOnReader: .leftOnReader
    case .untrustedReader: .untrustedReader
    }
  }

  /// Encodes the event as one packet.
  public var frame: Frame {
    var frame = Frame(kind: kind.rawValue)
    switch self {
    case .accepted(let reader, let scan, let fingers):
      frame.append(reader)
      frame.append(scan.rawValue)
      frame.append(number: fingers.bits)
    case .waiting(let service, let terminal):
      frame.append(service)
      frame.append(terminal)
    case .mismatch(let triesLeft): frame.append(triesLeft)
    case .retry(let reason): frame.append(reason.rawValue)
    case .matched(let nonce): frame.append(nonce)
    case .refused(let refusal), .fingerEnded(let refusal): frame.append(refusal.rawValue)
    case .proofWanted(let user), .patternWanted(let user): frame.append(user)
    case .announced(let finger, let when):
      frame.append(finger?.rawValue ?? 0)
      frame.append(number: when)
    case .lockedFor(let seconds): frame.append(number: seconds)
    case .leftOnReader(let reader, let reason):
      frame.append(reader)
      frame.append(reason.rawValue)
    case .enrolling(let reader, let scan, let stages):
      frame.append(reader)
      frame.append(scan.rawValue)
      frame.append(stages)
    case .stage(let done, let retry):
      frame.append(done)
      frame.append(retry == nil ? 0 : 1)
      if let retry { frame.append(retry.rawValue) }
    case .listed(let print): print.append(to: &frame)
    case .reader(let name, let driver, let scan):
      frame.append(name)
      frame.append(driver)
      frame.append(scan.rawValue)
    case .untrustedReader(let name, let driver, let scan, let doubt, let place):
      frame.append(name)
      frame.append(driver)
      frame.append(scan.rawValue)
      frame.append(doubt.rawValue)
      frame.append(place)
    case .status(let key, let value):
      frame.append(key)
      frame.append(value)
    case .armed, .voided, .granted, .passedOn, .done, .patternOffered: break
    }
    return frame
  }

  /// Whether nothing follows this event.
  public var isLast: Bool {
    switch self {
    case .granted, .refused, .done: true
    default: false
    }
  }
}

extension ListedPrint {
  func append(to frame: inout Frame) {
    frame.append(finger?.rawValue ?? 0)
    frame.append(reader)
    frame.append(number: created)
    frame.append(state.rawValue)
  }
}
