// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import System
public import ThumbturnProtocol

/// A person who can sign in, as the name service knows them.
public struct Account: Equatable, Sendable {
  /// The login name, spelled as the name service spells it.
  public let name: Text
  /// The user's number.
  public let uid: UInt32
  /// The number of the user's main group.
  public let group: UInt32

  /// The home folder's path; empty when it is not known or does not fit.
  public let home: Text

  /// Describes an account that is known already.
  public init(name: Text, uid: UInt32, group: UInt32, home: Text = Text()) {
    self.home = home
    self.name = name
    self.uid = uid
    self.group = group
  }

  /// Looks an account up by name (`getpwnam_r`); `nil` when there is none or the
  /// name service fails.
  public init?(named name: Text) {
    let bytes = (0..<name.count).map { CChar(bitPattern: name[$0]) } + [0]
    let found = unsafe Account.lookUp { entry, buffer, room, result in
      // SAFETY: the array ends with a NUL and lives through the call; the rest is the caller's.
      unsafe getpwnam_r(bytes, entry, buffer, room, result)
    }
    guard !name.isEmpty, let found else { return nil }
    self = found
  }

  /// Looks an account up by number (`getpwuid_r`); `nil` as above.
  public init?(uid: UInt32) {
    let found = unsafe Account.lookUp { entry, buffer, room, result in
      // SAFETY: all memory is the caller's.
      unsafe getpwuid_r(uid, entry, buffer, room, result)
    }
    guard let found else { return nil }
    self = found
  }

  /// Gives the call more room until it has enough, 1 MiB at the most.
  private static func lookUp(
    _ call: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt
  ) -> Account? {
    var room = 1024
    while room <= 1 << 20 {
      var entry = unsafe passwd()
      var result: UnsafeMutablePointer<passwd>?
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: room)
      // SAFETY: the strings that `entry` points to lie in the buffer, which outlives their use here.
      defer { unsafe buffer.deallocate() }
      let failure = unsafe call(&entry, buffer, room, &result)
      if failure == 0 {
        guard unsafe result != nil else { return nil }
        return unsafe Account(entry)
      }
      if failure == ERANGE { room *= 2 } else if failure != EINTR { return nil }
    }
    return nil
  }

  private init?(_ entry: passwd) {
    // SAFETY: the name service's strings end with a NUL.
    guard let name = unsafe Text(entry.pw_name) else { return nil }
    let home = unsafe Text(entry.pw_dir) ?? Text()
    self.init(name: name, uid: unsafe entry.pw_uid, group: unsafe entry.pw_gid, home: home)
  }
}

extension Text {
  /// Copies a C string; `nil` for NULL and for one that does not fit.
  fileprivate init?(_ start: UnsafePointer<CChar>?) {
    guard let start = unsafe start else { return nil }
    self.init()
    // SAFETY: the string ends with a NUL; nothing behind that is read.
    for index in 0..<(unsafe strlen(start)) {
      guard append(UInt8(bitPattern: unsafe start[index])) else { return nil }
    }
  }
}
