// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// Serves one `delete`; wants the reader only for prints that it keeps itself.
final class DeletionErrand: ClaimErrand {
  let claimant: Claimant
  let common: ErrandServices
  private let finger: Finger?
  var errand: Deletion
  let mailbox = Mailbox<ErrandEvent>()
  var checking = false
  private var attached = AttachedReaders()
  /// Deleted here and still kept by their readers.
  private var kept: [PrintRecord] = []
  /// Those of them that the open reader is asked to delete, in the order of their indexes.
  private var asked: [PrintRecord] = []
  private var chosen = false

  init(finger: Finger?, common: ErrandServices) {
    self.finger = finger
    self.common = common
    claimant = common.services.claimant(service: Text("deletion"), terminal: Text(), peer: common.peer)
    errand = Deletion(limits: ErrandLimits(common.services.configuration))
  }

  func performOwn(_ action: ErrandAction) {
    switch action {
    case .store: store()
    case .tellLeft(let reason): tellLeft(reason)
    default: break
    }
  }

  private func store() {
    let event = common.change(delete)
    post(event == .stored && !kept.isEmpty ? .storedElsewhereToo : event)
  }

  private func delete() throws(StoreError) -> Refusal? {
    let (account, store) = (common.account, common.services.store)
    kept = common.services.usableRecords(of: account).filter {
      (finger == nil || $0.finger == finger) && $0.isKeptByReader
    }
    return try store.delete(of: account, finger: finger) == 0 ? .notFound : nil
  }

  private func tellLeft(_ reason: Refusal) {
    // One line a reader will do.
    var told: [ReaderIdentity] = []
    for record in kept where !told.contains(where: { $0.isSameReader(as: record.reader) }) {
      told.append(record.reader)
      let name = record.reader.name.printable
      common.services.log.note("reader \"\(name)\" still keeps a deleted print: \(reason.message)")
      _ = common.perform(.send(.leftOnReader(reader: name, reason: reason))) { _ in }
    }
  }
}

// MARK: - The reader

extension DeletionErrand {
  var enrolledOn: [USBIdentity] { kept.compactMap(\.reader.usb) }

  func hear(_ news: ClaimNews) {
    switch news {
    case .mustWait(let service, let terminal): post(.mustWait(service: service, terminal: terminal))
    case .turn:
      attached = AttachedReaders()
      chosen = false
      post(.turn)
    case .lost: break
    case .report(let report): hear(report)
    }
  }

  private func hear(_ report: ReaderReport) {
    switch report {
    case .found(let reader):
      if !attached.add(reader, known: desk.identity(of: reader)) { post(.failed(.readerFailed)) }
    case .listed where !chosen: choose()
    case .opened where chosen: ask()
    // A print that the reader does not have is as deleted as can be.
    case .erased(let index), .missing(let index): gone(index)
    case .failed(let refusal): post(.failed(refusal))
    case .listed, .opened, .armed, .matched, .mismatched, .retry, .resting, .stage, .enrolled, .idle,
      .stored, .storedListed, .cleared:
      post(.failed(.readerFailed))
    }
  }

  private func choose() {
    guard let reader = attached.known.first(where: keepsSome) else {
      return post(.failed(attached.refusal))
    }
    chosen = true
    asked = kept.filter { $0.reader.isSameReader(as: reader.identity) }
    let (driver, device) = (reader.description.driver, reader.description.device)
    desk.send(.open(driver: driver, device: device), for: self)
  }

  private func keepsSome(_ reader: AttachedReader) -> Bool {
    kept.contains { $0.reader.isSameReader(as: reader.identity) }
  }

  private func ask() {
    for (index, record) in asked.enumerated() {
      desk.send(.template(index: UInt8(clamping: index), bytes: record.template), for: self)
    }
    desk.send(.erase(index: 0), for: self)
  }

  private func gone(_ index: UInt8) {
    guard Int(index) < asked.count else { return post(.failed(.readerFailed)) }
    let record = asked[Int(index)]
    kept.removeAll { $0 == record }
    let next = index &+ 1
    if Int(next) < asked.count { return desk.send(.erase(index: next), for: self) }
    post(.erased(more: attached.known.contains(where: keepsSome)))
  }
}
