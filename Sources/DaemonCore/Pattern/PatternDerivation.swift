// SPDX-License-Identifier: Apache-2.0

internal import CSodium
internal import CSystem
internal import System

/// Argon2id of one pattern, on a thread of its own: it takes as long as a hundred
/// other requests. Input and output are wiped with it.
final class PatternDerivation: BackgroundWork {
  private static let size = 32

  private let input: HeldPattern
  private var output = Secret(capacity: PatternDerivation.size)
  private let salt: [UInt8]
  private let cost: PatternCost
  private var succeeded = false
  private let done: (PatternDerivation) -> Void

  private init(
    _ pattern: HeldPattern, salt: [UInt8], cost: PatternCost, done: @escaping (PatternDerivation) -> Void
  ) {
    input = pattern
    self.salt = salt
    self.cost = cost
    self.done = done
  }

  /// Starts it; `done` comes later, on the main loop, or at once when there is no thread.
  static func start(
    _ pattern: HeldPattern, salt: [UInt8], cost: PatternCost, done: @escaping (PatternDerivation) -> Void
  ) {
    let work = PatternDerivation(pattern, salt: salt, cost: cost, done: done)
    if !work.start() { done(work) }
  }

  /// The verifier; `nil` when there was no memory for it.
  func verifier(key: MachineKey) -> [UInt8]? {
    guard succeeded else { return nil }
    return output.withBytes { key.code(.verifier, of: $0) }
  }

  override func work() {
    guard sodium_init() >= 0, salt.count == PatternRecord.saltSize else { return }
    let (salt, cost) = (salt, cost)
    let failure = input.withBytes { input in
      unsafe input.withUnsafeBytes { input in
        unsafe output.fill { output in
          PatternDerivation.derive(input, salt: salt, cost: cost, into: output)
        }
      }
    }
    succeeded = failure == 0
  }

  // SAFETY: the buffers live through the call, which writes `output.count` bytes.
  @safe private static func derive(
    _ input: UnsafeRawBufferPointer, salt: [UInt8], cost: PatternCost,
    into output: UnsafeMutableRawBufferPointer
  ) -> CInt {
    guard let from = unsafe input.assumingMemoryBound(to: CChar.self).baseAddress,
      let to = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
    else { return -1 }
    return unsafe crypto_pwhash(
      to, UInt64(output.count), from, UInt64(input.count), salt, UInt64(cost.passes), Int(cost.memory) << 10,
      crypto_pwhash_ALG_ARGON2ID13)
  }

  override func finished() { done(self) }
}
