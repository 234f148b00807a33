// SPDX-License-Identifier: Apache-2.0

public import ThumbturnProtocol

/// The protocol between `thumbturnd` and one `thumbturn-reader`, version 1.
///
/// Both ends are of one build and speak over a `SOCK_SEQPACKET` pair, one packet
/// a message: a version byte, a kind byte, the kind's fields. Templates make the
/// packets large, so a packet may have up to 96 KiB. Numbers are big-endian, texts are
/// one byte of length and as many bytes, a template is a four-byte length and
/// as many bytes. What a reader process says is checked like any foreign input:
/// it parses what a USB device sends.
public enum ReaderWire {
  /// The version this code speaks.
  public static let version: UInt8 = 1
  /// The most bytes of a packet.
  public static let maximumPacket = 98_304
  /// The most bytes of one template (a libfprint print of 20 stages has about 30,000).
  public static let maximumTemplate = 98_000
}

/// What the reader process can say of an attached reader.
public struct ReaderDescription: Equatable, Sendable {
  /// libfprint's driver, `nb1010`.
  public var driver = Text()
  /// libfprint's device id; tells readers of one driver apart.
  public var device = Text()
  /// The name for people.
  public var name = Text()
  /// Press or swipe.
  public var scan = ScanType.press
  /// Scans that enrolling takes.
  public var stages: UInt8 = 0
  /// Whether it can search several templates with one touch.
  public var identifies = false
  /// Whether templates live on the reader (match on chip).
  public var stores = false
  /// USB bus, 0 for a reader that is not on USB.
  public var bus: UInt8 = 0
  /// USB address on that bus, 0 for a reader that is not on USB.
  public var address: UInt8 = 0

  /// A reader nothing is known of.
  public init() {}
}

/// What `thumbturnd` tells its reader process.
public enum ReaderCommand: Equatable, Sendable {
  /// Answer with the attached readers, each `found`, then `listed`.
  case list
  /// Open the reader with this driver and device id.
  case open(driver: Text, device: Text)
  /// One template to compare with; `index` comes back in `matched`.
  case template(index: UInt8, bytes: [UInt8])
  /// Compare what is touched with the templates, until told otherwise.
  case verify
  /// Enrol this finger for this person; with an empty name the print gets no label at all, as
  /// befits a reader that keeps prints itself and may leave the house.
  case enroll(finger: Finger, user: Text)
  /// Stop what runs, keep the reader open; answered by `idle`.
  case pause
  /// Close the reader and end.
  case close
  /// Delete the print of the template with this index from the reader's own storage.
  case erase(index: UInt8)
  /// Answer with the prints in the reader's own storage, each `stored`, then `storedListed`.
  case listStored
  /// Delete everything from the reader's own storage.
  case clearStored
}

/// What a reader process reports.
public enum ReaderReport: Equatable, Sendable {
  /// One attached reader.
  case found(ReaderDescription)
  /// All attached readers were reported.
  case listed
  /// The reader is open.
  case opened
  /// It waits for a finger.
  case armed
  /// A touch matched this template.
  case matched(index: UInt8)
  /// A touch matched none; the reader is armed again by itself.
  case mismatched
  /// A scan was unusable; the reader is armed again by itself.
  case retry(RetryReason)
  /// A finger that had rested on the reader was ignored; it is armed again by itself.
  case resting
  /// So many stages of enrolling are done; why the last scan did not count.
  case stage(done: UInt8, retry: RetryReason?)
  /// Enrolling is complete.
  case enrolled(template: [UInt8])
  /// What ran has stopped.
  case idle
  /// It cannot go on.
  case failed(Refusal)
  /// The reader has deleted the print with this index.
  case erased(index: UInt8)
  /// The reader has no print with this index to delete.
  case missing(index: UInt8)
  /// The reader's own storage has a print: the one with this index, or one that was not given.
  case stored(index: UInt8?)
  /// All prints in the reader's own storage were reported.
  case storedListed
  /// The reader's own storage is empty.
  case cleared
}
