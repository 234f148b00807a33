// SPDX-License-Identifier: Apache-2.0

import Glibc
import Records
import System
import Testing

@testable import DaemonCore

/// Access control lists on real files.
@Suite struct AccessListTests {
  private let tree: USBTree
  private let node = USBNode(bus: 1, address: 5, identity: Sample.usb)

  init() throws {
    tree = try USBTree()
    try tree.makeNode("001/005")
  }

  private func list() throws -> [String] { try entries("\(tree.folder.path)/nodes/001/005") }

  @Test func aGrantGivesOneUserReadAndWrite() throws {
    try tree.access.grant(node, to: 993)
    #expect(try list() == ["user::rw-", "user:993:rw-", "group::rw-", "mask::rw-", "other::r--"])
  }

  @Test func aGrantTwiceIsOneEntry() throws {
    try tree.access.grant(node, to: 993)
    try tree.access.grant(node, to: 993)
    #expect(try list().filter { $0.hasPrefix("user:993") } == ["user:993:rw-"])
  }

  @Test func aRevokeLeavesWhatWasThereBefore() throws {
    for mode in [0o664, 0o600, 0o640] as [mode_t] {
      try tree.folder.setMode("nodes/001/005", mode)
      let before = try list()
      try tree.access.grant(node, to: 993)
      #expect(try list() != before)
      try tree.access.revoke(node, from: 993)
      #expect(try list() == before)
      #expect(tree.folder.mode("nodes/001/005") & 0o777 == mode)
    }
  }

  @Test func entriesOfOthersStay() throws {
    try tree.folder.setMode("nodes/001/005", 0o600)
    try tree.access.grant(node, to: 1000)
    try tree.access.grant(node, to: 993)
    try tree.access.revoke(node, from: 993)
    #expect(try list() == ["user::rw-", "user:1000:rw-", "group::---", "mask::rw-", "other::---"])
  }

  @Test func whatWasNeverGivenIsNotTaken() throws {
    let before = try list()
    try tree.access.revoke(node, from: 993)
    #expect(try list() == before)
  }

  @Test func aDeviceThatIsGoneNeedsNoRevoke() throws {
    try tree.access.revoke(USBNode(bus: 1, address: 6, identity: Sample.usb), from: 993)
    #expect(throws: SystemError("lstat", code: ENOENT)) {
      try tree.access.grant(USBNode(bus: 1, address: 6, identity: Sample.usb), to: 993)
    }
  }

  @Test func onlyNodesAreChanged() throws {
    try tree.folder.write("secret", "")
    try tree.folder.link("nodes/001/007", to: "\(tree.folder.path)/secret")
    let linked = USBNode(bus: 1, address: 7, identity: Sample.usb)
    #expect(throws: SystemError("lstat", code: ENODEV)) { try tree.access.grant(linked, to: 993) }
    #expect(try entries("\(tree.folder.path)/secret") == ["user::rw-", "group::---", "other::---"])
    let strict = ReaderAccess(
      sysfs: "/sys", nodes: "\(tree.folder.path)/nodes", nodeType: S_IFCHR, readerLists: [])
    #expect(throws: SystemError("lstat", code: ENODEV)) { try strict.grant(node, to: 993) }
  }

  /// The list as getfacl, another program, sees it; what the mask takes away is not hidden.
  private func entries(_ path: String) throws -> [String] {
    let output = try run("/usr/bin/getfacl", ["-c", "-n", "-p", "-E", path])
    return output.split(separator: "\n").map(String.init)
  }
}
