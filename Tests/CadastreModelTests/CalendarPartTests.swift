import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreModel

/// Parts of dates, compared with the calendar of Foundation.
@Suite struct CalendarPartTests {
  private static let calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  @Test(arguments: Seeds.usual(1...2))
  func `parts are those of the calendar`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      // The calendar of Foundation is Julian before 1582.
      let seconds = Int64.random(in: -12_000_000_000...30_000_000_000, using: &random)
      let date = Timestamp(seconds: seconds, nanoseconds: Int64(random.below(1_000_000_000)))
      let parts = Self.calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second],
        from: Date(timeIntervalSince1970: Double(seconds)))
      let expected = [
        parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second,
      ]
      #expect(CalendarPart.allCases.map { Int($0.value(of: date)) } == expected, "\(date)")
    }
  }

  @Test(arguments: Seeds.usual(3...4))
  func `a year begins with its first second`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let range: ClosedRange<Int64> = random.oneIn(2) ? -3000...5000 : -90_000_000...90_000_000
      let year = Int64.random(in: range, using: &random)
      let start = try #require(Timestamp.start(ofYear: year))
      #expect(CalendarPart.allCases.map { $0.value(of: start) } == [year, 1, 1, 0, 0, 0])
      // Without a fraction, which is rounded far from the year 2001.
      let before = Timestamp(seconds: start.seconds - 1)
      #expect(CalendarPart.allCases.map { $0.value(of: before) } == [year - 1, 12, 31, 23, 59, 59])
      #expect(before < start)
    }
    #expect(Timestamp.start(ofYear: 2001) == Timestamp(year: 2001, month: 1, day: 1))
    #expect(Timestamp.start(ofYear: .max) == nil && Timestamp.start(ofYear: .min) == nil)
  }

  @Test func `the extreme dates have parts`() {
    #expect(CalendarPart.year.value(of: .greatest) == 292_277_026_596)
    #expect(CalendarPart.year.value(of: .least) == -292_277_022_657)
  }

  @Test func `seconds are added and subtracted`() {
    let date = Timestamp(seconds: 10, nanoseconds: 500_000_000)
    #expect(
      date.advanced(bySeconds: 86_400) == Timestamp(seconds: 86_410, nanoseconds: 500_000_000))
    #expect(date.advanced(bySeconds: -0.75) == Timestamp(seconds: 9, nanoseconds: 750_000_000))
    #expect(date.advanced(bySeconds: .nan) == nil && date.advanced(bySeconds: 1e300) == nil)
    #expect(date.advanced(bySeconds: Int64.max) == nil)
    #expect(date.seconds(since: Timestamp(seconds: 12)) == -1.5)
  }
}
