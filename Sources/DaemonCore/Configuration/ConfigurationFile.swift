// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc
internal import System

/// Reads a configuration file under strict rules.
///
/// No link, a regular file of root's (or this process's own user), not writable
/// by group or others, at most 64 KiB, UTF-8 without a NUL.
enum ConfigurationFile {
  static let maximumBytes = 65_536

  enum Outcome: Equatable {
    case missing
    case refused(String)
    case text(String)
  }

  static func read(_ path: String) -> Outcome {
    let file: OwnedDescriptor
    do throws(SystemError) {
      // SAFETY: the path is passed as a NUL-terminated copy. O_NONBLOCK: a pipe is refused, not waited for.
      let raw = unsafe csystem_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
      file = try OwnedDescriptor(adopting: raw, from: "open")
    } catch {
      switch error.code {
      case ENOENT: return .missing
      case ELOOP: return .refused("must not be a link")
      default: return .refused(error.description)
      }
    }
    if let reason = objection(to: file.number) { return .refused(reason) }
    guard let bytes = FileBytes.read(file.number, limit: maximumBytes) else {
      return .refused("cannot be read, or is longer than \(maximumBytes) bytes")
    }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      return .refused("is not a text in UTF-8")
    }
    return .text(text)
  }

  private static func objection(to number: CInt) -> String? {
    var status = stat()
    // SAFETY: the structure is ours.
    guard unsafe fstat(number, &status) == 0 else { return SystemError("fstat").description }
    guard status.st_mode & S_IFMT == S_IFREG else { return "must be a regular file" }
    guard status.st_uid == 0 || status.st_uid == geteuid() else { return "must belong to root" }
    guard status.st_mode & 0o022 == 0 else { return "must not be writable by group or others" }
    return nil
  }
}
