// SPDX-License-Identifier: Apache-2.0

import ReaderProtocol
import System
import Testing
import ThumbturnProtocol

@testable import DaemonCore

extension LoopedTests {
  /// The supervisor of reader processes, with programs that behave badly.
  @Suite final class ReaderProcessTests {
    private let folder: TemporaryFolder
    private let loop = MainLoop()
    private var reports: [ReaderReport] = []

    init() throws { folder = try TemporaryFolder() }

    /// Starts a program of these lines and runs the loop until it has ended.
    private func run(_ script: String, _ use: (ReaderProcess) -> Void) throws {
      let path = try folder.write("reader", bytes: Array(script.utf8), mode: 0o755)
      var plan = ReaderPlan(path: path)
      plan.patience = 300
      plan.closingPatience = 300
      let process = try ReaderProcess(plan: plan) {}
      process.serve(reported: { [unowned self] in reports.append($0) }, ended: { [loop] in loop.quit() })
      use(process)
      let limit = Timer(milliseconds: 20_000) { [loop] in
        Issue.record("it did not end")
        loop.quit()
      }
      loop.run()
      limit.remove()
    }

    @Test func silenceIsAFailure() throws {
      try run("#!/bin/sh\nexec sleep 60\n") { $0.send(.list) }
      #expect(reports == [.failed(.readerFailed)])
    }

    @Test func aStepThatIsAnsweredIsWaitedForNoLonger() throws {
      // "listed", then nothing for longer than a step may take, then an orderly end.
      try run("#!/bin/sh\nprintf '\\001\\002' >&3\nsleep 0.6\n") { $0.send(.list) }
      #expect(reports == [.listed, .failed(.readerFailed)])
    }

    @Test func whatDoesNotCloseIsKilled() throws {
      try run("#!/bin/sh\ntrap '' TERM\nexec sleep 60\n") { $0.close() }
      #expect(reports == [])
    }

    @Test func anEndBeforeTheCloseIsAFailure() throws {
      try run("#!/bin/sh\nexit 0\n") { _ in }
      #expect(reports == [.failed(.readerFailed)])
    }

    @Test func theLastWordsCount() throws {
      // "failed(noReader)" and the end at once.
      try run("#!/bin/sh\nprintf '\\001\\014\\001' >&3\n") { $0.send(.list) }
      #expect(reports == [.failed(.noReader)])
    }

    @Test func nothingIsBelievedAfterGarbage() throws {
      try run("#!/bin/sh\nprintf 'garbage' >&3\nprintf '\\001\\005\\000' >&3\nexec sleep 60\n") {
        $0.send(.verify)
      }
      #expect(reports == [.failed(.readerFailed)])
    }

    /// More than the socket's buffer holds, to a process that starts to read late.
    @Test func manyLargeTemplatesArrive() throws {
      let script = """
        #!/usr/bin/env python3
        import socket
        channel = socket.socket(fileno=3)
        count = 0
        while channel.recv(200000)[1] == 3:
            count += 1
        channel.send(bytes([1, 5, count]))
        """
      let template = [UInt8](repeating: 7, count: ReaderWire.maximumTemplate)
      try run(script) { process in
        for index in 0..<60 as Range<UInt8> { process.send(.template(index: index, bytes: template)) }
        process.send(.pause)
      }
      #expect(reports == [.matched(index: 60), .failed(.readerFailed)])
    }

    @Test func virtualReadersPassOnWhatTheyNeed() {
      var plan = ReaderPlan(path: "/reader")
      plan.settleTime = 0
      plan.environment = [
        "FP_VIRTUAL_IMAGE=/a/b.sock", "UMOCKDEV_DIR=/u", "LD_PRELOAD=x.so", "HOME=/root", "FPX=1",
      ]
      #expect(plan.child(channel: 7).environment == [])
      #expect(plan.child(channel: 7).arguments == ["--settle", "0"])
      plan.virtualReaders = true
      let child = plan.child(channel: 7)
      #expect(child.environment == ["FP_VIRTUAL_IMAGE=/a/b.sock", "UMOCKDEV_DIR=/u", "LD_PRELOAD=x.so"])
      #expect(child.arguments == ["--settle", "0", "--allow-folder", "/a", "--allow-folder", "/u"])
      #expect(child.isolated && child.channel == 7 && child.identity == nil)
    }
  }
}
