// SPDX-License-Identifier: Apache-2.0

/// Why patterns cannot be used now. Prints and passwords never depend on it.
public enum PatternFault: Error, Equatable, Sendable {
  /// The machine key is lost; every pattern has to be set anew.
  case noKey
  /// The machine key cannot be read, or is not what it has to be.
  case unusableKey(StoreError?)
  /// The file was made with another machine key.
  case otherKey(file: String)
  /// The file is damaged or missing.
  case damaged(file: String)
  /// The file is another person's: the name was given to somebody else.
  case foreign(file: String)
  /// It could not be read or written.
  case store(StoreError)
  /// The kernel does not say which start of the machine this is.
  case noBoot
  /// There was no memory, or no thread, for the test.
  case noMemory
}

extension PatternFault: CustomStringConvertible {
  /// A line for the log.
  public var description: String {
    switch self {
    case .noKey: "\(MachineKey.file): lost; patterns must be set anew"
    case .unusableKey(nil): "\(MachineKey.file): damaged"
    case .unusableKey(let error?): "\(error) (must be readable by its owner only)"
    case .otherKey(let file): "\(file): made with another machine key; the pattern must be set anew"
    case .damaged(let file): "\(file): damaged or missing; the pattern must be set anew"
    case .foreign(let file): "\(file): another person's"
    case .store(let error): "\(error)"
    case .noBoot: "the kernel does not name this start"
    case .noMemory: "no memory or thread to test a pattern"
    }
  }
}
