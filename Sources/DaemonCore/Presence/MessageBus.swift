// SPDX-License-Identifier: Apache-2.0

internal import CGLib
internal import CSystem

/// What came of a call.
enum BusReply {
  /// The answer's values.
  case values(Variant)
  /// The other side answered with an error of this name.
  case refused(String)
  /// There was no answer in time, or there is no bus.
  case failed
}

/// The connection to the bus: made at the first call, kept, made anew when it broke.
///
/// The bus's address is the given one, never one from the environment. GLib's own way
/// to a bus would load proxy modules and could wait; here a socket is connected that
/// either stands at once or not at all, and greeting the bus runs on a thread of GLib's.
@safe final class MessageBus {
  /// How long a call may take, in milliseconds; less than whoever asks waits, so that a
  /// bus that hangs is given up before the next one asks.
  static let callLimit = 200

  private let path: String
  private var connection: OpaquePointer?
  private var socket: UnsafeMutablePointer<GSocket>?
  private var greeting: Greeting?
  private var waiting: [(Bool) -> Void] = []
  private var patience: Timer?
  private var subscriptions: [Subscription] = []

  /// A bus that listens at `path`.
  init(path: String) { self.path = path }

  deinit { forget() }

  /// Calls a method and answers on the main loop, once, never before this returns.
  func call(
    _ method: String, of interface: String, at object: String, owner: String, arguments: [Argument] = [],
    answer: @escaping (BusReply) -> Void
  ) {
    whenConnected { [weak self] stands in
      guard stands, let self, let parameters = Variant.arguments(arguments),
        let connection = unsafe self.connection
      else { return answer(.failed) }
      let call = unsafe Unmanaged.passRetained(BusCall(answer)).toOpaque()
      unsafe parameters.lend { parameters in
        // SAFETY: texts are copied, the call takes its own reference to the parameters; `call` is
        // taken back by the callback, which GLib makes exactly once.
        unsafe g_dbus_connection_call(
          connection, owner, object, interface, method, parameters, nil, G_DBUS_CALL_FLAGS_NO_AUTO_START,
          gint(MessageBus.callLimit), nil, { BusCall.finish($0, $1, $2) }, call)
      }
    }
  }

  /// Calls back at every such signal as long as a connection stands; starts one.
  func subscribe(
    _ signal: String, of interface: String, at object: String, owner: String,
    heard: @escaping (Variant) -> Void
  ) {
    let subscription = Subscription(
      owner: owner, interface: interface, signal: signal, object: object, heard: heard)
    subscriptions.append(subscription)
    whenConnected { [weak self] stands in
      if stands, let connection = unsafe self?.connection { unsafe subscription.begin(on: connection) }
    }
  }

  // MARK: - The connection

  /// Calls back when the connection stands, or with `false` when there is none to be had.
  private func whenConnected(_ done: @escaping (Bool) -> Void) {
    // SAFETY: the connection is ours.
    if let connection = unsafe connection, unsafe g_dbus_connection_is_closed(connection) == 0 {
      return done(true)
    }
    waiting.append(done)
    if waiting.count > 1 { return }
    forget()
    patience = Timer(milliseconds: MessageBus.callLimit) { [weak self] in self?.settle() }
    if !greet() { patience = Timer(milliseconds: 0) { [weak self] in self?.settle() } }
  }

  /// Connects the socket and starts to greet the bus.
  private func greet() -> Bool {
    // SAFETY: the path is passed as a NUL-terminated copy; the socket takes the descriptor over when it is made.
    let raw = unsafe csystem_connect_stream(path)
    guard raw >= 0 else { return false }
    guard let socket = unsafe g_socket_new_from_fd(raw, nil) else {
      _ = close(raw)
      return false
    }
    unsafe self.socket = socket
    // SAFETY: new, and released below; the connection holds what it needs.
    guard let stream = unsafe g_socket_connection_factory_create_connection(socket) else { return false }
    let flags = GDBusConnectionFlags(
      rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    let greeting = unsafe Greeting { [weak self] in unsafe self?.greeted($0) }
    self.greeting = greeting
    let pointer = unsafe Unmanaged.passRetained(greeting).toOpaque()
    unsafe stream.withMemoryRebound(to: GIOStream.self, capacity: 1) { stream in
      // SAFETY: `pointer` is taken back by the callback, which GLib makes exactly once.
      unsafe g_dbus_connection_new(stream, nil, flags, nil, nil, { Greeting.finish($0, $1, $2) }, pointer)
    }
    unsafe g_object_unref(stream)
    return true
  }

  /// SAFETY: takes over a reference to a new connection, `nil` when there is none.
  @unsafe private func greeted(_ connection: OpaquePointer?) {
    greeting = nil
    unsafe self.connection = connection
    if let connection = unsafe connection {
      for subscription in subscriptions { unsafe subscription.begin(on: connection) }
    }
    settle()
  }

  /// Tells all who wait how it went; a greeting that is still under way is given up.
  private func settle() {
    patience = nil
    let stands = unsafe connection != nil
    if !stands { forget() }
    let told = waiting
    waiting = []
    for done in told { done(stands) }
  }

  /// Lets go of everything. Closing the socket also ends the thread that greets.
  private func forget() {
    greeting?.abandon()
    greeting = nil
    for subscription in subscriptions { subscription.end() }
    if let socket = unsafe socket {
      // SAFETY: ours; shutting it down lets whoever reads from it return.
      _ = unsafe g_socket_shutdown(socket, 1, 1, nil)
      unsafe g_object_unref(socket)
    }
    unsafe socket = nil
    if let connection = unsafe connection { unsafe g_object_unref(UnsafeMutableRawPointer(connection)) }
    unsafe connection = nil
  }
}
