// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DaemonCore

@Suite struct LoopTests {
  @Test func whatAnEventCausesWaitsUntilItIsDone() {
    let mailbox = Mailbox<Int>()
    var order: [String] = []
    func post(_ event: Int) {
      mailbox.post(event) { event in
        order.append("begin \(event)")
        if event < 3 { post(event + 1) }
        order.append("end \(event)")
      }
    }
    post(1)
    #expect(order == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
  }
}

/// Tests that run GLib's default loop, which only one can at a time.
@Suite(.serialized) enum LoopedTests {}
