// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System

/// The real uid of a process, which is who started a setuid program; `nil` when it is gone.
/// The number may be another process's by now.
func realUser(of process: Int32) -> UInt32? {
  // SAFETY: the path is passed as a NUL-terminated copy.
  let raw = unsafe csystem_open("/proc/\(process)/status", O_RDONLY, 0)
  guard let file = try? OwnedDescriptor(adopting: raw, from: "open"),
    let bytes = FileBytes.read(file.number, limit: 16_384)
  else { return nil }
  return realUser(inStatus: String(decoding: bytes, as: UTF8.self))
}

/// The first number of the line `Uid:` (proc(5)); `nil` when there is none.
func realUser(inStatus status: String) -> UInt32? {
  for line in status.split(separator: "\n") where line.hasPrefix("Uid:") {
    let numbers = line.dropFirst(4).split { $0 == "\t" || $0 == " " }
    return numbers.first.flatMap { UInt32($0) }
  }
  return nil
}
