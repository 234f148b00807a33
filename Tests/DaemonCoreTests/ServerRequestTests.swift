// SPDX-License-Identifier: Apache-2.0

import Glibc
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

/// Requests and connections that are no conversation, or none that gets far.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root may ask for root"))
struct ServerRequestTests {
  private let rig: ServerRig

  init() throws { rig = try ServerRig() }

  @Test func enrolledPrintsAreListedAndDeleted() throws {
    try rig.enrol()
    #expect(rig.folder.exists("data/enrolled/root"))
    let client = try rig.connect()
    try client.send(.list(Text("root")))
    guard case .listed(let print) = try client.next() else { throw Surprise() }
    #expect(print.finger == .rightIndex && print.state == .good && print.created > 0)
    #expect(try client.next() == .done)
    #expect(
      try answer(to: .delete(PrintRequest(user: Text("root"), finger: .leftThumb))) == .refused(.notFound))
    #expect(try answer(to: .delete(PrintRequest(user: Text("root"), finger: .rightIndex))) == .done)
    #expect(!rig.folder.exists("data/enrolled/root"))
  }

  @Test func aFingerIsEnrolledOnce() throws {
    try rig.enrol()
    let wish = PrintRequest(user: Text("root"), finger: .rightIndex)
    #expect(try answer(to: .enroll(wish)) == .refused(.duplicate))
  }

  @Test func aCancelledEnrolmentLeavesNothing() throws {
    let client = try rig.connect()
    try client.send(.enroll(PrintRequest(user: Text("root"), finger: .rightIndex)))
    guard case .enrolling = try client.next() else { throw Surprise() }
    try rig.touch("SCAN ada")
    #expect(try client.next() == .stage(done: 1, retry: nil))
    try client.send(.cancel)
    #expect(try client.next() == .refused(.cancelled))
    #expect(client.ends())
    #expect(!rig.folder.exists("data/enrolled/root"))
  }

  @Test func attachedReadersAreNamed() throws {
    let client = try rig.connect()
    try client.send(.readers)
    let reader = ServerEvent.reader(
      name: Text("Virtual device for debugging"), driver: Text("virtual_device"), scan: .swipe)
    #expect(try client.next() == reader)
    #expect(try client.next() == .done)
  }

  @Test func statusTellsTheVersion() throws {
    let client = try rig.connect()
    try client.send(.status)
    #expect(try client.next() == .status(key: Text("version"), value: Text(cut: Version.current)))
  }

  @Test func refusalsBeforeTheReader() throws {
    let client = try rig.connect()
    try client.begin()
    #expect(try client.next() == .refused(.nothingEnrolled))
    try rig.enrol()
    let unknown = try rig.connect()
    try unknown.begin(user: "no-such-user")
    #expect(try unknown.next() == .refused(.unknownUser))
    let remote = try rig.connect()
    try remote.begin(remoteHost: "192.0.2.7")
    #expect(try remote.next() == .refused(.remote))
    let local = try rig.connect()
    try local.begin(remoteHost: "localhost")
    guard case .accepted = try local.next() else { throw Surprise() }
  }

  @Test(
    arguments: [
      .foreground(true), .confirm(Nonce(high: 1, low: 2)), .hold, .cancel,
      .answer(SecretRange(offset: 8, count: 0)), .proof(SecretRange(offset: 8, count: 0)),
      .enroll(PrintRequest(user: Text("root"), finger: nil)),
    ] as [ClientMessage]) func whatCannotComeFirst(_ message: ClientMessage) throws
  {
    #expect(try answer(to: message) == .refused(.malformed))
  }

  @Test func whatIsNotTheProtocol() throws {
    for (packet, refusal) in [
      ([0x47, 0x45, 0x54, 0x20], .malformed), ([0x54, 0x54, 9, 1, 0, 0], .unknownVersion),
      ([0x54, 0x54, 1, 19, 8, 1] + [UInt8](repeating: 0, count: 2049), .malformed),
      ([UInt8](repeating: 0x54, count: 100_000), .malformed),
    ] as [([UInt8], Refusal)] {
      let client = try rig.connect()
      try client.send(packet)
      #expect(try client.next() == .refused(refusal))
      #expect(client.ends())
    }
  }

  @Test func whoSaysNothingIsLetGo() throws {
    let client = try rig.connect()
    #expect(client.ends(limit: 4_000))
  }

  @Test func thirtyTwoConnectionsOfRootAndNoMore() throws {
    let clients = try (0..<32).map { _ in try rig.connect() }
    let last = try rig.connect()
    #expect(try last.next() == .refused(.overloaded))
    #expect(last.ends())
    #expect(clients.count == 32)
  }

  @Test func whoDoesNotReadIsDropped() throws {
    try rig.enrol()
    let client = try rig.armed()
    // Each answer fills the buffer further, until the daemon gives the client up.
    #expect(throws: SystemError.self) {
      for _ in 0..<10_000 {
        do throws(SystemError) {
          try send(.answer(SecretRange(offset: 8, count: 0)), on: client)
        } catch {
          if error.code == EAGAIN { continue }
          throw error
        }
      }
    }
    _ = try rig.armed()
  }

  private func send(_ message: ClientMessage, on client: ServerClient) throws(SystemError) {
    do {
      try client.send(message)
    } catch let error as SystemError {
      throw error
    } catch {
      throw SystemError("send", code: EINVAL)
    }
  }

  private func answer(to message: ClientMessage) throws -> ServerEvent {
    let client = try rig.connect()
    try client.send(message)
    return try client.next()
  }
}

/// How the daemon starts and ends.
@Suite(.serialized) struct DaemonLifeTests {
  @Test func itEndsWhenNobodyIsThere() throws {
    let rig = try ServerRig(idleExit: 1)
    #expect(rig.waitForEnd() == .exited(status: 0))
  }

  @Test func itStaysWhileSomebodyIsThere() throws {
    let rig = try ServerRig(idleExit: 1)
    let client = try rig.connect()
    // The connection lasts two seconds of silence, longer than idleness may.
    #expect(client.ends(limit: 4_000))
    #expect(rig.waitForEnd() == .exited(status: 0))
  }

  @Test(.enabled(if: geteuid() == 0, "only root may ask for root"))
  func sigtermClosesTheReader() throws {
    let rig = try ServerRig()
    try rig.enrol()
    let client = try rig.armed()
    #expect(try rig.readerProcesses().count == 1)
    #expect(rig.stop() == .exited(status: 0))
    #expect(client.ends())
  }

  @Test(arguments: ["echo garbage >&3", "exit 0", "kill -9 $$"])
  func aReaderProgramThatIsNoneCostsOneRequest(_ script: String) throws {
    let programs = try TemporaryFolder()
    try programs.write("thumbturn-reader", bytes: Array("#!/bin/sh\n\(script)\n".utf8), mode: 0o755)
    let rig = try ServerRig(libexec: programs.path)
    for _ in 0..<2 {
      let client = try rig.connect()
      try client.send(.readers)
      #expect(try client.next() == .refused(.readerFailed))
    }
    #expect(try rig.readerProcesses().count <= 1)
  }

  @Test func withoutAReaderProgram() throws {
    let programs = try TemporaryFolder()
    let rig = try ServerRig(libexec: programs.path)
    let client = try rig.connect()
    try client.send(.readers)
    #expect(try client.next() == .refused(.readerFailed))
    #expect(rig.stop() == .exited(status: 0))
  }
}
