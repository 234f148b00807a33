// SPDX-License-Identifier: Apache-2.0

import Presence
import Testing

@Suite struct LidTests {
  @Test func theKernelsTextIsUnderstood() {
    #expect(Lid(acpi: "state:      open\n") == .open)
    #expect(Lid(acpi: "state:      closed\n") == .closed)
    for text in ["", "state:", "state:  unsupported\n", "closed open ajar"] {
      #expect(Lid(acpi: text) == .unknown)
    }
  }

  @Test func oneClosedLidDecides() {
    #expect(Lid(all: []) == .unknown)
    #expect(Lid(all: [.unknown, .open]) == .open)
    #expect(Lid(all: [.open, .closed]) == .closed)
  }
}
