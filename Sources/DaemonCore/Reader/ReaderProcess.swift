// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ReaderProtocol
internal import System
internal import ThumbturnProtocol

/// One reader process, from its start to its end. It may start ahead of its claim.
///
/// Whatever it does wrong (garbage, silence, an early end) becomes the one report
/// `failed(readerFailed)`; nothing follows it but the end.
final class ReaderProcess {
  /// Several packets of the largest kind; the kernel's own limit is what bounds it.
  private static let buffer = 4 * ReaderWire.maximumPacket

  private let plan: ReaderPlan
  private var child: ChildProcess
  private let channel: PacketSocket
  private var reported: (ReaderReport) -> Void = { _ in }
  private var ended: () -> Void
  private var channelWatch: ReadWatch?
  private var endWatch: ReadWatch?
  private var deadline: Timer?
  private var outbox: [[UInt8]] = []
  private var outboxWatch: WriteWatch?
  private var finished = false
  /// Whether it crashed, hung or spoke nonsense.
  private(set) var isBroken = false

  /// Starts the program; its end is called back from the main loop.
  init(plan: ReaderPlan, ended: @escaping () -> Void) throws(SystemError) {
    var pair = try DescriptorPair.packets(buffer: ReaderProcess.buffer)
    guard let near = pair.takeNear(), let far = pair.takeFar() else {
      throw SystemError("socketpair", code: EINVAL)
    }
    self.plan = plan
    channel = PacketSocket(near)
    child = try ChildProcess(starting: plan.child(channel: far.number))
    self.ended = ended
    channelWatch = ReadWatch(channel.number) { [weak self] in self?.read() }
    endWatch = ReadWatch(child.watch) { [weak self] in self?.reap() }
  }

  /// Calls back each report and, last, the end from the main loop from now on.
  func serve(reported: @escaping (ReaderReport) -> Void, ended: @escaping () -> Void) {
    self.reported = reported
    self.ended = ended
  }

  /// Whether it can still be spoken to.
  var isUsable: Bool { !finished && child.poll() == .running }

  /// Its number, for the log.
  var process: Int32 { child.process }

  /// Sends a command and, where the answer must be quick, starts the watchdog.
  func send(_ command: ReaderCommand) {
    if finished { return }
    push(command)
    switch command {
    case .list, .open, .verify, .pause, .erase, .listStored, .clearStored: watch()
    case .template, .enroll, .close: break
    }
  }

  /// Lets it close the reader and end; kills it when that takes too long.
  func close() {
    // What has ended by itself takes no command, which is no failure any more.
    finished = true
    push(.close)
    deadline = Timer(milliseconds: plan.closingPatience) { [weak self] in
      self?.isBroken = true
      self?.kill()
    }
  }

  /// Ends it at once.
  func kill() {
    finished = true
    child.signal(SIGKILL)
  }

  // MARK: - Writing

  private func push(_ command: ReaderCommand) {
    outbox.append(command.packet)
    flush()
  }

  private func flush() {
    while let packet = outbox.first {
      do throws(SystemError) {
        try channel.send(packet.span)
        outbox.removeFirst()
      } catch {
        switch error.code {
        case EAGAIN: flushLater()
        // It has ended. Reading tells so, after its last words.
        case EPIPE, ECONNRESET: outbox = []
        default: fail()
        }
        return
      }
    }
    outboxWatch = nil
  }

  private func flushLater() {
    guard outboxWatch == nil else { return }
    outboxWatch = WriteWatch(channel.number) { [weak self] in self?.flush() }
  }

  // MARK: - Reading

  private func read() {
    var buffer = [UInt8](repeating: 0, count: ReaderWire.maximumPacket)
    // A process that floods shares the loop with everybody else.
    for _ in 0..<64 where channelWatch != nil {
      do throws(SystemError) {
        switch try channel.receive(into: &buffer) {
        case .packet(let count): take(buffer.span.extracting(first: count))
        case .nothing: return
        case .ended:
          channelWatch = nil
          fail()
        }
      } catch {
        channelWatch = nil
        fail()
      }
    }
  }

  private func take(_ packet: Span<UInt8>) {
    if finished { return }
    do throws(FrameError) {
      let report = try ReaderReport(packet: packet).believable
      switch report {
      case .found, .stored: break
      case .mismatched, .retry, .resting: watch()
      case .listed, .opened, .armed, .matched, .stage, .enrolled, .idle, .erased, .missing, .storedListed,
        .cleared:
        deadline = nil
      case .failed:
        close()
      }
      reported(report)
    } catch {
      fail()
    }
  }

  // MARK: - Failing and ending

  private func watch() {
    deadline = Timer(milliseconds: plan.patience) { [weak self] in self?.fail() }
  }

  /// It cannot be trusted to close by itself, so it is killed.
  private func fail() {
    if finished { return }
    isBroken = true
    kill()
    reported(.failed(.readerFailed))
  }

  private func reap() {
    // What it said before it ended counts.
    read()
    guard child.poll() != .running else { return }
    endWatch = nil
    channelWatch = nil
    outboxWatch = nil
    deadline = nil
    if !finished {
      finished = true
      isBroken = true
      reported(.failed(.readerFailed))
    }
    ended()
  }
}

extension ReaderReport {
  /// The same, but of refusals only those that are about a reader.
  ///
  /// The others are the daemon's to say. "No match", for one, ends a PAM stack: a
  /// process that could say so by itself would keep the password out, too.
  fileprivate var believable: ReaderReport {
    guard case .failed(let refusal) = self else { return self }
    switch refusal {
    case .noReader, .unknownReader, .busy, .tooHot, .readerFailed, .storageFailed, .duplicate, .notFound,
      .readerFull, .keptByReader:
      return self
    case .nothingEnrolled, .noMatch, .poorScan, .lockedOut, .remote, .lidClosed, .timedOut, .cancelled,
      .daemonMissing, .malformed, .unknownVersion, .notPermitted, .unknownUser, .overloaded, .wrongPassword,
      .malfunction, .wrongPattern, .noPattern, .patternInvalid, .patternCommon, .patternLocked,
      .passwordAfterStart, .passwordDue, .lockdown, .homeClosed, .notAtSeat, .factorOff:
      return .failed(.readerFailed)
    }
  }
}
