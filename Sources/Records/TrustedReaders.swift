// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// A reader that somebody said is theirs, with proof.
public struct TrustedReader: Equatable, Sendable {
  /// Who said so: a login name and its uid. What root said has no name and uid 0.
  public let user: Text
  /// See ``user``.
  public let uid: UInt32
  /// When, in seconds since 1970.
  public let since: UInt64
  /// The reader, and where it was plugged in.
  public let reader: ReaderIdentity

  /// Names a reader.
  public init(user: Text, uid: UInt32, since: UInt64, reader: ReaderIdentity) {
    self.user = user
    self.uid = uid
    self.since = since
    self.reader = reader
  }
}

/// Whose trust counts.
public enum TrustScope: Equatable, Sendable {
  /// What this person said, and what root said for everybody. Somebody else's word is
  /// no evidence: they may have brought a device that answers "match" to everything.
  case person(Text, uid: UInt32)
  /// What anybody said, for root's overview.
  case anybody
}

/// The readers that were said to be trusted; ``doubt(about:matchesOnChip:prints:of:)`` tells
/// whether a reader may be used.
public struct TrustedReaders: Equatable, Sendable {
  /// The most readers of one person; the oldest makes room.
  public static let mostOfOne = 8
  /// The most readers of all.
  public static let most = 1024

  /// In the order in which they were said to be.
  public internal(set) var entries: [TrustedReader] = []

  /// Nobody said anything.
  public init() {}

  /// Adds a reader; the same one at the same place is there once for each person. `false`
  /// when there are too many.
  public mutating func add(_ entry: TrustedReader) -> Bool {
    var kept = entries.filter {
      !($0.isOfSamePerson(as: entry) && $0.reader.isAtSamePlace(as: entry.reader))
    }
    let own = kept.indices.filter { kept[$0].isOfSamePerson(as: entry) }
    if own.count >= TrustedReaders.mostOfOne, let oldest = own.first { kept.remove(at: oldest) }
    guard kept.count < TrustedReaders.most else { return false }
    entries = kept + [entry]
    return true
  }

  /// Forgets what those said who are not `there` any more.
  public mutating func keep(_ there: (TrustedReader) -> Bool) { entries = entries.filter(there) }

  /// Whether somebody who counts said that this reader, at this place, is theirs.
  public func names(_ reader: ReaderIdentity, of scope: TrustScope) -> Bool {
    entries.contains { $0.counts(for: scope) && $0.reader.isAtSamePlace(as: reader) }
  }

  /// Why a reader must not be used; `nil`: it may.
  ///
  /// - A reader that is not on USB cannot be exchanged from outside.
  /// - One that matches on its chip answers yes or no itself, so a device with its numbers
  ///   answers what it likes. Where it can be unplugged (the kernel does not say that the
  ///   port is a fixed one), only a person's word makes it known.
  /// - Else a print made on it, with proof, makes it known where it is. `prints` are the
  ///   readers of the prints that count.
  public func doubt(
    about reader: ReaderIdentity, matchesOnChip: Bool, prints: [ReaderIdentity], of scope: TrustScope
  ) -> ReaderDoubt? {
    guard let usb = reader.usb, !names(reader, of: scope) else { return nil }
    if matchesOnChip, usb.removable != .fixed { return .exchangeable }
    if prints.contains(where: { $0.isAtSamePlace(as: reader) }) { return nil }
    return prints.contains { $0.hasSameNumbers(as: reader) } ? .moved : .new
  }

  /// Whether a print made on `maker` may be compared on `reader`, about which there is no
  /// doubt: it is the same reader, or one with its numbers that somebody said is it.
  public func fits(_ maker: ReaderIdentity, on reader: ReaderIdentity, of scope: TrustScope) -> Bool {
    if maker.isSameReader(as: reader) { return true }
    return maker.hasSameNumbers(as: reader) && reader.usb != nil && names(reader, of: scope)
  }
}

extension TrustedReader {
  fileprivate func isOfSamePerson(as other: TrustedReader) -> Bool { user == other.user && uid == other.uid }

  fileprivate func counts(for scope: TrustScope) -> Bool {
    switch scope {
    case .anybody: true
    case .person(let user, let uid):
      (self.user.isEmpty && self.uid == 0) || (self.user == user && self.uid == uid)
    }
  }
}

extension ReaderIdentity {
  /// Whether both are one reader that is also where it was.
  public func isAtSamePlace(as other: ReaderIdentity) -> Bool {
    isSameReader(as: other) && usb?.port == other.usb?.port
  }

  /// Whether both say the same of themselves; any device can say that.
  public func hasSameNumbers(as other: ReaderIdentity) -> Bool {
    driver == other.driver && device == other.device && usb?.vendor == other.usb?.vendor
      && usb?.product == other.usb?.product && usb?.serial == other.usb?.serial
  }
}
