// SPDX-License-Identifier: Apache-2.0

/// How often in a row a finger was not recognised, for each origin. A value: it reads no
/// clock and keeps nothing on disk.
///
/// Time never takes one back. A recognised finger does for its own origin, the password
/// or a right pattern for all.
public struct FingerCounts: Equatable, Sendable {
  /// Counting ends here.
  public static let most: UInt32 = 1_000_000

  private var counts = [3 of UInt32](repeating: 0)

  /// Nothing was counted.
  public init() {}

  /// The count of one origin.
  public subscript(origin: Origin) -> UInt32 { counts[Int(origin.rawValue)] }

  /// Whether nothing is counted.
  public var isClear: Bool { Origin.allCases.allSatisfy { self[$0] == 0 } }

  /// Counts one that was not recognised.
  public mutating func add(_ origin: Origin) {
    counts[Int(origin.rawValue)] = min(self[origin] + 1, FingerCounts.most)
  }

  /// Forgets those of one origin: the finger was recognised there.
  public mutating func clear(_ origin: Origin) { counts[Int(origin.rawValue)] = 0 }

  /// Forgets all: the person showed in another way who they are.
  public mutating func clear() { self = FingerCounts() }

  /// Whether no finger counts any more for this origin.
  public func isLocked(_ origin: Origin, after limit: Int) -> Bool { self[origin] >= max(limit, 1) }

  /// Equal when all three counts are.
  public static func == (left: FingerCounts, right: FingerCounts) -> Bool {
    Origin.allCases.allSatisfy { left[$0] == right[$0] }
  }
}

extension FingerCounts {
  /// How many bytes ``bytes`` has.
  public static let size = 12

  /// The value for a file: three counts of 4 bytes, big-endian, in the order of ``Origin``.
  /// Whoever keeps it adds what tells damage.
  public var bytes: [UInt8] {
    Origin.allCases.flatMap { origin in
      stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: self[origin] >> $0) }
    }
  }

  /// Reads such bytes; `nil` for what none of these values has.
  public init?(bytes: [UInt8]) {
    guard bytes.count == FingerCounts.size else { return nil }
    self.init()
    for origin in Origin.allCases {
      let start = 4 * Int(origin.rawValue)
      let count = bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard count <= FingerCounts.most else { return nil }
      counts[Int(origin.rawValue)] = count
    }
  }
}
