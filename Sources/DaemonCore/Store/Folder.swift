// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System

/// An open folder that only root, or the daemon's own user, can write in.
///
/// Everything below is reached from its descriptor and no link is followed, so
/// what was checked is what is used.
struct Folder: ~Copyable {
  private let descriptor: OwnedDescriptor
  /// The path for messages.
  let path: String

  /// Opens the folder at `path`, making it (0755) when it is missing.
  init(path: String) throws(StoreError) {
    var trimmed = path
    // With a slash at the end the kernel follows a link in spite of O_NOFOLLOW.
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    try self.init(named: trimmed, in: AT_FDCWD, path: trimmed, create: 0o755)
  }

  /// Opens the folder `name`; makes it with exactly these permissions when it is
  /// missing, and takes away what it grants beyond them.
  func folder(_ name: String, create mode: mode_t) throws(StoreError) -> Folder {
    let folder = try Folder(named: name, in: descriptor.number, path: "\(path)/\(name)", create: mode)
    try folder.setPermissions(mode)
    return folder
  }

  /// Opens the folder `name`; `nil` when there is none.
  func folder(_ name: String) throws(StoreError) -> Folder? {
    do throws(StoreError) {
      return try Folder(named: name, in: descriptor.number, path: "\(path)/\(name)", create: nil)
    } catch {
      if case .failed(let cause, _) = error, cause.code == ENOENT { return nil }
      throw error
    }
  }

  private init(named name: String, in parent: CInt, path: String, create: mode_t?) throws(StoreError) {
    descriptor = try Folder.open(name, in: parent, path: path, create: create)
    self.path = path
  }

  private static func open(
    _ name: String, in parent: CInt, path: String, create: mode_t?
  ) throws(StoreError) -> OwnedDescriptor {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    // SAFETY: all names are passed as NUL-terminated copies that live through the call, here and below.
    var raw = unsafe csystem_openat(parent, name, flags, 0)
    var isNew = false
    if raw < 0, csystem_errno() == ENOENT, let create {
      guard unsafe mkdirat(parent, name, create) == 0 || csystem_errno() == EEXIST else {
        throw StoreError(SystemError("mkdir"), file: path)
      }
      raw = unsafe csystem_openat(parent, name, flags, 0)
      isNew = true
    }
    if raw < 0, [ELOOP, ENOTDIR].contains(csystem_errno()) { throw .unsafeFolder(path: path) }
    let opened: OwnedDescriptor
    do throws(SystemError) {
      opened = try OwnedDescriptor(adopting: raw, from: "open")
    } catch {
      throw StoreError(error, file: path)
    }
    // What mkdir grants depends on the process's umask.
    let number = opened.number
    if isNew, let create { try attempt("fchmod", path) { fchmod(number, create) } }
    guard try isOurs(number, file: path) else { throw .unsafeFolder(path: path) }
    return opened
  }

  private func setPermissions(_ mode: mode_t) throws(StoreError) {
    let number = descriptor.number
    guard try status(of: number, file: path).st_mode & 0o7777 != mode else { return }
    try attempt("fchmod", path) { fchmod(number, mode) }
    try attempt("fsync", path) { fsync(number) }
  }

  /// The names inside, sorted; "." and ".." are left out.
  func names() throws(StoreError) -> [String] {
    do throws(SystemError) {
      return try FolderNames.list(in: descriptor.number)
    } catch {
      throw StoreError(error, file: path)
    }
  }

  /// The bytes of the file `name`; `nil` unless it is a regular file of ours with
  /// at most `limit` bytes that can be read.
  func contents(of name: String, limit: Int) -> [UInt8]? {
    // Without O_NONBLOCK a pipe put here would make the daemon wait.
    let raw = unsafe csystem_openat(descriptor.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    guard let file = try? OwnedDescriptor(adopting: raw, from: "open") else { return nil }
    guard (try? isOurs(file.number, file: name)) == true,
      let status = try? status(of: file.number, file: name), status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return FileBytes.read(file.number, limit: limit)
  }

  /// The file `name`, open for reading, if it is a regular file of ours on which its
  /// owner alone has permissions; `nil` when there is none.
  func privateFile(_ name: String) throws(StoreError) -> OwnedDescriptor? {
    let raw = unsafe csystem_openat(descriptor.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    if raw < 0, csystem_errno() == ENOENT { return nil }
    do throws(SystemError) {
      let file = try OwnedDescriptor(adopting: raw, from: "open")
      guard let status = try? status(of: file.number, file: name), status.st_mode & S_IFMT == S_IFREG,
        status.st_mode & 0o077 == 0, (try? isOurs(file.number, file: name)) == true
      else { throw SystemError("open", code: EPERM) }
      return file
    } catch {
      throw StoreError(error, file: "\(path)/\(name)")
    }
  }

  /// Whether there is anything with this name.
  func has(_ name: String) -> Bool {
    unsafe faccessat(descriptor.number, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// Makes the file `name` with what is written, whole or not at all, and returns when it
  /// is on the disk; `false` when there is one already, which then stays as it is.
  @discardableResult
  func createOnce(
    _ name: String, mode: mode_t, write: (CInt) throws(SystemError) -> Void
  ) throws(StoreError) -> Bool {
    let temporary = Folder.temporaryPrefix + name
    try remove(temporary)
    try create(temporary, mode: mode, write: write)
    // Unlike a rename, a link never takes the place of a file.
    let linked = unsafe linkat(descriptor.number, temporary, descriptor.number, name, 0)
    let failure = SystemError("link")
    try remove(temporary)
    if linked != 0, failure.code == EEXIST { return false }
    guard linked == 0 else { throw StoreError(failure, file: "\(path)/\(name)") }
    try sync()
    return true
  }

  /// Puts a file with these bytes in place of `name`, whole or not at all, and
  /// returns when it is on the disk; with `mayBeLost` before, for what only informs.
  func replace(
    _ name: String, with bytes: [UInt8], mode: mode_t, mayBeLost: Bool = false
  ) throws(StoreError) {
    let temporary = Folder.temporaryPrefix + name
    try remove(temporary)
    do throws(StoreError) {
      try create(temporary, with: bytes, mode: mode, mayBeLost: mayBeLost)
      try attempt("rename", "\(path)/\(name)") {
        unsafe renameat(descriptor.number, temporary, descriptor.number, name)
      }
    } catch {
      _ = try? remove(temporary)
      throw error
    }
    if !mayBeLost { try sync() }
  }

  /// Makes an empty file that stays as it is when it is there; says whether it is new.
  @discardableResult
  func mark(_ name: String, mode: mode_t) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try create(name, with: [], mode: mode)
    } catch {
      if case .failed(let cause, _) = error, cause.code == EEXIST { return false }
      throw error
    }
    try sync()
    return true
  }

  private func create(
    _ name: String, with bytes: [UInt8], mode: mode_t, mayBeLost: Bool = false
  ) throws(StoreError) {
    try create(name, mode: mode, mayBeLost: mayBeLost) { number throws(SystemError) in
      try FileBytes.write(bytes, to: number)
    }
  }

  private func create(
    _ name: String, mode: mode_t, mayBeLost: Bool = false, write: (CInt) throws(SystemError) -> Void
  ) throws(StoreError) {
    let file = "\(path)/\(name)"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    do throws(SystemError) {
      let raw = unsafe csystem_openat(descriptor.number, name, flags, 0o600)
      let output = try OwnedDescriptor(adopting: raw, from: "open")
      try write(output.number)
      let number = output.number
      try check("fchmod") { fchmod(number, mode) }
      if !mayBeLost { try check("fsync") { fsync(number) } }
    } catch {
      throw StoreError(error, file: file)
    }
  }

  /// Removes a file; `false` when there was none.
  @discardableResult
  func remove(_ name: String) throws(StoreError) -> Bool {
    if unsafe unlinkat(descriptor.number, name, 0) == 0 { return true }
    if csystem_errno() == ENOENT { return false }
    throw StoreError(SystemError("unlink"), file: "\(path)/\(name)")
  }

  /// Removes a folder if it is empty.
  func removeFolder(_ name: String) {
    _ = unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR)
  }

  /// Returns when the names in this folder are on the disk.
  func sync() throws(StoreError) {
    let number = descriptor.number
    try attempt("fsync", path) { fsync(number) }
  }

  /// What starts the name of a file that is not complete. No login name's file
  /// starts with a dot.
  static let temporaryPrefix = ".new-"
}

@discardableResult
private func attempt(_ call: StaticString, _ file: String, _ body: () -> CInt) throws(StoreError) -> CInt {
  do throws(SystemError) { return try check(call, body) } catch { throw StoreError(error, file: file) }
}

private func status(of number: CInt, file: String) throws(StoreError) -> stat {
  var status = stat()
  try attempt("fstat", file) { unsafe fstat(number, &status) }
  return status
}

/// Whether only root or this process's user owns it and may write to it.
private func isOurs(_ number: CInt, file: String) throws(StoreError) -> Bool {
  let status = try status(of: number, file: file)
  return (status.st_uid == 0 || status.st_uid == geteuid()) && status.st_mode & 0o022 == 0
}
