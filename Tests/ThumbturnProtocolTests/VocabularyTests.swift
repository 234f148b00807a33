// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@Suite struct VocabularyTests {
  /// PAM_SUCCESS is 0 and PAM_IGNORE is 25 in Linux-PAM.
  @Test(arguments: Refusal.allCases) func noRefusalBecomesSuccessOrIgnore(_ refusal: Refusal) {
    #expect(refusal.pamFailure.rawValue != 0)
    #expect(refusal.pamFailure.rawValue != 25)
  }

  @Test func refusalsHaveDistinctMessages() {
    let messages = Set(Refusal.allCases.map { $0.message.description })
    #expect(messages.count == Refusal.allCases.count)
  }

  @Test func onlyAMismatchOrAWrongPatternIsAnAuthenticationError() {
    #expect(Refusal.allCases.filter { $0.pamFailure == .authError } == [.noMatch, .wrongPattern])
  }

  @Test func textsRefuseWhatDoesNotFit() {
    let full = [UInt8](repeating: 0x61, count: Text.capacity)
    #expect(Text(full.span)?.count == Text.capacity)
    #expect(Text((full + [0x61]).span) == nil)
    #expect(Text([0x61, 0, 0x62].span) == nil)
  }

  @Test func controlCharactersNeverReachATerminal() {
    #expect(Golden.text("a\u{1B}[2Jb\n\u{7F}é\u{9B}c").printable == Golden.text("a?[2Jb??é?c"))
  }

  @Test func fingerSets() {
    #expect(FingerSet([.leftRing]).only == .leftRing)
    #expect(FingerSet([.leftRing, .rightThumb]).only == nil)
    #expect(FingerSet([]).only == nil)
    #expect(FingerSet(bits: .max).bits == 0x07FE)
  }
}
