// SPDX-License-Identifier: Apache-2.0

internal import CFprint

/// Names one GObject class and the pointer type that Swift imports for it. An
/// uninhabited tag, so a reader cannot be passed where a print is wanted.
protocol ObjectKind { associatedtype Pointer }

enum ContextKind: @unsafe ObjectKind { typealias Pointer = UnsafeMutablePointer<FpContext> }
enum DeviceKind: @unsafe ObjectKind { typealias Pointer = UnsafeMutablePointer<FpDevice> }
enum PrintKind: @unsafe ObjectKind { typealias Pointer = OpaquePointer }
enum CancellableKind: @unsafe ObjectKind { typealias Pointer = UnsafeMutablePointer<GCancellable> }

/// One strong reference to a GObject, given back exactly once.
///
/// The three initialisers are GLib's three ways to pass an object, so each call
/// site says which one its C function is documented with.
@safe struct Reference<Kind: ObjectKind>: ~Copyable {
  private let raw: UnsafeMutableRawPointer

  /// Takes over a `(transfer full)` pointer. `nil` for NULL.
  init?(adopting pointer: Kind.Pointer?) {
    guard let pointer else { return nil }
    // SAFETY: every pointer type of a kind is one plain pointer.
    unsafe raw = unsafeBitCast(pointer, to: UnsafeMutableRawPointer.self)
  }

  /// Adds a reference to a `(transfer none)` pointer. `nil` for NULL.
  init?(retaining pointer: Kind.Pointer?) {
    self.init(adopting: pointer)
    // SAFETY: a non-NULL pointer of this kind is a live GObject.
    _ = unsafe g_object_ref(raw)
  }

  /// Takes over a floating reference, as a fresh `FpPrint` is. `nil` for NULL.
  init?(sinking pointer: Kind.Pointer?) {
    self.init(adopting: pointer)
    // SAFETY: as above, and the class is derived from GInitiallyUnowned.
    _ = unsafe g_object_ref_sink(raw)
  }

  deinit {
    // SAFETY: `raw` holds the one reference this value owns.
    unsafe g_object_unref(raw)
  }

  /// A second reference to the same object.
  borrowing func another() -> Reference? {
    // SAFETY: the object is alive while this reference is; g_object_ref answers its argument.
    Reference(adopting: unsafe unsafeBitCast(g_object_ref(raw), to: Kind.Pointer.self))
  }

  /// Lends the pointer for the length of one C call.
  borrowing func withPointer<Result: ~Copyable>(_ body: (Kind.Pointer) -> Result) -> Result {
    // SAFETY: `raw` was a `Kind.Pointer` in the initialiser.
    body(unsafe unsafeBitCast(raw, to: Kind.Pointer.self))
  }
}

/// A place for one GError, freed with it.
@safe struct ErrorPlace: ~Copyable {
  private var error: UnsafeMutablePointer<GError>?

  init() { unsafe error = nil }

  deinit {
    // SAFETY: GLib's finish functions pass the error's ownership.
    if let error = unsafe error { unsafe g_error_free(error) }
  }

  /// Lends the place to one C call.
  mutating func fill<Result: ~Copyable>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
  ) -> Result {
    // SAFETY: the place lives through the call.
    unsafe body(&error)
  }

  /// What the error means, `nil` when there is none.
  var failure: DeviceFailure? {
    // SAFETY: NULL or a live GError.
    unsafe DeviceFailure(error)
  }
}
