// SPDX-License-Identifier: Apache-2.0

import Policy
import Testing

/// When nothing but the password counts.
@Suite struct PasswordStateTests {
  static let hour: UInt64 = 3_600_000
  static let day = 24 * hour

  /// Whether another start is meant, and what passed by both clocks (in hours) since.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var objection: Objection?
    var sameStart = true
    var ran: UInt64 = 1
    var clock: Int64 = 1
    var change: @Sendable (inout PasswordState, inout PolicySettings) -> Void = { _, _ in }
  }

  static let rows: [Row] = [
    Row(testDescription: "an hour ago"),
    Row(testDescription: "71 hours ago", ran: 71, clock: 71),
    Row(testDescription: "72 hours ago", objection: .passwordDue, ran: 72, clock: 72),
    Row(testDescription: "the clock was set forward", ran: 1, clock: 10_000),
    Row(testDescription: "the clock was set back", objection: .passwordDue, ran: 72, clock: -10_000),
    Row(testDescription: "the clock was set back a little", ran: 71, clock: -71),
    Row(testDescription: "never due", ran: 10_000, clock: 10_000) { $1.passwordEvery = 0 },
    Row(testDescription: "due after an hour", objection: .passwordDue, ran: 1) { $1.passwordEvery = 1 },
    Row(testDescription: "another start", objection: .passwordAfterStart, sameStart: false),
    Row(testDescription: "another start that does not matter", sameStart: false) { $1.passwordFirst = false },
    Row(testDescription: "three days over a start", objection: .passwordDue, sameStart: false, clock: 72) {
      $1.passwordFirst = false
    },
    Row(testDescription: "just less over a start", sameStart: false, clock: 71) { $1.passwordFirst = false },
    Row(testDescription: "back over a start", objection: .passwordDue, sameStart: false, clock: -1) {
      $1.passwordFirst = false
    },
    Row(testDescription: "three days of the new start", objection: .passwordDue, sameStart: false, ran: 73) {
      $1.passwordFirst = false
    },
    Row(testDescription: "over a start, never due", sameStart: false, clock: -10_000) {
      $1.passwordFirst = false
      $1.passwordEvery = 0
    },
    Row(testDescription: "never given", objection: .passwordAfterStart) { state, _ in state.last = nil },
    Row(testDescription: "never given, and no start matters", objection: .passwordDue) {
      $0.last = nil
      $1.passwordFirst = false
    },
    Row(testDescription: "never given, and it is never due") {
      $0.last = nil
      $1.passwordFirst = false
      $1.passwordEvery = 0
    },
    Row(testDescription: "no name for this start", objection: .passwordAfterStart) { state, _ in
      state.now = nil
    },
    Row(testDescription: "a lockdown", objection: .lockdown) { state, _ in state.isLockedDown = true },
    Row(testDescription: "a lockdown is said first", objection: .lockdown, sameStart: false) { state, _ in
      state.isLockedDown = true
      state.hasHome = false
    },
    Row(testDescription: "a closed home", objection: .homeClosed) { state, _ in state.hasHome = false },
    Row(testDescription: "a closed home is said last", objection: .passwordAfterStart, sameStart: false) {
      state, _ in
      state.hasHome = false
    },
    Row(testDescription: "time that runs back", objection: .passwordDue) { state, _ in
      state.now?.milliseconds = 1
    },
  ]

  @Test(arguments: rows) func says(_ row: Row) {
    var settings = PolicySettings()
    var state = PasswordState()
    let seconds: Int64 = 100_000_000
    let start = 5 * Self.hour
    state.last = PasswordMemory(seconds: UInt64(seconds), milliseconds: start, boot: [1])
    let ran = row.ran * Self.hour
    state.now = PasswordMemory(
      seconds: UInt64(seconds + row.clock * 3600), milliseconds: row.sameStart ? start + ran : ran,
      boot: row.sameStart ? [1] : [2])
    row.change(&state, &settings)
    #expect(state.objection(settings) == row.objection)
  }
}
