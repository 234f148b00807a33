// SPDX-License-Identifier: Apache-2.0

import Glibc
import Policy
import Testing

@testable import DaemonCore

/// The rules for the file itself, with real files.
@Suite struct ConfigurationFileTests {
  @Test func aMissingFileIsTheDefaults() throws {
    let folder = try TemporaryFolder()
    let (configuration, problems) = Configuration.load("\(folder.path)/none")
    #expect(configuration == .standard)
    #expect(problems.isEmpty)
  }

  @Test func aGoodFileIsRead() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("c", "[reader]\ntries=5\n")
    #expect(Configuration.load(path).0.policy.tries == 5)
    #expect(Configuration.load(path).1.isEmpty)
  }

  @Test func problemsNameFileAndLine() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("c", "[reader]\ntries=5\nmore=1\n")
    let (configuration, problems) = Configuration.load(path)
    #expect(configuration == .strictest)
    #expect(problems == ["\(path):3: unknown key"])
  }

  @Test(arguments: [mode_t(0o664), 0o646, 0o666]) func aFileThatOthersCanWriteIsRefused(_ mode: mode_t) throws
  {
    let folder = try TemporaryFolder()
    let path = try folder.write("c", "[reader]\n")
    try folder.setMode("c", mode)
    expectRefused(path, "must not be writable by group or others")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func aFileOfSomebodyElseIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("c", "[reader]\n")
    try folder.give("c", to: 1)
    expectRefused(path, "must belong to root")
  }

  @Test func linksPipesAndFoldersAreRefused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("c", "[reader]\n")
    try folder.link("link", to: path)
    expectRefused("\(folder.path)/link", "must not be a link")
    try folder.makePipe("pipe")
    expectRefused("\(folder.path)/pipe", "must be a regular file")
    expectRefused(folder.path, "must be a regular file")
  }

  @Test func oddBytesAreRefused() throws {
    let folder = try TemporaryFolder()
    let full = "#" + String(repeating: "x", count: ConfigurationFile.maximumBytes - 1)
    #expect(Configuration.load(try folder.write("full", full)).1.isEmpty)
    expectRefused(try folder.write("long", full + "x"), "cannot be read, or is longer than 65536 bytes")
    expectRefused(try folder.write("nul", "[reader]\n\0tries=5"), "is not a text in UTF-8")
    expectRefused(try folder.write("latin", bytes: [0x23, 0xE9]), "is not a text in UTF-8")
  }

  private func expectRefused(_ path: String, _ reason: String) {
    let (configuration, problems) = Configuration.load(path)
    #expect(configuration == .strictest)
    #expect(problems == ["\(path): \(reason)"])
  }
}
