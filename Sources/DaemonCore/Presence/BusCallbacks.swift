// SPDX-License-Identifier: Apache-2.0

internal import CGLib

/// One call under way.
final class BusCall {
  private let answer: (BusReply) -> Void

  init(_ answer: @escaping (BusReply) -> Void) { self.answer = answer }

  /// SAFETY: GLib's callback: `source` is the connection, `pointer` the retained call, made once.
  @safe static func finish(
    _ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ pointer: gpointer?
  ) {
    guard let pointer = unsafe pointer else { return }
    let call = unsafe Unmanaged<BusCall>.fromOpaque(pointer).takeRetainedValue()
    var error: UnsafeMutablePointer<GError>?
    let values = unsafe g_dbus_connection_call_finish(source.map { OpaquePointer($0) }, result, &error)
    if let values = unsafe values { return call.answer(.values(unsafe Variant(owned: values))) }
    // SAFETY: the name is a new text, the error ours; both are freed here.
    let name = unsafe g_dbus_error_get_remote_error(error)
    defer { unsafe g_error_free(error) }
    guard let name = unsafe name else { return call.answer(.failed) }
    defer { unsafe g_free(name) }
    call.answer(.refused(unsafe String(cString: name)))
  }
}

/// One greeting of the bus under way.
@safe final class Greeting {
  private var answer: ((OpaquePointer?) -> Void)?

  /// `answer` takes over the reference to the connection.
  init(_ answer: @escaping (OpaquePointer?) -> Void) { unsafe self.answer = answer }

  /// Nobody wants the connection any more.
  func abandon() { unsafe answer = nil }

  /// SAFETY: as above; the connection is a new reference, given on or given back.
  @safe static func finish(
    _ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ pointer: gpointer?
  ) {
    guard let pointer = unsafe pointer else { return }
    let greeting = unsafe Unmanaged<Greeting>.fromOpaque(pointer).takeRetainedValue()
    let connection = unsafe g_dbus_connection_new_finish(result, nil)
    if let answer = unsafe greeting.answer { return unsafe answer(connection) }
    if let connection = unsafe connection { unsafe g_object_unref(UnsafeMutableRawPointer(connection)) }
  }
}

/// One kind of signal that somebody wants to hear of.
@safe final class Subscription {
  private let owner: String
  private let interface: String
  private let signal: String
  private let object: String
  private let heard: (Variant) -> Void
  private var connection: OpaquePointer?
  private var number: guint = 0

  init(
    owner: String, interface: String, signal: String, object: String, heard: @escaping (Variant) -> Void
  ) {
    self.owner = owner
    self.interface = interface
    self.signal = signal
    self.object = object
    self.heard = heard
  }

  deinit { end() }

  /// Begins to listen. SAFETY: the connection must stay until ``end()``.
  @unsafe func begin(on connection: OpaquePointer) {
    if number != 0 { return }
    unsafe self.connection = connection
    // SAFETY: `end` takes the callback away before self goes; texts are copied.
    number = unsafe g_dbus_connection_signal_subscribe(
      connection, owner, interface, signal, object, nil, G_DBUS_SIGNAL_FLAGS_NONE,
      { _, _, _, _, _, values, pointer in unsafe Subscription.from(pointer)?.hear(values) },
      Unmanaged.passUnretained(self).toOpaque(), nil)
  }

  /// Listens no more.
  func end() {
    // SAFETY: the connection is still there, as `begin` demands.
    if number != 0 { unsafe g_dbus_connection_signal_unsubscribe(connection, number) }
    number = 0
    unsafe connection = nil
  }

  /// SAFETY: the values are lent for the call; the reference is our own.
  @unsafe private func hear(_ values: OpaquePointer?) {
    if number != 0, let values = unsafe values { heard(unsafe Variant(owned: g_variant_ref(values))) }
  }

  /// SAFETY: see `begin`.
  @safe private static func from(_ pointer: gpointer?) -> Subscription? {
    unsafe pointer.map { unsafe Unmanaged<Subscription>.fromOpaque($0).takeUnretainedValue() }
  }
}
