// SPDX-License-Identifier: Apache-2.0

internal import CGLib

/// Sole owner of one `GKeyFile`.
@safe struct KeyFile: ~Copyable {
  private let raw: OpaquePointer

  /// Parses a text; `nil` when GLib finds it is no key file.
  init?(_ text: String) {
    guard let file = unsafe KeyFile.parse(text) else { return nil }
    unsafe raw = file
  }

  private static func parse(_ text: String) -> OpaquePointer? {
    guard let file = unsafe g_key_file_new() else { return nil }
    // SAFETY: the text's bytes live through the call, which copies them.
    let parsed = unsafe text.withCString { bytes in
      unsafe g_key_file_load_from_data(file, bytes, gsize(text.utf8.count), G_KEY_FILE_NONE, nil)
    }
    if parsed != 0 { return unsafe file }
    // SAFETY: the one reference, from g_key_file_new (transfer full).
    unsafe g_key_file_unref(file)
    return nil
  }

  deinit {
    // SAFETY: the one reference that this value owns.
    unsafe g_key_file_unref(raw)
  }

  /// The value of a key as it stands in the file; `nil` when there is none.
  func value(group: String, key: String) -> String? {
    // SAFETY: the strings live through the call; the answer is ours to free (transfer full).
    guard let value = unsafe g_key_file_get_value(raw, group, key, nil) else { return nil }
    defer { unsafe g_free(value) }
    return unsafe String(cString: value)
  }
}
