import Foundation
import Testing

@testable import CadastreModel

@Suite struct TimestampTests {
  @Test func `nanoseconds are normalised to 0..<1,000,000,000`() {
    #expect(
      Timestamp(seconds: 1, nanoseconds: -1) == Timestamp(seconds: 0, nanoseconds: 999_999_999))
    #expect(Timestamp(seconds: 0, nanoseconds: 2_500_000_000).seconds == 2)
    #expect(Timestamp(seconds: .max, nanoseconds: 1_000_000_000).seconds == .max)
    // A file may contain any 64-bit number of nanoseconds; the smallest once crashed the process.
    #expect(Timestamp(seconds: 0, nanoseconds: .min).nanoseconds == 145_224_192)
    #expect(Timestamp(seconds: 0, nanoseconds: .max).nanoseconds == 854_775_807)
    #expect(Timestamp(seconds: .min, nanoseconds: -1).seconds == .min)
  }

  @Test func `timestamps out of range are clamped, and their order is kept`() {
    let first = Timestamp(seconds: .min, nanoseconds: -1)
    let last = Timestamp(seconds: .max, nanoseconds: 1_000_000_000)

    #expect(first <= Timestamp(seconds: .min))
    #expect(last >= Timestamp(seconds: .max, nanoseconds: 999_999_999))
  }

  @Test func `dates round-trip`() {
    var interval = -70_000_000_000.123
    while interval < 70_000_000_000 {
      let date = Date(timeIntervalSinceReferenceDate: interval)
      // A date has a coarser resolution than a nanosecond, except in the years near 2001.
      let tolerance = abs(interval) < 4_000_000 ? 1e-9 : 0
      let result = Timestamp(date).date.timeIntervalSinceReferenceDate
      #expect(abs(result - interval) <= tolerance, "\(interval)")
      interval += 97_654_321.987
    }
    for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0)] {
      #expect(Timestamp(date).date == date)
    }
  }

  @Test func `dates that round up to a full second do not crash`() {
    for interval in [Double.infinity, -.infinity, .nan, 1e300, -1e300, 9.3e18, -9.3e18, 9.19e18] {
      _ = Timestamp(Date(timeIntervalSinceReferenceDate: interval))
      _ = Timestamp(Date(timeIntervalSinceReferenceDate: interval)).date
    }
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .nan)).seconds == 0)
  }

  @Test func `the text is the ISO 8601 of Foundation`() throws {
    let style = Date.ISO8601FormatStyle()
    // For earlier days Foundation uses the Julian calendar, ISO 8601 the Gregorian.
    var seconds: Int64 = -12_212_553_600
    while seconds < 253_402_300_800 {
      let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
      #expect(Timestamp(seconds: seconds).description == expected)
      seconds += 98_765_432
    }
    #expect(
      Timestamp(seconds: 988_675_200, nanoseconds: 1).description
        == "2001-05-01T00:00:00.000000001Z")
    #expect(
      Timestamp(seconds: -2, nanoseconds: 500_000_000).description == "1969-12-31T23:59:58.5Z")
    _ = Timestamp(seconds: .min).description
    _ = Timestamp(seconds: .max).description
  }

  @Test func `calendar dates become the timestamps of Foundation`() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    for year in stride(from: 1600, through: 2400, by: 7) {
      for (month, day) in [(1, 1), (2, 28), (3, 1), (12, 31), (7, 15)] {
        let timestamp = try #require(
          Timestamp(year: year, month: month, day: day, hour: 23, minute: 59, second: 58))
        let parts = calendar.dateComponents(
          [.year, .month, .day, .hour, .minute, .second], from: timestamp.date)
        #expect(parts.year == year && parts.month == month && parts.day == day)
        #expect(parts.hour == 23 && parts.minute == 59 && parts.second == 58)
      }
    }
  }

  @Test func `calendar dates that do not exist are rejected`() {
    #expect(Timestamp(year: 2001, month: 2, day: 29) == nil)
    #expect(Timestamp(year: 1900, month: 2, day: 29) == nil)
    #expect(Timestamp(year: 2000, month: 2, day: 29) != nil)
    #expect(Timestamp(year: 2001, month: 13, day: 1) == nil)
    #expect(Timestamp(year: 2001, month: 1, day: 1, hour: 24) == nil)
    #expect(Timestamp(year: .max, month: 1, day: 1) == nil)
    #expect(Timestamp(year: .min, month: 1, day: 1) == nil)
  }
}
