// SPDX-License-Identifier: Apache-2.0

internal import CSystem

/// A moment as people of this machine's time zone read it, `2026-11-30 09:12`; "?" for
/// one that has no date. `seconds` count from 1970.
public func localTime(_ seconds: UInt64) -> String {
  guard seconds > 0, var moment = time_t(exactly: seconds) else { return "?" }
  // SAFETY: both structures live through the calls; strftime writes at most the 32 bytes it is told of.
  var parts = unsafe tm()
  var text = [CChar](repeating: 0, count: 32)
  guard unsafe localtime_r(&moment, &parts) != nil else { return "?" }
  let length = unsafe strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
  return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
}
