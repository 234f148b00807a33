// SPDX-License-Identifier: Apache-2.0

/// An 8-bit grey image, row by row from the top, without padding; dark ridges on light ground at 500 dpi.
public struct GreyImage: Equatable, Sendable {
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// `width * height` values; 0 is black.
  public let pixels: [UInt8]

  /// The image as a binary PGM file ("P5").
  public var pgm: [UInt8] {
    Array("P5\n\(width) \(height)\n255\n".utf8) + pixels
  }

  /// The image as libfprint's virtual image reader receives it: width and height as 32-bit integers of the
  /// machine's own byte order, then the pixels.
  public var scan: [UInt8] {
    Self.nativeBytes(width) + Self.nativeBytes(height) + pixels
  }

  private static func nativeBytes(_ number: Int) -> [UInt8] {
    // `littleEndian` swaps exactly where memory order is the other one, so its low byte is always the first.
    let word = Int32(number).littleEndian
    return (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}
