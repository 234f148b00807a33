// SPDX-License-Identifier: Apache-2.0

internal import Conversation
internal import Glibc
internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// Serves one `trustReaders`.
///
/// What root trusts is trusted for everybody, what others trust for themselves only: who
/// has a password of their own must not vouch for the reader of somebody else.
final class TrustErrand: ClaimErrand {
  let claimant: Claimant
  let common: ErrandServices
  var errand: Trusting
  let mailbox = Mailbox<ErrandEvent>()
  var checking = false
  private var attached = AttachedReaders()

  init(common: ErrandServices) {
    self.common = common
    claimant = common.services.claimant(service: Text("thumbturn"), terminal: Text(), peer: common.peer)
    errand = Trusting(limits: ErrandLimits(common.services.configuration))
  }

  func performOwn(_ action: ErrandAction) {
    switch action {
    case .store: post(store())
    default: break
    }
  }

  private func store() -> ErrandEvent {
    if attached.known.isEmpty { return .failed(attached.refusal) }
    let services = common.services
    let untrusted = attached.known.filter { trust.doubt(about: $0) != nil }
    if untrusted.isEmpty { return .stored }
    let isRoot = common.peer.user == 0
    let entries = untrusted.map { reader in
      TrustedReader(
        user: isRoot ? Text() : common.account.name, uid: isRoot ? 0 : common.account.uid,
        since: UInt64(max(time(nil), 0)), reader: reader.identity)
    }
    do throws(PatternFault) {
      try TrustStore(services.store).add(entries)
    } catch {
      services.log.problem("\(error)")
      return .failed(.storageFailed)
    }
    untrusted.forEach(tell)
    return .stored
  }

  /// What root has not trusted for everybody is new to root, whoever else trusts it.
  private var trust: ReaderTrust {
    if common.peer.user != 0 { return common.services.trust(for: common.peer) }
    return common.services.trust(of: common.account, prints: [])
  }

  private func tell(_ reader: AttachedReader) {
    common.services.log.note("trusted by uid \(common.peer.user): \(reader.shown)")
    let about = reader.description
    let event = ServerEvent.reader(
      name: about.name.printable, driver: about.driver.printable, scan: about.scan)
    _ = common.perform(.send(event)) { _ in }
  }
}

// MARK: - The reader

extension TrustErrand {
  var enrolledOn: [USBIdentity] { common.services.store.everybodysRecords().compactMap(\.reader.usb) }

  func hear(_ news: ClaimNews) {
    switch news {
    case .mustWait(let service, let terminal): post(.mustWait(service: service, terminal: terminal))
    case .turn: post(.turn)
    case .lost: break
    case .report(.found(let reader)):
      if !attached.add(reader, known: desk.identity(of: reader)) { post(.failed(.readerFailed)) }
    case .report(.listed): post(.listed)
    case .report(.failed(let refusal)): post(.failed(refusal))
    case .report: post(.failed(.readerFailed))
    }
  }
}
