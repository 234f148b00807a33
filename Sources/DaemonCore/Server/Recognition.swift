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
  private let signIn: SignIn
  private var account: Account { signIn.account }
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
  private var granted = false

  /// Whether the message that is being received is an answer to be tested.
  private var testing = false
  /// Whether it is granted for a pattern.
  private var isByPattern = false

  /// How far the claim is: templates go to a reader that was chosen, once.
  private enum Step { case listing, opening, comparing }

  /// Starts serving a request that stands; `records` are the person's usable ones.
  init(
    _ begin: Begin, signIn: SignIn, records: [PrintRecord], beginning: ConversationEvent,
    request: LoggedRequest, connection: Connection, services: Services
  ) {
    self.beginning = beginning
    claimant = services.claimant(
      begin, of: signIn.account, origin: signIn.requester, peer: connection.peer)
    self.services = services
    self.signIn = signIn
    self.records = records
    self.request = request
    self.connection = connection
    conversation = Conversation(
      limits: ConversationLimits(
        begin, peer: connection.peer, decision: signIn.decision, configuration: services.configuration))
  }

  func start() { post(beginning) }

  func receive(_ message: ClientMessage, secret: borrowing Secret) {
    // A match may be held for seconds, in which its print can be deleted.
    if case .confirm = message, let matched, let refusal = objection(to: matched) {
      return post(.reader(.failed(refusal)))
    }
    testing = false
    post(.message(message))
    guard testing, case .answer(let range) = message else { return }
    guard signIn.takesPattern else { return post(.patternVerdict(.passedOn)) }
    services.test(secret, at: range, of: account, from: signIn.origin, for: connection) { [weak self] in
      self?.hear($0)
    }
  }

  private func hear(_ verdict: PatternVerdict) {
    if verdict == .right {
      request.request = "pattern"
      isByPattern = true
    }
    post(.patternVerdict(verdict.answer))
  }

  func hungUp() { post(.hungUp) }

  private func post(_ event: ConversationEvent) {
    mailbox.post(event) { for action in conversation.handle($0) { perform(action) } }
  }

  private func perform(_ action: ConversationAction) {
    switch action {
    case .send(let event):
      if event == .granted { granted = true }
      connection?.send(event)
      services.log.step(event, of: request)
    case .claim:
      // The data may have changed since the last claim.
      if !recordsAreFresh { records = services.usableRecords(of: account) }
      recordsAreFresh = false
      services.desk.join(self)
    case .release: services.desk.leave(self, granted: granted)
    case .checkPattern: testing = true
    case .arm: services.desk.send(.verify, for: self)
    case .setTimer(let timer, let milliseconds):
      timers.set(timer, milliseconds: milliseconds) { [weak self] in self?.post(.timer(timer)) }
    case .cancelTimer(let timer): timers.cancel(timer)
    case .log(let outcome):
      if outcome == .granted { signIn.granted(byPattern: isByPattern, service: request.service) }
      services.log.outcome(outcome, of: request)
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
    case .lost:
      // The next turn may bring another reader.
      records = services.usableRecords(of: account)
      post(.reader(.lost))
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
    case .mismatched: post(.reader(signIn.mismatched()))
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
    let trust = services.trust(of: account, prints: records)
    let usable = attached.known.filter { reader in records.contains { trust.fits($0, on: reader) } }
    guard let chosen = usable.first(where: { !signIn.spares($0.identity) }) else {
      if !usable.isEmpty { return post(.reader(.failed(.lidClosed))) }
      if services.desk.looksAgain(for: self) { return }
      services.warn(of: attached.known, trust: trust, account: account)
      return post(.reader(.failed(records.isEmpty ? .nothingEnrolled : attached.refusal)))
    }
    step = .opening
    records.removeAll { !trust.fits($0, on: chosen) }
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
    if let refusal = objection(to: record) { return .failed(refusal) }
    guard let nonce = Nonce.random else { return .failed(.malfunction) }
    matched = record
    return .matched(nonce)
  }

  /// Why a match with this record does not count at this moment.
  private func objection(to record: PrintRecord) -> Refusal? {
    let stands =
      record.user == account.name && record.uid == account.uid
      && services.usableRecords(of: account).contains(record)
    return stands ? signIn.fingerObjection : .nothingEnrolled
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
