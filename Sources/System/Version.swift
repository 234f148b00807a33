// SPDX-License-Identifier: Apache-2.0

/// What all programs of this package call themselves.
public enum Product {
  /// The version, as in the changelog.
  public static let version = "0.1.0"
}
