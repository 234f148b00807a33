// SPDX-License-Identifier: Apache-2.0

/// How a record keeps its template.
public protocol Sealing: Sendable {
  /// The code that stands in the record; codes are append-only.
  var code: UInt8 { get }

  /// Seals a template. `header` is everything that stands before it in the
  /// record, so that a seal can bind the template to it.
  func seal(_ template: [UInt8], header: [UInt8]) -> [UInt8]

  /// The template, `nil` when the seal is not intact.
  func open(_ sealed: [UInt8], header: [UInt8]) -> [UInt8]?
}

/// Keeps the template as it is, protected by the file's permissions alone.
public struct PlainSeal: Sealing {
  /// Code 0.
  public let code: UInt8 = 0

  /// Needs no key.
  public init() {}

  /// The template.
  public func seal(_ template: [UInt8], header: [UInt8]) -> [UInt8] { template }

  /// The template.
  public func open(_ sealed: [UInt8], header: [UInt8]) -> [UInt8]? { sealed }
}
