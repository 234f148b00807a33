// SPDX-License-Identifier: Apache-2.0

internal import CACL
internal import CSystem
internal import System

/// Sole owner of one file's access control list in memory (`acl_t`).
@safe struct AccessList: ~Copyable {
  private var raw: acl_t?

  /// Reads a file's list (`acl_get_file`).
  init(_ path: String) throws(SystemError) {
    // SAFETY: the path is passed as a NUL-terminated copy; the answer is ours to free.
    guard let list = unsafe acl_get_file(path, acl_type_t(ACL_TYPE_ACCESS)) else {
      throw SystemError("acl_get_file")
    }
    unsafe raw = list
  }

  deinit {
    // SAFETY: the list that this value owns.
    _ = unsafe acl_free(UnsafeMutableRawPointer(raw))
  }

  /// Lets a user read and write, whatever else they may do.
  mutating func allow(_ uid: UInt32) throws(SystemError) {
    var entry = unsafe try find(uid)
    if unsafe entry == nil {
      var user = uid
      // SAFETY: the call puts the new entry in its place; the entry lives in the list. The
      // qualifier is copied.
      try check("acl_create_entry") { unsafe acl_create_entry(&raw, &entry) }
      try check("acl_set_tag_type") { unsafe acl_set_tag_type(entry, ACL_USER) }
      try check("acl_set_qualifier") { unsafe acl_set_qualifier(entry, &user) }
    }
    var permissions: acl_permset_t?
    // SAFETY: the set is part of the entry.
    try check("acl_get_permset") { unsafe acl_get_permset(entry, &permissions) }
    for permission in [ACL_READ, ACL_WRITE] {
      try check("acl_add_perm") { unsafe acl_add_perm(permissions, acl_perm_t(permission)) }
    }
    try setMask()
  }

  /// Removes a user's entry; `false` when there is none. When no other user or group
  /// has one, the mask goes too, and the list is as it was before the first.
  mutating func remove(_ uid: UInt32) throws(SystemError) -> Bool {
    guard let entry = unsafe try find(uid) else { return false }
    // SAFETY: the entry is this list's and not used again.
    try check("acl_delete_entry") { unsafe acl_delete_entry(raw, entry) }
    if unsafe try first(where: { tag, _ in tag == ACL_USER || tag == ACL_GROUP }) != nil {
      try setMask()
    } else if let mask = unsafe try first(where: { tag, _ in tag == ACL_MASK }) {
      try check("acl_delete_entry") { unsafe acl_delete_entry(raw, mask) }
    }
    return true
  }

  /// Whether the list has an entry for this user.
  func names(_ uid: UInt32) throws(SystemError) -> Bool { unsafe try find(uid) != nil }

  /// Gives the list to a file (`acl_set_file`).
  func apply(_ path: String) throws(SystemError) {
    // SAFETY: the path is passed as a NUL-terminated copy; the list is only read.
    try check("acl_set_file") { unsafe acl_set_file(path, acl_type_t(ACL_TYPE_ACCESS), raw) }
  }

  /// Sets the mask to what users and groups have together, so that it hides nothing.
  private mutating func setMask() throws(SystemError) {
    // SAFETY: the call may put another list in the place of this one and frees the old.
    try check("acl_calc_mask") { unsafe acl_calc_mask(&raw) }
  }

  private func find(_ uid: UInt32) throws(SystemError) -> acl_entry_t? {
    unsafe try first { tag, entry in
      guard tag == ACL_USER, let qualifier = unsafe acl_get_qualifier(entry) else { return false }
      // SAFETY: the qualifier of a user's entry is a uid, in a copy that is ours to free.
      defer { _ = unsafe acl_free(qualifier) }
      return unsafe qualifier.load(as: uid_t.self) == uid
    }
  }

  /// The first entry that fits.
  private func first(where fits: (acl_tag_t, acl_entry_t) -> Bool) throws(SystemError) -> acl_entry_t? {
    var position = ACL_FIRST_ENTRY
    while true {
      var entry: acl_entry_t?
      // SAFETY: entries live as long as the list.
      guard try check("acl_get_entry", { unsafe acl_get_entry(raw, position, &entry) }) == 1,
        let entry = unsafe entry
      else { return nil }
      var tag: acl_tag_t = 0
      try check("acl_get_tag_type") { unsafe acl_get_tag_type(entry, &tag) }
      if unsafe fits(tag, entry) { return unsafe entry }
      position = ACL_NEXT_ENTRY
    }
  }
}
