// SPDX-License-Identifier: Apache-2.0

internal import ReaderProtocol
internal import Records
internal import System
internal import ThumbturnProtocol

/// The file `readers.trusted` (0600) of the data folder: the trusted readers
/// (``TrustedReaders``), and behind them their keyed hash (32), so that only what this
/// machine's daemon wrote counts. Every write is on the disk when it returns.
struct TrustStore {
  static let file = "readers.trusted"
  private static let limit = TrustedReaders.maximumBytes + MachineKey.codeSize

  private let store: Store

  init(_ store: Store) { self.store = store }

  /// What is trusted; `nil` when the file cannot be read or is not as it was written. Then
  /// nothing that needs somebody's word is trusted, until somebody gives it again.
  func readers() -> TrustedReaders? {
    guard let root = try? Folder(path: store.folder) else { return nil }
    guard root.has(TrustStore.file) else { return TrustedReaders() }
    guard let bytes = root.contents(of: TrustStore.file, limit: TrustStore.limit),
      bytes.count > MachineKey.codeSize, let key = try? PatternStore(store).key()
    else { return nil }
    let body = Array(bytes.dropLast(MachineKey.codeSize))
    guard MachineKey.isSame(Array(bytes.suffix(MachineKey.codeSize)), key.code(.readers, of: body)) else {
      return nil
    }
    return try? TrustedReaders(bytes: body)
  }

  /// Adds readers to what is trusted, in place of a damaged file. Forgets those whom
  /// accounts named that are gone. When this fails, what was there is still there.
  func add(_ readers: [TrustedReader]) throws(PatternFault) {
    var trusted = self.readers() ?? TrustedReaders()
    trusted.keep { $0.user.isEmpty || Account(named: $0.user)?.uid == $0.uid }
    for reader in readers where !trusted.add(reader) { throw .store(.tooMany) }
    let key = try PatternStore(store).keyForSetting()
    let body = trusted.bytes
    do throws(StoreError) {
      try Folder(path: store.folder).replace(
        TrustStore.file, with: body + key.code(.readers, of: body), mode: 0o600)
    } catch {
      throw .store(error)
    }
  }
}

/// Which readers one person's request may use.
struct ReaderTrust {
  let scope: TrustScope
  private let trusted: TrustedReaders
  /// The readers of the prints that count.
  private let makers: [ReaderIdentity]

  init(_ trusted: TrustedReaders, scope: TrustScope, makers: [ReaderIdentity]) {
    self.trusted = trusted
    self.scope = scope
    self.makers = makers
  }

  /// Why a reader must not be used; `nil`: it may.
  func doubt(about reader: AttachedReader) -> ReaderDoubt? {
    trusted.doubt(
      about: reader.identity, matchesOnChip: reader.description.stores, prints: makers, of: scope)
  }

  /// Whether a print may be compared on a reader.
  func fits(_ print: PrintRecord, on reader: AttachedReader) -> Bool {
    doubt(about: reader) == nil && trusted.fits(print.reader, on: reader.identity, of: scope)
  }

  /// Whether one of the prints says that it was made on a reader with these numbers.
  func claims(_ reader: AttachedReader) -> Bool { makers.contains { $0.hasSameNumbers(as: reader.identity) } }
}

extension Services {
  /// Which readers a person's prints may be compared on.
  func trust(of account: Account, prints: [PrintRecord]) -> ReaderTrust {
    ReaderTrust(
      trustedReaders(), scope: .person(account.name, uid: account.uid), makers: prints.map(\.reader))
  }

  /// Which readers count as trusted for whoever asks which are attached.
  func trust(for peer: Peer) -> ReaderTrust {
    guard peer.user != 0, let account = Account(uid: peer.user) else {
      return ReaderTrust(trustedReaders(), scope: .anybody, makers: store.everybodysRecords().map(\.reader))
    }
    return trust(of: account, prints: usableRecords(of: account))
  }

  private func trustedReaders() -> TrustedReaders {
    if let readers = TrustStore(store).readers() { return readers }
    log.problem("\(TrustStore.file): damaged; no reader is trusted by it")
    return TrustedReaders()
  }

  /// Says which readers a request does not use though they claim to be the right ones.
  func warn(of readers: [AttachedReader], trust: ReaderTrust, account: Account) {
    for reader in readers where trust.claims(reader) {
      guard let doubt = trust.doubt(about: reader) else { continue }
      log.problem("a reader is not used for \(account.name.shown): \(reader.shown) \(doubt.words)")
    }
  }
}

extension AttachedReader {
  /// `"ELAN" (elanmoc, USB 04f3:0c88 at 0000:00:14.0/9, removable)`
  var shown: String {
    let name = "\"\(identity.name.printable.shown)\" (\(identity.driver.printable.shown)"
    return identity.usb == nil ? name + ")" : "\(name), \(place))"
  }

  /// `USB 04f3:0c88 at 0000:00:14.0/9, removable`
  var place: String {
    guard let usb = identity.usb else { return "not on USB" }
    let removable =
      switch usb.removable {
      case .fixed: "built in"
      case .removable: "removable"
      case .unknown: "perhaps removable"
      }
    return "USB \(fourDigits(usb.vendor)):\(fourDigits(usb.product)) at \(usb.port.shown), \(removable)"
  }
}

extension ReaderDoubt {
  /// The end of a line of the log.
  fileprivate var words: String {
    switch self {
    case .new: "is not known"
    case .moved: "is not where the prints were made"
    case .exchangeable: "matches on its own chip, can be exchanged, and is not trusted"
    }
  }
}

private func fourDigits(_ number: UInt16) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 4 - digits.count) + digits
}
