// SPDX-License-Identifier: Apache-2.0

import CThumbturnShim

@c @implementation
public func thumbturn_pam_code(_ refusal: CInt) -> CInt {
  guard let known = Refusal(rawValue: UInt8(truncatingIfNeeded: refusal)), CInt(known.rawValue) == refusal
  else {
    return PAMFailure.systemError.rawValue
  }
  return known.pamFailure.rawValue
}
