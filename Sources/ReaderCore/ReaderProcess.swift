// SPDX-License-Identifier: Apache-2.0

internal import CFprint
internal import CSystem
internal import ReaderProtocol
internal import System
internal import ThumbturnProtocol

/// Ties channel, machine and reader together on one thread.
///
/// Events are taken strictly one after another: what libfprint tells during a call waits
/// until that call has returned.
final class ReaderProcess {
  /// Seconds that closing may take before the kernel ends the process.
  private static let patience: UInt32 = 5

  private var machine: ReaderMachine
  private let channel: PacketSocket
  private var buffer = Secret(capacity: ReaderWire.maximumPacket)
  private var readers = AttachedReaders()
  private var reader: FingerprintReader?
  private var loop: MainLoop?
  private var events: [ReaderEvent] = []
  private var handling = false

  init(channel: consuming PacketSocket, settle: Int) {
    self.channel = channel
    machine = ReaderMachine(settle: settle)
  }

  /// Serves the channel until the claim has ended.
  func run() {
    // SAFETY: `self` lives until the loop has ended.
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    loop = unsafe MainLoop(receiver: me)
    unsafe loop?.watch(channel.number) { _, _, data in ReaderProcess.from(data)?.readChannel() ?? 0 }
    if !machine.hasEnded { loop?.run() }
  }

  @safe private static func from(_ pointer: gpointer?) -> ReaderProcess? {
    // SAFETY: every source is given the pointer made in `run`.
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<ReaderProcess>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Takes an event, and all that follows from it.
  private func feed(_ event: ReaderEvent) {
    events.append(event)
    if handling { return }
    handling = true
    while !events.isEmpty {
      for action in machine.handle(events.removeFirst()) { perform(action) }
    }
    handling = false
  }

  private func perform(_ action: ReaderAction) {
    switch action {
    case .report(let report): send(report)
    case .list: list()
    case .open(let driver, let device): open(driver, device)
    case .keep(let index, let bytes): reader?.keep(bytes, index: index)
    case .arm(let only): reader?.arm(only: only)
    case .enroll(let finger, let user): reader?.enroll(finger, user: user)
    case .erase(let index): reader?.erase(index)
    case .drop(let template): reader?.drop(template)
    case .listStored: reader?.listStored()
    case .clearStored: reader?.clearStored()
    case .cancel: reader?.cancel()
    case .wait(let milliseconds):
      unsafe loop?.after(milliseconds: milliseconds) { data in ReaderProcess.from(data)?.timerElapsed() ?? 0 }
    case .stopWaiting: loop?.stopTimer()
    // A driver that hangs inside a call blocks the loop, so the kernel's own timer is the limit.
    case .hurry: _ = alarm(ReaderProcess.patience)
    case .close: reader?.close()
    case .end: loop?.quit()
    }
  }

  private func timerElapsed() -> gboolean {
    loop?.timerCalled()
    feed(.elapsed)
    return 0
  }
}

/// The channel.
extension ReaderProcess {
  private func send(_ report: ReaderReport) {
    var packet = report.packet
    // It may hold a template.
    defer { wipe(&packet) }
    do throws(SystemError) {
      try channel.send(packet.span)
    } catch {
      feed(.hungUp)
    }
  }

  /// Takes what has arrived. Answers whether to go on watching.
  private func readChannel() -> gboolean {
    while !machine.hasEnded {
      do throws(SystemError) {
        switch try channel.receive(into: &buffer) {
        case .packet(let count): takePacket(count)
        case .nothing: return 1
        case .ended:
          feed(.hungUp)
          return 0
        }
      } catch {
        feed(error.code == EMSGSIZE ? .nonsense : .hungUp)
        return 0
      }
    }
    return 0
  }

  private func takePacket(_ count: Int) {
    let command = buffer.withBytes { bytes in try? ReaderCommand(packet: bytes.extracting(0..<count)) }
    unsafe buffer.fill { unsafe wipe($0, count) }
    guard let command else { return feed(.nonsense) }
    feed(.command(command))
    // libfprint has a copy of its own by now.
    if case .template(_, var bytes) = consume command { wipe(&bytes) }
  }
}

/// Finding the reader.
extension ReaderProcess {
  private func list() {
    // SAFETY: a literal, which the call copies.
    unsafe csystem_name("thumbturn-read")
    readers.forEach { send(.found(ReaderDescription($0))) }
    send(.listed)
  }

  private func open(_ driver: Text, _ device: Text) {
    var any = false
    readers.forEach { candidate in
      any = true
      let description = ReaderDescription(candidate)
      guard reader == nil, description.driver == driver, description.device == device else { return }
      reader = FingerprintReader(sharing: candidate) { [unowned self] in feed($0) }
    }
    if let reader { return reader.open() }
    feed(.openFailed(.fatal(any ? .unknownReader : .noReader), open: false))
  }
}
