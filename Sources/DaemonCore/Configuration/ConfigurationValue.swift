// SPDX-License-Identifier: Apache-2.0

/// What a key of the configuration file says.
enum ConfigurationValue: Equatable, CustomStringConvertible {
  case number(Int)
  case flag(Bool)
  /// One of a few words.
  case word(String)
  /// Names, in their order.
  case names([String])

  /// As it stands in a file.
  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .word(let word): word
    case .names(let names): names.joined(separator: " ")
    }
  }

  var number: Int? { if case .number(let number) = self { number } else { nil } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var word: String? { if case .word(let word) = self { word } else { nil } }
  var names: [String]? { if case .names(let names) = self { names } else { nil } }
}

extension ConfigurationValue {
  /// A number in decimal digits and in range; `nil` for anything else.
  static func number(_ text: Substring, in range: ClosedRange<Int>) -> ConfigurationValue? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      range.contains(number)
    else { return nil }
    return .number(number)
  }

  /// `true` or `false`.
  static func flag(_ text: Substring) -> ConfigurationValue? {
    text == "true" ? .flag(true) : text == "false" ? .flag(false) : nil
  }

  /// Names of files in `/etc/pam.d`. With a comma or a quote, two would pass for one.
  static func names(_ text: Substring) -> ConfigurationValue? {
    let names = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    return names.allSatisfy(isServiceName) ? .names(names) : nil
  }
}

/// Whether a name can be that of a file in `/etc/pam.d`.
func isServiceName(_ name: String) -> Bool {
  !name.isEmpty
    && name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2B, 0x2D, 0x2E, 0x40, 0x5F].contains(byte)
    }
}
