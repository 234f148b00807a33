// SPDX-License-Identifier: Apache-2.0

/// The guesses at one secret, those of each origin apart.
public struct OriginThrottles: Equatable, Sendable {
  private var throttles: [GuessThrottle]

  /// A secret that nobody guessed at.
  public init() { throttles = Origin.allCases.map { _ in GuessThrottle() } }

  /// The guesses from one origin.
  public subscript(origin: Origin) -> GuessThrottle {
    get { throttles[Int(origin.rawValue)] }
    set { throttles[Int(origin.rawValue)] = newValue }
  }
}

extension OriginThrottles {
  /// How many bytes ``bytes`` has.
  public static let size = GuessThrottle.size * 3

  /// The value for a file: one throttle after another, in the order of ``Origin``.
  public var bytes: [UInt8] { throttles.flatMap(\.bytes) }

  /// Reads such bytes; `nil` for what none of these values has.
  public init?(bytes: [UInt8]) {
    guard bytes.count == OriginThrottles.size else { return nil }
    let parts = Origin.allCases.compactMap { origin -> GuessThrottle? in
      let start = GuessThrottle.size * Int(origin.rawValue)
      return GuessThrottle(bytes: Array(bytes[start..<(start + GuessThrottle.size)]))
    }
    guard parts.count == Origin.allCases.count else { return nil }
    throttles = parts
  }
}
