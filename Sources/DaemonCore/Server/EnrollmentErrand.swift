// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Conversation
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// Serves one `enroll`.
final class EnrollmentErrand: ClaimErrand {
  let claimant: Claimant
  let common: ErrandServices
  private let finger: Finger
  var errand: Enrollment
  let mailbox = Mailbox<ErrandEvent>()
  var checking = false
  private var attached = AttachedReaders()
  private var chosen: AttachedReader?
  private var template: [UInt8] = []

  init(finger: Finger, common: ErrandServices) {
    self.finger = finger
    self.common = common
    claimant = common.services.claimant(service: Text("enrolment"), terminal: Text(), peer: common.peer)
    errand = Enrollment(limits: ErrandLimits(common.services.configuration))
  }

  func performOwn(_ action: ErrandAction) {
    switch action {
    case .enroll:
      // What a reader keeps itself bears no name: the reader may leave the house.
      let keepsPrints = chosen?.description.stores == true
      desk.send(.enroll(finger: finger, user: keepsPrints ? Text() : common.account.name), for: self)
    case .store: store()
    default: break
    }
  }

  private func store() {
    let event = common.change(save)
    if event == .stored {
      common.announce(finger)
    } else if chosen?.description.stores == true {
      // Nothing here refers to what the reader keeps; it must not stay there.
      desk.send(.template(index: 0, bytes: template), for: self)
      desk.send(.erase(index: 0), for: self)
    }
    post(event)
  }

  private func save() throws(StoreError) -> Refusal? {
    guard let reader = chosen?.identity else { return .malfunction }
    let record: PrintRecord
    do throws(RecordError) {
      record = try PrintRecord(
        user: common.account.name, uid: common.account.uid, finger: finger, reader: reader,
        created: secondsSince1970(), template: template)
    } catch {
      return .readerFailed
    }
    try common.services.store.save(record)
    return nil
  }
}

// MARK: - The reader

extension EnrollmentErrand {
  var enrolledOn: [USBIdentity] { [] }

  func hear(_ news: ClaimNews) {
    switch news {
    case .mustWait(let service, let terminal): post(.mustWait(service: service, terminal: terminal))
    case .turn: post(.turn)
    case .lost: break
    case .report(let report): hear(report)
    }
  }

  private func hear(_ report: ReaderReport) {
    switch report {
    case .found(let reader):
      if !attached.add(reader, known: desk.identity(of: reader)) { post(.failed(.readerFailed)) }
    case .listed where chosen == nil: choose()
    case .opened: opened()
    case .stage(let done, let retry): post(.stage(done: done, retry: retry))
    case .enrolled(let template):
      self.template = template
      post(.enrolled)
    case .failed(let refusal): post(.failed(refusal))
    // It waits for the first finger; what the person must know was said.
    case .armed: break
    case .listed, .matched, .mismatched, .retry, .resting, .idle, .erased, .missing, .stored, .storedListed,
      .cleared:
      post(.failed(.readerFailed))
    }
  }

  private func choose() {
    // Proof makes a new reader known, but not one that could be exchanged any day for
    // another that says yes to everything.
    let trust = common.services.trust(
      of: common.account, prints: common.services.usableRecords(of: common.account))
    guard let reader = attached.known.first(where: { trust.doubt(about: $0) != .exchangeable }) else {
      return post(.failed(attached.refusal))
    }
    let isEnrolled = common.services.usableRecords(of: common.account).contains {
      $0.finger == finger && $0.reader.isSameReader(as: reader.identity)
    }
    if isEnrolled { return post(.failed(.duplicate)) }
    chosen = reader
    let (driver, device) = (reader.description.driver, reader.description.device)
    desk.send(.open(driver: driver, device: device), for: self)
  }

  private func opened() {
    guard let reader = chosen?.description else { return post(.failed(.readerFailed)) }
    post(.opened(reader: reader.name.printable, scan: reader.scan, stages: reader.stages))
  }
}

private func secondsSince1970() -> UInt64 {
  UInt64(max(time(nil), 0))
}
