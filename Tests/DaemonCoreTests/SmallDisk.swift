// SPDX-License-Identifier: Apache-2.0

import Glibc
import System
import Testing

@testable import DaemonCore

/// A file system of a few kilobytes in memory, mounted for one test.
final class SmallDisk {
  let folder: TemporaryFolder

  init(kilobytes: Int) throws {
    folder = try TemporaryFolder()
    try mount(0, "size=\(kilobytes)k,mode=0755")
  }

  deinit { _ = unsafe umount2(folder.path, Int32(MNT_DETACH)) }

  func file(_ name: String) -> String { "\(folder.path)/data/users/\(name)" }

  /// Fills the disk to its last page.
  func fill() throws {
    let raw = unsafe open("\(folder.path)/filler", O_WRONLY | O_CREAT, 0o600)
    let filler = try OwnedDescriptor(adopting: raw, from: "open")
    #expect(throws: SystemError("write", code: ENOSPC)) {
      while true { try FileBytes.write([UInt8](repeating: 0, count: 4096), to: filler.number) }
    }
  }

  func empty() throws {
    try check("unlink") { unsafe unlink("\(folder.path)/filler") }
  }

  func remount(readOnly: Bool) throws {
    try mount(UInt(MS_REMOUNT | (readOnly ? MS_RDONLY : 0)), "")
  }

  private func mount(_ flags: UInt, _ options: String) throws {
    try check("mount") { unsafe Glibc.mount("tmpfs", folder.path, "tmpfs", flags, options) }
  }
}
