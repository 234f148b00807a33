// SPDX-License-Identifier: Apache-2.0

import ThumbturnProtocol

/// The frames of version 1, byte by byte. A red test here means a new version
/// of the protocol, not a new expected value.
enum Golden {
  static let begin: [UInt8] =
    [0x54, 0x54, 1, 1, 0, 36]
    + [4] + Array("sudo".utf8) + [3] + Array("ada".utf8) + [5] + Array("pts/3".utf8) + [0]
    + [0, 0, 0x03, 0xE8, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 30, 0, 0, 0x1A, 0x2B] + [] as [UInt8]

  static let nonce: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]

  static let client: [(ClientMessage, [UInt8])] = [
    (.begin(beginning), frame(1, begin.dropFirst(6))),
    (.foreground(true), [0x54, 0x54, 1, 2, 0, 1, 1]),
    (.foreground(false), [0x54, 0x54, 1, 2, 0, 1, 0]),
    (.confirm(Nonce(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)), frame(3, nonce)),
    (.hold, [0x54, 0x54, 1, 4, 0, 0]),
    (.cancel, [0x54, 0x54, 1, 5, 0, 0]),
    (.answer(SecretRange(offset: 8, count: 0)), [0x54, 0x54, 1, 6, 0, 2, 0, 0]),
    (.enroll(PrintRequest(user: text("ada"), finger: .rightIndex)), frame(16, [3, 0x61, 0x64, 0x61, 7])),
    (.list(text("ada")), frame(17, [3, 0x61, 0x64, 0x61])),
    (.delete(PrintRequest(user: text("ada"), finger: nil)), frame(18, [3, 0x61, 0x64, 0x61, 0])),
    (.status, [0x54, 0x54, 1, 19, 0, 0]),
    (.readers, [0x54, 0x54, 1, 20, 0, 0]),
    (.proof(SecretRange(offset: 8, count: 0)), [0x54, 0x54, 1, 21, 0, 2, 0, 0]),
    (
      .learn(user: text("ada"), service: text("su"), SecretRange(offset: 15, count: 0)),
      frame(7, [3, 0x61, 0x64, 0x61, 2, 0x73, 0x75, 0, 0])
    ),
    (.setPattern(text("ada")), frame(22, [3, 0x61, 0x64, 0x61])),
    (.deletePattern(text("ada")), frame(23, [3, 0x61, 0x64, 0x61])),
    (.checkPattern(text("ada")), frame(24, [3, 0x61, 0x64, 0x61])),
    (.storage(clear: true), [0x54, 0x54, 1, 25, 0, 1, 1]),
    (.unlock(text("ada")), frame(26, [3, 0x61, 0x64, 0x61])),
    (.lockdown(text("")), frame(27, [0])),
    (
      .policy(service: text("su"), user: text("ada")),
      frame(28, [2, 0x73, 0x75, 3, 0x61, 0x64, 0x61])
    ),
    (.trustReaders, [0x54, 0x54, 1, 29, 0, 0]),
  ]

  static let server: [(ServerEvent, [UInt8])] = [
    (
      .accepted(reader: text("NB"), scan: .swipe, fingers: FingerSet([.rightIndex, .leftThumb])),
      frame(1, [2, 0x4E, 0x42, 1, 0, 0x82])
    ),
    (.waiting(service: text("su"), terminal: text("tty1")), frame(2, [2, 0x73, 0x75, 4] + "tty1".utf8)),
    (.armed, [0x54, 0x54, 1, 3, 0, 0]),
    (.mismatch(triesLeft: 2), [0x54, 0x54, 1, 4, 0, 1, 2]),
    (.retry(.notCentred), [0x54, 0x54, 1, 5, 0, 1, 2]),
    (.matched(Nonce(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)), frame(6, nonce)),
    (.voided, [0x54, 0x54, 1, 7, 0, 0]),
    (.granted, [0x54, 0x54, 1, 8, 0, 0]),
    (.refused(.tooHot), [0x54, 0x54, 1, 9, 0, 1, 4]),
    (.passedOn, [0x54, 0x54, 1, 10, 0, 0]),
    (.proofWanted(user: text("ada")), frame(32, [3, 0x61, 0x64, 0x61])),
    (.enrolling(reader: text("NB"), scan: .press, stages: 5), frame(33, [2, 0x4E, 0x42, 0, 5])),
    (.stage(done: 3, retry: nil), [0x54, 0x54, 1, 34, 0, 2, 3, 0]),
    (.stage(done: 3, retry: .liftFinger), [0x54, 0x54, 1, 34, 0, 3, 3, 1, 3]),
    (
      .listed(ListedPrint(finger: .leftThumb, reader: text("NB"), created: 0x6592_0080, state: .foreign)),
      frame(35, [1, 2, 0x4E, 0x42, 0, 0, 0, 0, 0x65, 0x92, 0, 0x80, 2])
    ),
    (
      .reader(name: text("NB"), driver: text("nb1010"), scan: .press),
      frame(36, [2, 0x4E, 0x42, 6] + "nb1010".utf8 + [0])
    ),
    (.status(key: text("a"), value: text("b")), frame(37, [1, 0x61, 1, 0x62])),
    (.done, [0x54, 0x54, 1, 38, 0, 0]),
    (.patternOffered, [0x54, 0x54, 1, 11, 0, 0]),
    (.fingerEnded(.noReader), [0x54, 0x54, 1, 12, 0, 1, 1]),
    (
      .announced(finger: .rightIndex, when: 0x6592_0080),
      frame(13, [7, 0, 0, 0, 0, 0x65, 0x92, 0, 0x80])
    ),
    (.announced(finger: nil, when: 1), frame(13, [0, 0, 0, 0, 0, 0, 0, 0, 1])),
    (.patternWanted(user: text("ada")), frame(39, [3, 0x61, 0x64, 0x61])),
    (.lockedFor(seconds: 60), frame(40, [0, 0, 0, 0, 0, 0, 0, 60])),
    (.leftOnReader(reader: text("NB"), reason: .noReader), frame(41, [2, 0x4E, 0x42, 1])),
    (
      .untrustedReader(
        name: text("NB"), driver: text("nb"), scan: .swipe, doubt: .exchangeable, place: text("x")),
      frame(42, [2, 0x4E, 0x42, 2, 0x6E, 0x62, 1, 2, 1, 0x78])
    ),
  ]

  static let beginning: Begin = {
    var begin = Begin()
    begin.service = text("sudo")
    begin.user = text("ada")
    begin.terminal = text("pts/3")
    begin.realUser = 1000
    begin.tries = 3
    begin.timeout = 30
    begin.requester = 0x1A2B
    return begin
  }()

  static func frame(_ kind: UInt8, _ body: some Collection<UInt8>) -> [UInt8] {
    [0x54, 0x54, 1, kind, UInt8(body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
  }

  static func text(_ string: String) -> Text {
    var text = Text()
    for byte in string.utf8 { _ = text.append(byte) }
    return text
  }
}

extension Frame {
  /// A copy of the bytes, for comparing.
  var bytes: [UInt8] {
    withBytes { span in
      var bytes: [UInt8] = []
      for index in 0..<span.count { bytes.append(span[index]) }
      return bytes
    }
  }
}
