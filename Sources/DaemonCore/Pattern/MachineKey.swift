// SPDX-License-Identifier: Apache-2.0

internal import CSodium
internal import CSystem
internal import Glibc
internal import System

/// The machine's key: 32 random bytes of root's that no backup of the patterns alone holds.
///
/// It makes verifiers useless without it and shows whether a file is as the daemon
/// wrote it. Whoever has the whole disk has the key, too, and then needs some hours for
/// all 389,112 patterns.
final class MachineKey {
  /// The file below the data folder.
  static let file = "machine.key"
  /// Its size in bytes.
  static let size = 32
  /// The size of ``code(_:of:)`` in bytes.
  static let codeSize = 32

  /// What a code is for; codes of different purposes never agree.
  enum Purpose: UInt8 {
    case identity = 1
    case record, throttle, verifier, guess, count
    case readers = 16
  }

  private let secret: Secret

  private init(_ secret: consuming Secret) { self.secret = secret }

  /// A key of random bytes that is kept nowhere; `nil` without randomness.
  static func random() -> MachineKey? {
    var secret = Secret(capacity: size)
    let got = unsafe secret.fill { buffer in
      // SAFETY: the call fills what it is given.
      unsafe buffer.baseAddress.map { unsafe csystem_random($0, buffer.count) } ?? -1
    }
    return got == 0 ? MachineKey(secret) : nil
  }

  /// Reads the key from its file, which must have exactly its size.
  init?(reading number: CInt) {
    var secret = Secret(capacity: MachineKey.size + 1)
    let got = unsafe secret.fill { buffer in
      // SAFETY: as above; a file of this size is read at once.
      unsafe Glibc.read(number, buffer.baseAddress, buffer.count)
    }
    guard got == MachineKey.size else { return nil }
    self.secret = secret
  }

  /// Writes the key to a new file.
  func write(to number: CInt) throws(SystemError) {
    let written = secret.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { buffer in
        // SAFETY: the key lives through the call.
        unsafe Glibc.write(number, buffer.baseAddress, MachineKey.size)
      }
    }
    guard written == MachineKey.size else { throw SystemError("write") }
  }

  /// Tells keys apart without telling anything of them; 8 bytes.
  var identity: [UInt8] { Array(code(.identity, of: []).prefix(8)) }

  /// The keyed hash (BLAKE2b-256) of a message.
  func code(_ purpose: Purpose, of message: [UInt8]) -> [UInt8] {
    code(purpose, of: message.span)
  }

  /// The same of bytes that are not to stay behind anywhere.
  func code(_ purpose: Purpose, of message: Span<UInt8>) -> [UInt8] {
    var labelled = Secret(capacity: 1 + message.count)
    unsafe labelled.fill { buffer in
      unsafe buffer[0] = purpose.rawValue
      for index in message.indices { unsafe buffer[1 + index] = message[index] }
    }
    var code = [UInt8](repeating: 0, count: MachineKey.codeSize)
    let failure = labelled.withBytes { message in
      secret.withBytes { key in MachineKey.hash(message, key: key, into: &code) }
    }
    // libsodium leaves the last block of message and key there.
    csystem_wipe_stack()
    precondition(failure == 0, "BLAKE2b fails for wrong sizes only")
    return code
  }

  private static func hash(_ message: Span<UInt8>, key: Span<UInt8>, into code: inout [UInt8]) -> CInt {
    unsafe message.withUnsafeBufferPointer { message in
      unsafe key.withUnsafeBufferPointer { key in
        // SAFETY: the lengths are those of the memory, which lives through the call.
        unsafe crypto_generichash(
          &code, code.count, message.baseAddress, UInt64(message.count), key.baseAddress, size)
      }
    }
  }

  /// Whether two codes are the same, in a time that does not depend on where they differ.
  static func isSame(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    guard first.count == second.count else { return false }
    // SAFETY: both have as many bytes as are compared.
    return unsafe sodium_memcmp(first, second, first.count) == 0
  }
}
