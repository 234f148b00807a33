// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System

/// Lists folders.
enum FolderNames {
  /// The names in the folder at `path`, sorted.
  static func list(path: String) throws(SystemError) -> [String] {
    // SAFETY: the path is passed as a NUL-terminated copy.
    let raw = unsafe csystem_open(path, O_RDONLY | O_DIRECTORY, 0)
    let folder = try OwnedDescriptor(adopting: raw, from: "open")
    return try list(in: folder.number)
  }

  /// The names in an open folder, sorted; "." and ".." are left out.
  static func list(in number: CInt) throws(SystemError) -> [String] {
    // Another open file, read from its start; closing the stream closes it.
    // SAFETY: the name is passed as a NUL-terminated copy.
    let again = try check("open") { unsafe csystem_openat(number, ".", O_RDONLY | O_DIRECTORY, 0) }
    guard let stream = unsafe fdopendir(again) else {
      let error = SystemError("fdopendir")
      _ = close(again)
      throw error
    }
    defer { _ = unsafe closedir(stream) }
    var names: [String] = []
    errno = 0
    // SAFETY: the entry is valid until the next call on this stream and its name ends with a NUL.
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) { unsafe String(cString: $0) }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SystemError("readdir") }
    return names.sorted()
  }
}
