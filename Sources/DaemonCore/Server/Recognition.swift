// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// Serves one `begin`: drives a ``Conversation`` with a connection, a claim and timers.
final class Recognition: Session, ReaderClaim {
  let claimant: Claimant
  private let services: Services
  private let account: Account
  private let beginning: ConversationEvent
  private var request: LoggedRequest
  private weak var connection: Connection?
  private var conversation: Conversation
  private let mailbox = Mailbox<ConversationEvent>()
  private let timers = TimerSet<ConversationTimer>()
  /// The person's usable records; once a reader is chosen, those of that reader.
  private var records: [PrintRecord]
  private var recordsAreFresh = true
  private var attached = AttachedReaders()
  private var step = Step.listing
  /// What the latest match was with.
  private var matched: PrintRecord?

  /// Whether the message that is being received is an answer to be tested.
  private var testing = false

  /// How far the claim is: templates go to a reader that was chosen, once.
  private enum Step { case listing, opening, comparing }

  /// Starts serving a request that stands; `records` are the person's usable ones.
  init(
    _ begin: Begin, account: Account, records: [PrintRecord], beginning: ConversationEvent,
    request: LoggedRequest, connection: Connection, services: Services
  ) {
    self.beginning = beginning
    claimant = services.claimant(service: begin.service, terminal: begin.terminal, peer: connection.peer)
    self.services = services
    self.account = account
    self.records = records
    self.request = request
    self.connection = connection
    conversation = Conversation(
      limits: ConversationLimits(begin, peer: connection.peer, configuration: services.configuration))
  }

  func start() { post(beginning) }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    // A match may be held for seconds, in which its print can be deleted.
    if case .confirm = message, let matched, !stands(matched) {
      return post(.reader(.failed(.nothingEnrolled)))
    }
    testing = false
    post(.message(message))
    guard testing, case .answer(let range) = message else { return }
    services.test(secret, at: range, of: account, for: connection) { [weak self] in self?.hear($0) }
  }

  private func hear(_ verdict: PatternVerdict) {
    if verdict == .right { request.request = "pattern" }
    post(.patternVerdict(verdict.answer))
  }

  func hungUp() { post(.hungUp) }

  private func post(_ event: ConversationEvent) {
    mailbox.post(event) { for action in conversation.handle($0) { perform(action) } }
  }

  private func perform(_ action: ConversationAction) {
    switch action {
    case .send(let event):
      connection?.send(event)
      services.log.step(event, of: request)
    case .claim:
      // The data may have changed since the last claim.
      if !recordsAreFresh { records = services.usableRecords(of: account) }
      recordsAreFresh = false
      services.desk.join(self)
    case .release: services.desk.leave(self)
    case .checkPattern: testing = true
    case .arm: services.desk.send(.verify, for: self)
    case .setTimer(let timer, let milliseconds):
      timers.set(timer, milliseconds: milliseconds) { [weak self] in self?.post(.timer(timer)) }
    case .cancelTimer(let timer): timers.cancel(timer)
    case .log(let outcome): services.log.outcome(outcome, of: request)
    case .finish:
      timers.cancelAll()
      connection?.close()
    }
  }
}

// MARK: - The reader

extension Recognition {
  var enrolledOn: [USBIdentity] { records.compactMap(\.reader.usb) }

  func hear(_ news: ClaimNews) {
    switch news {
    case .mustWait(let service, let terminal): post(.mustWait(service: service, terminal: terminal))
    case .turn:
      attached = AttachedReaders()
      step = .listing
      post(.turn)
    case .report(let report): hear(report)
    }
  }

  private func hear(_ report: ReaderReport) {
    switch report {
    case .found(let reader):
      let identity = services.desk.identity(of: reader)
      if !attached.add(reader, known: identity) { post(.reader(.failed(.readerFailed))) }
    case .listed where step == .listing: choose()
    case .opened where step == .opening: compare()
    case .armed: post(.reader(.armed))
    case .matched(let index): post(.reader(match(index)))
    case .mismatched: post(.reader(.mismatched))
    case .retry(let reason): post(.reader(.retry(reason)))
    case .resting: post(.reader(.resting))
    case .failed(let refusal): post(.reader(.failed(refusal)))
    case .listed, .opened, .stage, .enrolled, .idle, .erased, .missing, .stored, .storedListed,
      .cleared:
      post(.reader(.failed(.readerFailed)))
    }
  }

  /// Takes the first attached reader that something was enrolled on; only what was
  /// enrolled on this reader is compared.
  private func choose() {
    let chosen = attached.known.first { reader in
      records.contains { $0.reader.isSameReader(as: reader.identity) }
    }
    guard let chosen else {
      return post(.reader(.failed(records.isEmpty ? .nothingEnrolled : attached.refusal)))
    }
    step = .opening
    records.removeAll { !$0.reader.isSameReader(as: chosen.identity) }
    let reader = chosen.description
    services.desk.send(.open(driver: reader.driver, device: reader.device), for: self)
    let fingers = FingerSet(records.map(\.finger))
    post(.reader(.found(reader: reader.name.printable, scan: reader.scan, fingers: fingers)))
  }

  private func compare() {
    step = .comparing
    for (index, record) in records.enumerated() {
      guard let index = UInt8(exactly: index) else { break }
      services.desk.send(.template(index: index, bytes: record.template), for: self)
    }
    services.desk.send(.verify, for: self)
  }

  /// What the reader process says is foreign: the number must be one that was sent,
  /// and the record must still be this person's and the newest on disk.
  private func match(_ index: UInt8) -> ReaderNews {
    guard Int(index) < records.count else { return .failed(.readerFailed) }
    let record = records[Int(index)]
    guard stands(record) else { return .failed(.nothingEnrolled) }
    guard let nonce = Nonce.random else { return .failed(.malfunction) }
    matched = record
    return .matched(nonce)
  }

  private func stands(_ record: PrintRecord) -> Bool {
    record.user == account.name && record.uid == account.uid
      && services.usableRecords(of: account).contains(record)
  }
}

extension Nonce {
  /// A fresh number; `nil` when the kernel gives none.
  static var random: Nonce? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let failed = unsafe bytes.withUnsafeMutableBytes { buffer in
      // SAFETY: as many bytes as are named.
      unsafe buffer.baseAddress.map { unsafe csystem_random($0, 16) }
    }
    guard failed == 0, bytes.contains(where: { $0 != 0 }) else { return nil }
    let halves = [bytes[..<8], bytes[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return Nonce(high: halves[0], low: halves[1])
  }
}

extension ConversationLimits {
  /// The most seconds a reader stays armed: after about 180 without a pause libfprint
  /// calls it too hot.
  private static let longestTimeout = 170
  /// The most mismatches that root may ask for.
  private static let mostTries: UInt8 = 10

  /// What was asked for, within what is configured. Who is not root gets no more
  /// tries than that.
  init(_ begin: Begin, peer: Peer, configuration: Configuration) {
    self.init()
    let configured = UInt8(clamping: configuration.tries)
    let most = peer.user == 0 ? Self.mostTries : configured
    tries = begin.tries == 0 ? configured : min(begin.tries, most)
    let seconds = begin.timeout == 0 ? configuration.timeout : min(Int(begin.timeout), Self.longestTimeout)
    timeout = seconds * 1000
    queueWait = configuration.queueWait * 1000
  }
}
