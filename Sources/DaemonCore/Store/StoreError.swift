// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Records
public import System

/// Why enrolled data could not be read or written. Nothing that was there is lost.
public enum StoreError: Error, Equatable, Sendable {
  /// A folder is a link, belongs to somebody else, or others may write in it.
  case unsafeFolder(path: String)
  /// The login name cannot be the name of a file.
  case badName
  /// This person has as many records as are kept.
  case tooMany
  /// The disk or the quota is full.
  case full(file: String)
  /// The folder cannot be written in.
  case readOnly(file: String)
  /// Something else failed.
  case failed(SystemError, file: String)

  init(_ error: SystemError, file: String) {
    switch error.code {
    case ENOSPC, EDQUOT: self = .full(file: file)
    case EROFS, EACCES, EPERM: self = .readOnly(file: file)
    default: self = .failed(error, file: file)
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// A line for the log.
  public var description: String {
    switch self {
    case .unsafeFolder(let path):
      "\(path): must be a folder of root's (or the daemon's own user) that nobody else may write in"
    case .badName: "this login name cannot be kept"
    case .tooMany: "too many fingers are enrolled for this person"
    case .full(let file): "\(file): the disk is full"
    case .readOnly(let file): "\(file): cannot be written"
    case .failed(let error, let file): "\(file): \(error)"
    }
  }
}

/// A record's file as it was found.
public enum StoredRecord: Equatable, Sendable {
  /// It can be used.
  case good(PrintRecord)
  /// It cannot be read or is no intact record; it stays where it is.
  case damaged(file: String)
  /// It is intact but another person's: the name or the uid was given to
  /// somebody else. It is never used and stays where it is.
  case foreign(file: String, PrintRecord)

  /// The record, if it can be used.
  public var usable: PrintRecord? {
    if case .good(let record) = self { record } else { nil }
  }
}

/// A file that an administrator should look at.
public struct StoreProblem: Equatable, Sendable {
  /// Its path below the data folder.
  public let file: String
  /// `false` when it is damaged, `true` when it is intact but nobody's.
  public let isForeign: Bool
}
