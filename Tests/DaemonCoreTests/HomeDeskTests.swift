// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import ThumbturnProtocol

@testable import DaemonCore

extension LoopedTests {
  /// Home folders, looked at on a thread.
  @Suite final class HomeDeskTests {
    private let folder: TemporaryFolder
    private let loop = MainLoop()
    private let desk = HomeDesk()

    init() throws { folder = try TemporaryFolder() }

    private func isThere(_ path: String) -> Bool? {
      let account = Account(name: Sample.text("ada"), uid: 1000, group: 1000, home: Sample.text(path))
      var answers: [Bool] = []
      desk.look(for: account) { [loop] in
        answers.append($0)
        loop.quit()
      }
      if answers.isEmpty { loop.run() }
      return answers.count == 1 ? answers[0] : nil
    }

    @Test func folders() throws {
      #expect(isThere(folder.path) == true)
      #expect(isThere("\(folder.path)/none") == false)
      #expect(isThere("\(folder.path)/none/ada") == false)
      try folder.write("file", "")
      #expect(isThere("\(folder.path)/file") == false)
      try folder.link("link", to: folder.path)
      #expect(isThere("\(folder.path)/link") == true)
      try folder.link("dangling", to: "\(folder.path)/none")
      #expect(isThere("\(folder.path)/dangling") == false)
      #expect(isThere("") == true)
    }

    @Test func manyAskAtOnce() {
      let account = Account(
        name: Sample.text("ada"), uid: 1000, group: 1000, home: Sample.text(folder.path))
      var answers: [Bool] = []
      for _ in 0..<100 {
        desk.look(for: account) { [loop] in
          answers.append($0)
          if answers.count == 100 { loop.quit() }
        }
      }
      loop.run()
      #expect(answers.allSatisfy { $0 } && answers.count == 100)
    }
  }
}
