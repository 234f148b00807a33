// SPDX-License-Identifier: Apache-2.0

internal import CGLib

/// Sole owner of one reference to a value of D-Bus. Asking for another type than it has
/// answers `nil`.
@safe final class Variant {
  fileprivate let value: OpaquePointer

  /// Takes over a reference that the caller owns (transfer full).
  @unsafe init(owned value: OpaquePointer) { unsafe self.value = value }

  deinit { unsafe g_variant_unref(value) }

  /// Several values in one, as a call's arguments are.
  static func arguments(_ parts: [Argument]) -> Variant? {
    var values: [OpaquePointer?] = unsafe parts.map { unsafe $0.floating }
    // SAFETY: the call takes the parts' floating references; the result's is taken here.
    let tuple = unsafe g_variant_new_tuple(&values, gsize(values.count))
    return unsafe tuple.map { unsafe Variant(owned: g_variant_ref_sink($0)) }
  }

  /// Lends the value for a call that takes a reference of its own.
  @unsafe func lend<Result>(_ body: (OpaquePointer) -> Result) -> Result { unsafe body(value) }

  var text: String? {
    guard isKind(G_VARIANT_CLASS_STRING) || isKind(G_VARIANT_CLASS_OBJECT_PATH) else { return nil }
    // SAFETY: a value of these types has a NUL-terminated text that lives as long as it does.
    return unsafe g_variant_get_string(value, nil).map { unsafe String(cString: $0) }
  }

  var flag: Bool? {
    // SAFETY: the type was looked at.
    isKind(G_VARIANT_CLASS_BOOLEAN) ? unsafe g_variant_get_boolean(value) != 0 : nil
  }

  var number: UInt32? {
    // SAFETY: the type was looked at.
    isKind(G_VARIANT_CLASS_UINT32) ? unsafe g_variant_get_uint32(value) : nil
  }

  /// The parts of a tuple or an array; none for anything else.
  var parts: [Variant] {
    // SAFETY: the index is below the count; the child's reference is ours (transfer full).
    guard unsafe g_variant_is_container(value) != 0 else { return [] }
    return unsafe (0..<g_variant_n_children(value)).compactMap { index in
      unsafe g_variant_get_child_value(value, index).map { unsafe Variant(owned: $0) }
    }
  }

  /// The part at `index`; `nil` when there is none.
  subscript(index: Int) -> Variant? {
    let parts = parts
    return parts.indices.contains(index) ? parts[index] : nil
  }

  /// The value of a dictionary `a{sv}`, by key.
  var properties: [String: Variant] {
    var found: [String: Variant] = [:]
    for entry in parts {
      if let key = entry[0]?.text, let value = entry[1]?[0] { found[key] = value }
    }
    return found
  }

  private func isKind(_ kind: GVariantClass) -> Bool { unsafe g_variant_classify(value) == kind }
}

/// One argument of a call.
enum Argument {
  case text(String)
  case number(UInt32)

  /// SAFETY: a new value with a floating reference, for somebody to take.
  @unsafe fileprivate var floating: OpaquePointer? {
    switch self {
    case .text(let text): unsafe g_variant_new_string(text)
    case .number(let number): unsafe g_variant_new_uint32(number)
    }
  }
}
