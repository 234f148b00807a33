// SPDX-License-Identifier: Apache-2.0

// What a stranger may send to one of the programs, given to the code that decodes it. The first
// byte says whose packet the rest is. What decodes must encode to the same bytes again.
//
// Built as one module with the sources of ThumbturnProtocol, ReaderProtocol and Records.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func decodeOne(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  // SAFETY: libFuzzer owns the bytes for the length of the call.
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: count))
  let packet = Array(bytes.dropFirst())
  switch bytes[0] % 6 {
  case 0: decodeServerEvent(packet)
  case 1: decodeClientMessage(packet)
  case 2:
    if let report = try? ReaderReport(packet: packet.span) { same(report.packet, packet) }
  case 3:
    if let command = try? ReaderCommand(packet: packet.span) { same(command.packet, packet) }
  case 4: decodeRecord(packet)
  default: decodeRecord(sealed(packet))
  }
  return 0
}

private func decodeServerEvent(_ packet: [UInt8]) {
  guard let event = try? ServerEvent(frame: packet.span) else { return }
  let frame = event.frame
  frame.withBytes { same(copy($0), packet) }
}

/// A secret stays where it was received, so such a message has no frame of its own.
private func decodeClientMessage(_ packet: [UInt8]) {
  guard let message = try? ClientMessage(frame: packet.span) else { return }
  switch message {
  case .answer(let range), .proof(let range), .learn(_, _, let range):
    precondition(range.offset + range.count == packet.count, "a secret that is not the end of its frame")
  default:
    let frame = message.frame
    frame.withBytes { same(copy($0), packet) }
  }
}

private func decodeRecord(_ file: [UInt8]) {
  guard let record = try? PrintRecord(bytes: file) else { return }
  _ = record.isKeptByReader
  same(record.bytes, file)
}

/// The bytes with the checksum they need, or no change would get past it.
private func sealed(_ body: [UInt8]) -> [UInt8] {
  var sum = Checksum()
  sum.add(body[...])
  return body + (0..<4).map { UInt8(truncatingIfNeeded: sum.value >> (24 - 8 * $0)) }
}

private func copy(_ bytes: Span<UInt8>) -> [UInt8] { (0..<bytes.count).map { bytes[$0] } }

private func same(_ encoded: [UInt8], _ packet: [UInt8]) {
  precondition(encoded == packet, "what was decoded encodes to other bytes")
}
