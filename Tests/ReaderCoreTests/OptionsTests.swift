// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReaderCore

@Suite struct OptionsTests {
  @Test func standards() {
    guard case .run(let options) = Invocation(arguments: []) else {
      Issue.record("does not run")
      return
    }
    #expect(options.settle == 250)
    #expect(options.folders.isEmpty)
  }

  @Test func values() {
    let arguments = ["--allow-folder", "/a", "--settle", "0", "--allow-folder", "/b"]
    guard case .run(let options) = Invocation(arguments: arguments) else {
      Issue.record("does not run")
      return
    }
    #expect(options.settle == 0)
    #expect(options.folders == ["/a", "/b"])
  }

  @Test(arguments: [
    ["--settle"], ["--settle", "-1"], ["--settle", "5001"], ["--settle", "x"], ["--settle", ""],
    ["--allow-folder"], ["--allow-folder", "relative"], ["--allow-folder", ""], ["--what"], [""], ["/a"],
  ])
  func refusals(_ arguments: [String]) {
    guard case .wrong(let problem) = Invocation(arguments: arguments) else {
      Issue.record("accepted")
      return
    }
    #expect(!problem.isEmpty)
  }

  @Test func information() {
    #expect(Invocation(arguments: ["--settle", "1", "--help"]) == .help)
    #expect(Invocation(arguments: ["--version"]) == .version)
  }
}
