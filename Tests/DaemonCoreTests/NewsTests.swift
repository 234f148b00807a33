// SPDX-License-Identifier: Apache-2.0

import Testing
import ThumbturnProtocol

@testable import DaemonCore

@Suite struct NewsTests {
  private static func sample() -> News {
    var news = News()
    news.add(News.Item(seconds: 1_700_000_000, finger: .rightIndex))
    news.add(News.Item(seconds: 1_700_000_001, finger: nil))
    return news
  }

  @Test func whatIsWrittenIsRead() {
    let news = NewsTests.sample()
    #expect(News(news.bytes(uid: 1000), uid: 1000) == news)
    #expect(
      String(decoding: news.bytes(uid: 1000), as: UTF8.self)
        == "1 1000\n1700000000 finger 7\n1700000001 pattern\n")
  }

  @Test func everyCutIsNothingOrAWholeLineLess() {
    let (bytes, items) = (NewsTests.sample().bytes(uid: 1000), NewsTests.sample().items)
    var understood = 0
    for count in 0..<bytes.count {
      guard let news = News(Array(bytes[..<count]), uid: 1000) else { continue }
      understood += 1
      #expect(news.items == Array(items[..<news.items.count]))
    }
    #expect(understood == 2)
  }

  @Test func theNewestAreKept() {
    var news = News()
    for second in 1...20 { news.add(News.Item(seconds: UInt64(second), finger: .leftThumb)) }
    #expect(news.items.map(\.seconds) == Array(13...20))
    var all = News()
    for _ in 1...20 { all.add(News.Item(seconds: .max, finger: .rightLittle)) }
    #expect(all.bytes(uid: .max).count <= 512)
  }

  @Test func anothersFileSaysNothing() {
    #expect(News(NewsTests.sample().bytes(uid: 1000), uid: 1001) == nil)
  }

  @Test(arguments: [
    "1 finger 0", "1 finger 11", "1 finger", "x pattern", "-1 pattern", "1 pattern 7", "1 face", "1",
    "1  pattern",
  ])
  func aLineThatIsNoneMakesItNothing(_ line: String) {
    #expect(News(Array("1 1\n\(line)\n".utf8), uid: 1) == nil)
  }

  @Test func aFileWithTooManyLinesIsNothing() {
    let lines = String(repeating: "1 pattern\n", count: 9)
    #expect(News(Array("1 1\n\(lines)".utf8), uid: 1) == nil)
  }
}
