// SPDX-License-Identifier: Apache-2.0

/// How a finger is put on a reader.
public enum ScanType: UInt8, CaseIterable, Sendable {
  /// The finger rests on the sensor.
  case press = 0
  /// The finger is drawn over the sensor.
  case swipe = 1
}

/// Why a scan was unusable; costs no try.
public enum RetryReason: UInt8, CaseIterable, Sendable {
  /// The scan was not good enough.
  case general = 0
  /// The finger was lifted or drawn too soon.
  case tooShort = 1
  /// The finger did not lie on the middle of the sensor.
  case notCentred = 2
  /// The finger must be lifted first.
  case liftFinger = 3

  /// Advice for the person, without a final stop.
  public var message: StaticString {
    switch self {
    case .general: "the scan was not clear, try again"
    case .tooShort: "that was too short, try again"
    case .notCentred: "put your finger on the middle of the reader"
    case .liftFinger: "lift your finger and touch again"
    }
  }
}

/// One of ten fingers, numbered as libfprint's `FpFinger` numbers them.
public enum Finger: UInt8, CaseIterable, Sendable {
  /// The left hand, from the thumb to the little finger.
  case leftThumb = 1, leftIndex, leftMiddle, leftRing, leftLittle
  /// The right hand, from the thumb to the little finger.
  case rightThumb, rightIndex, rightMiddle, rightRing, rightLittle

  /// The name on a command line and in a file's name: `right-index`.
  public var name: StaticString {
    switch self {
    case .leftThumb: "left-thumb"
    case .leftIndex: "left-index"
    case .leftMiddle: "left-middle"
    case .leftRing: "left-ring"
    case .leftLittle: "left-little"
    case .rightThumb: "right-thumb"
    case .rightIndex: "right-index"
    case .rightMiddle: "right-middle"
    case .rightRing: "right-ring"
    case .rightLittle: "right-little"
    }
  }
}

/// A set of fingers: bit n stands for the finger with number n.
public struct FingerSet: Equatable, Sendable {
  /// The bits; those that stand for no finger are dropped.
  public let bits: UInt16

  /// Takes the bits of a frame.
  public init(bits: UInt16) { self.bits = bits & 0x07FE }

  /// Takes fingers.
  public init<Fingers: Sequence>(_ fingers: Fingers) where Fingers.Element == Finger {
    self.init(bits: fingers.reduce(0) { $0 | (1 << UInt16($1.rawValue)) })
  }

  /// Whether `finger` is in the set.
  public func contains(_ finger: Finger) -> Bool { bits & (1 << UInt16(finger.rawValue)) != 0 }

  /// The only finger of the set, `nil` when there are more or none.
  public var only: Finger? {
    bits.nonzeroBitCount == 1 ? Finger(rawValue: UInt8(truncatingIfNeeded: bits.trailingZeroBitCount)) : nil
  }
}

/// Why a reader is not trusted.
public enum ReaderDoubt: UInt8, CaseIterable, Sendable {
  /// Nothing was enrolled on it; enrolling makes it known.
  case new = 0
  /// Prints were made on a reader with its numbers, somewhere else.
  case moved = 1
  /// It matches on its own chip, and can be exchanged from outside.
  case exchangeable = 2
}
