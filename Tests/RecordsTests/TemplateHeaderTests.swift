// SPDX-License-Identifier: Apache-2.0

import Records
import Testing

/// Which prints a reader keeps itself.
@Suite struct TemplateHeaderTests {
  private func isKept(_ template: [UInt8]) throws -> Bool {
    try Sample.record(template: template).isKeptByReader
  }

  private static let start: [UInt8] = Array("FP3".utf8) + [1, 0, 0, 0]
  private static let names: [UInt8] = Array("elanmoc".utf8) + [0] + Array("0".utf8) + [0]

  @Test func theFlagDecides() throws {
    #expect(try isKept(Self.start + Self.names + [1, 0, 7]))
    #expect(try !isKept(Self.start + Self.names + [0, 0, 7]))
    #expect(try isKept(Self.start + [0, 0, 1]))
  }

  @Test func whatIsNoPrintIsKeptByNobody() throws {
    let whole = Self.start + Self.names + [1]
    #expect(try isKept(whole))
    for cut in 1..<whole.count { #expect(try !isKept(Array(whole.prefix(cut)))) }
    #expect(try !isKept([0x46, 0x50, 0x32] + whole.dropFirst(3)))
  }
}
