// SPDX-License-Identifier: Apache-2.0

import Records
import Testing
import ThumbturnProtocol

/// The names of files.
@Suite struct RecordNameTests {
  /// The PAM module looks for the marker of these by the plain name.
  @Test(arguments: [
    "ada", "Ada.Lovelace", "svc$", "a+b", "ada@example.org", "EX\\ada", "a b", "-x", "zoë", "~",
  ])
  func plainNamesStayAsTheyAre(_ name: String) {
    #expect(RecordName.folder(of: Sample.text(name)) == name)
  }

  @Test(arguments: [
    ("a/b", "a%2Fb"), ("..", "%2E."), (".", "%2E"), (".new-x", "%2Enew-x"), ("a%2Fb", "a%252Fb"),
    ("a\nb", "a%0Ab"), ("a\u{7F}", "a%7F"), ("../../etc", "%2E.%2F..%2Fetc"),
  ])
  func whatAFileCannotBeCalledIsEscaped(_ name: String, _ file: String) {
    #expect(RecordName.folder(of: Sample.text(name)) == file)
  }

  @Test func namesThatCannotBeKeptAreRefused() {
    #expect(RecordName.folder(of: Text()) == nil)
    #expect(RecordName.folder(of: Text([0x61, 0xFF].span) ?? Text()) == nil)
  }

  @Test func aRecordsFileSaysFingerAndReader() {
    #expect(
      RecordName.file(finger: .leftThumb, reader: Sample.reader, attempt: 0) == "left-thumb.b151927d.print")
    #expect(
      RecordName.file(finger: .leftThumb, reader: Sample.reader, attempt: 2) == "left-thumb.b151927d-2.print")
  }
}
