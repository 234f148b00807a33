// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import CSystem

/// The prints of one claim, and the index each has for the daemon.
///
/// The C array owns the prints.
@safe struct Gallery: ~Copyable {
  private let prints: UnsafeMutablePointer<GPtrArray>
  private var indexes: [UInt8] = []

  init() {
    // SAFETY: elements are GObjects, given back with the array.
    unsafe prints = g_ptr_array_new_with_free_func(g_object_unref)
  }

  deinit {
    // SAFETY: the one reference to the array.
    unsafe g_ptr_array_unref(prints)
  }

  /// Takes a serialised print. `false`, and nothing kept, for what is no print or was
  /// made on a reader of another kind: verify and identify of libfprint 1.94.5
  /// compare neither driver nor device id, so this is the check.
  mutating func add(_ template: borrowing [UInt8], index: UInt8, for device: borrowing Reference<DeviceKind>)
    -> Bool
  {
    guard let print = Gallery.print(from: template) else { return false }
    let fits = unsafe print.withPointer { print in
      // SAFETY: two live objects, only read.
      unsafe device.withPointer { unsafe fp_print_compatible(print, $0) != 0 }
    }
    guard fits else { return false }
    unsafe print.withPointer { pointer in
      // SAFETY: the array gets a reference of its own.
      unsafe g_ptr_array_add(prints, g_object_ref(UnsafeMutableRawPointer(pointer)))
    }
    indexes.append(index)
    return true
  }

  static func print(from template: borrowing [UInt8]) -> Reference<PrintKind>? {
    // libfprint 1.94.5 aborts the process over three bytes or fewer.
    guard template.count > 3 else { return nil }
    var problem = ErrorPlace()
    return unsafe template.span.withUnsafeBufferPointer { bytes in
      // SAFETY: libfprint copies the bytes; the print it answers is the caller's (transfer full).
      unsafe problem.fill {
        unsafe Reference<PrintKind>(adopting: fp_print_deserialize(bytes.baseAddress, gsize(bytes.count), $0))
      }
    }
  }

  /// Lends the whole array to one call.
  borrowing func withAll<Result>(_ body: (UnsafeMutablePointer<GPtrArray>) -> Result) -> Result {
    unsafe body(prints)
  }

  /// Lends the print with this index, `nil` when there is none.
  borrowing func withPrint<Result>(_ index: UInt8, _ body: (OpaquePointer) -> Result) -> Result? {
    guard let place = indexes.firstIndex(of: index) else { return nil }
    // SAFETY: the array has one element an index, and holds it while it is lent.
    guard let print = unsafe prints.pointee.pdata[place] else { return nil }
    return unsafe body(OpaquePointer(print))
  }

  /// The index of a print that is the same print, `nil` when none is.
  @safe borrowing func index(equalTo print: OpaquePointer) -> UInt8? {
    for place in indexes.indices {
      // SAFETY: as above; both are live prints and only read.
      guard let own = unsafe prints.pointee.pdata[place] else { continue }
      if unsafe fp_print_equal(OpaquePointer(own), print) != 0 { return indexes[place] }
    }
    return nil
  }

  /// The index of exactly this print, `nil` for any other.
  @safe borrowing func index(of print: OpaquePointer) -> UInt8? {
    for place in indexes.indices {
      // SAFETY: as above; pointers are compared, nothing is read of them.
      if unsafe prints.pointee.pdata[place] == UnsafeMutableRawPointer(print) { return indexes[place] }
    }
    return nil
  }
}
