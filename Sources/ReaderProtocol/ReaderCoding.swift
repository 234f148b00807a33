// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// A packet being written.
struct Packet {
  private(set) var bytes: [UInt8]

  init(kind: UInt8) { bytes = [ReaderWire.version, kind] }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func append(_ text: Text) {
    bytes.append(UInt8(text.count))
    for index in 0..<text.count { bytes.append(text[index]) }
  }

  mutating func append(template: [UInt8]) {
    let count = UInt32(truncatingIfNeeded: template.count)
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    bytes.append(contentsOf: template)
  }
}

extension Cursor {
  /// Checks version and kind of a packet and stands behind them.
  init(packet: Span<UInt8>) throws(FrameError) {
    self.init(bytes: packet)
    let version = try byte(in: packet)
    guard version == ReaderWire.version else { throw .version(version) }
    guard packet.count <= ReaderWire.maximumPacket else { throw .malformed }
  }

  mutating func template(in packet: Span<UInt8>) throws(FrameError) -> [UInt8] {
    let count: UInt32 = try number(in: packet)
    guard Int(count) <= ReaderWire.maximumTemplate, Int(count) <= remaining else { throw .malformed }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(count))
    for _ in 0..<count { bytes.append(try byte(in: packet)) }
    return bytes
  }

  mutating func retry(in packet: Span<UInt8>) throws(FrameError) -> RetryReason {
    guard let reason = RetryReason(rawValue: try byte(in: packet)) else { throw .malformed }
    return reason
  }
}

extension ReaderCommand {
  /// The codes on the wire.
  enum Kind: UInt8 {
    case list = 1, open, template, verify, enroll, pause, close, erase, listStored, clearStored
  }

  /// Encodes the command as one packet.
  public var packet: [UInt8] {
    switch self {
    case .list: return Packet(kind: Kind.list.rawValue).bytes
    case .open(let driver, let device):
      var packet = Packet(kind: Kind.open.rawValue)
      packet.append(driver)
      packet.append(device)
      return packet.bytes
    case .template(let index, let bytes):
      var packet = Packet(kind: Kind.template.rawValue)
      packet.append(index)
      packet.append(template: bytes)
      return packet.bytes
    case .verify: return Packet(kind: Kind.verify.rawValue).bytes
    case .enroll(let finger, let user):
      var packet = Packet(kind: Kind.enroll.rawValue)
      packet.append(finger.rawValue)
      packet.append(user)
      return packet.bytes
    case .pause: return Packet(kind: Kind.pause.rawValue).bytes
    case .close: return Packet(kind: Kind.close.rawValue).bytes
    case .erase(let index): return Packet(kind: Kind.erase.rawValue).bytes + [index]
    case .listStored: return Packet(kind: Kind.listStored.rawValue).bytes
    case .clearStored: return Packet(kind: Kind.clearStored.rawValue).bytes
    }
  }

  /// Decodes one whole packet.
  public init(packet: Span<UInt8>) throws(FrameError) {
    var cursor = try Cursor(packet: packet)
    let code = try cursor.byte(in: packet)
    guard let kind = Kind(rawValue: code) else { throw .unknownKind(code) }
    switch kind {
    case .list: self = .list
    case .open: self = .open(driver: try cursor.text(in: packet), device: try cursor.text(in: packet))
    case .template:
      self = .template(index: try cursor.byte(in: packet), bytes: try cursor.template(in: packet))
    case .verify: self = .verify
    case .enroll:
      guard let finger = Finger(rawValue: try cursor.byte(in: packet)) else { throw .malformed }
      self = .enroll(finger: finger, user: try cursor.text(in: packet))
    case .pause: self = .pause
    case .close: self = .close
    case .erase: self = .erase(index: try cursor.byte(in: packet))
    case .listStored: self = .listStored
    case .clearStored: self = .clearStored
    }
    try cursor.finish()
  }
}

extension ReaderReport {
  /// The codes on the wire.
  enum Kind: UInt8 {
    case found = 1, listed, opened, armed, matched, mismatched, retry, resting, stage, enrolled, idle, failed
    case erased, missing, stored, storedListed, cleared
  }

  /// Encodes the report as one packet.
  public var packet: [UInt8] {
    switch self {
    case .found(let description): return description.packet
    case .listed: return Packet(kind: Kind.listed.rawValue).bytes
    case .opened: return Packet(kind: Kind.opened.rawValue).bytes
    case .armed: return Packet(kind: Kind.armed.rawValue).bytes
    case .matched(let index): return Packet(kind: Kind.matched.rawValue).bytes + [index]
    case .mismatched: return Packet(kind: Kind.mismatched.rawValue).bytes
    case .retry(let reason): return Packet(kind: Kind.retry.rawValue).bytes + [reason.rawValue]
    case .resting: return Packet(kind: Kind.resting.rawValue).bytes
    case .stage(let done, let retry):
      let reason: [UInt8] = if let retry { [1, retry.rawValue] } else { [0] }
      return Packet(kind: Kind.stage.rawValue).bytes + [done] + reason
    case .enrolled(let template):
      var packet = Packet(kind: Kind.enrolled.rawValue)
      packet.append(template: template)
      return packet.bytes
    case .idle: return Packet(kind: Kind.idle.rawValue).bytes
    case .failed(let refusal): return Packet(kind: Kind.failed.rawValue).bytes + [refusal.rawValue]
    case .erased(let index): return Packet(kind: Kind.erased.rawValue).bytes + [index]
    case .missing(let index): return Packet(kind: Kind.missing.rawValue).bytes + [index]
    case .stored(let index):
      let known: [UInt8] = if let index { [1, index] } else { [0] }
      return Packet(kind: Kind.stored.rawValue).bytes + known
    case .storedListed: return Packet(kind: Kind.storedListed.rawValue).bytes
    case .cleared: return Packet(kind: Kind.cleared.rawValue).bytes
    }
  }

  /// Decodes one whole packet.
  public init(packet: Span<UInt8>) throws(FrameError) {
    var cursor = try Cursor(packet: packet)
    let code = try cursor.byte(in: packet)
    guard let kind = Kind(rawValue: code) else { throw .unknownKind(code) }
    switch kind {
    case .found: self = .found(try ReaderDescription(packet: packet, at: &cursor))
    case .listed: self = .listed
    case .opened: self = .opened
    case .armed: self = .armed
    case .matched: self = .matched(index: try cursor.byte(in: packet))
    case .mismatched: self = .mismatched
    case .retry: self = .retry(try cursor.retry(in: packet))
    case .resting: self = .resting
    case .stage:
      let done = try cursor.byte(in: packet)
      self = .stage(done: done, retry: try cursor.flag(in: packet) ? try cursor.retry(in: packet) : nil)
    case .enrolled: self = .enrolled(template: try cursor.template(in: packet))
    case .idle: self = .idle
    case .failed:
      guard let refusal = Refusal(rawValue: try cursor.byte(in: packet)) else { throw .malformed }
      self = .failed(refusal)
    case .erased: self = .erased(index: try cursor.byte(in: packet))
    case .missing: self = .missing(index: try cursor.byte(in: packet))
    case .stored: self = .stored(index: try cursor.flag(in: packet) ? try cursor.byte(in: packet) : nil)
    case .storedListed: self = .storedListed
    case .cleared: self = .cleared
    }
    try cursor.finish()
  }
}

extension ReaderDescription {
  var packet: [UInt8] {
    var packet = Packet(kind: ReaderReport.Kind.found.rawValue)
    packet.append(driver)
    packet.append(device)
    packet.append(name)
    packet.append(scan.rawValue)
    packet.append(stages)
    packet.append(identifies ? 1 : 0)
    packet.append(stores ? 1 : 0)
    packet.append(bus)
    packet.append(address)
    return packet.bytes
  }

  init(packet: Span<UInt8>, at cursor: inout Cursor) throws(FrameError) {
    driver = try cursor.text(in: packet)
    device = try cursor.text(in: packet)
    name = try cursor.text(in: packet)
    guard let type = ScanType(rawValue: try cursor.byte(in: packet)) else { throw .malformed }
    scan = type
    stages = try cursor.byte(in: packet)
    identifies = try cursor.flag(in: packet)
    stores = try cursor.flag(in: packet)
    bus = try cursor.byte(in: packet)
    address = try cursor.byte(in: packet)
  }
}
