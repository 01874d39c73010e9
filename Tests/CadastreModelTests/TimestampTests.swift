import CadastreTestSupport
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
    #expect(Timestamp(seconds: .min, nanoseconds: -1) == Timestamp(seconds: .min))
  }

  @Test func `timestamps out of range are clamped, and their order is kept`() {
    let first = Timestamp(seconds: .min, nanoseconds: -1)
    let last = Timestamp(seconds: .max, nanoseconds: 1_000_000_000)

    #expect(first <= Timestamp(seconds: .min))
    #expect(last >= Timestamp(seconds: .max, nanoseconds: 999_999_999))
  }

  /// A date of any exponent, or near a bound between the forms of timestamps.
  private static func interval(_ random: inout SeededGenerator) -> Double {
    switch random.below(4) {
    case 0:
      let number = Double(bitPattern: random.next())
      return number.isNaN ? 0 : number
    case 1: return Double.random(in: -1e11...1e11, using: &random)
    case 2: return Double.random(in: -9e6...9e6, using: &random)
    default:
      let bounds = [
        0x1p23, -0x1p23, 8_245_064_836.854775, -10_201_679_236.854776, 0x1p53, 252_423_993_600,
        0,
      ]
      return random.pick(bounds) + Double.random(in: -2...2, using: &random)
    }
  }

  @Test(arguments: Seeds.usual(1...2))
  func `each date keeps its bits and its order, and is the date of its text`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var last = (interval: 0.0, timestamp: Timestamp(Date(timeIntervalSinceReferenceDate: 0)))
    for _ in 0..<20_000 {
      let interval = Self.interval(&random)
      let timestamp = Timestamp(Date(timeIntervalSinceReferenceDate: interval))
      let found = timestamp.date.timeIntervalSinceReferenceDate
      #expect(found.bitPattern == (interval + 0).bitPattern, "seed \(seed): \(interval)")
      #expect((last.interval < interval) == (last.timestamp < timestamp), "seed \(seed)")
      #expect((last.interval == interval) == (last.timestamp == timestamp), "seed \(seed)")
      if abs(interval) < 9.2e18 {
        let text = timestamp.description.dropLast().split(separator: ".")
        let digits = text.count > 1 ? Array(text[1].utf8) : []
        let seconds = timestamp.calendarTime.seconds
        #expect(
          Timestamp(seconds: seconds, fractionDigits: digits) == timestamp,
          "seed \(seed): \(interval)")
        if let last = digits.last {
          #expect(last != UInt8(ascii: "0"))
          // Without the last digit, rounded down or up, it is another date.
          let shorter = Timestamp(seconds: seconds, fractionDigits: digits.dropLast())
          #expect(shorter != timestamp, "seed \(seed): \(interval) \(timestamp)")
        }
      }
      last = (interval, timestamp)
    }
  }

  // The expected dates are those of Python's fractions, rounded to the nearest double.
  @Test(arguments: [
    (253_402_300_799, "999999", 252423993600.0), (253_402_300_799, "999", 252423993599.999),
    (1_577_923_199, "999999999", 599616000.0), (0, "000000001", -978307200.0),
    (-1, "999999999", -978307200.0), (-62_135_596_800, "000001", -63113904000.0),
    (-62_135_596_801, "999999", -63113904000.0), (10_426_881_600, "123456", 9448574400.123455),
    (-11_662_920_000, "123", -12641227199.877),
    (978_307_200, "3333333333333333", 0.3333333333333333),
    (978_307_199, "99999999999999999999", -1e-20),
    (1_577_836_800, "12345678949999999", 599529600.1234568),
  ])
  func `text is the nearest date`(seconds: Int, digits: String, interval: Double) {
    let timestamp = Timestamp(seconds: Int64(seconds), fractionDigits: Array(digits.utf8))
    #expect(timestamp.date.timeIntervalSinceReferenceDate == interval)
  }

  @Test(arguments: [
    (252423993600.0, "9999-12-31T23:59:59.99999Z"), (252423993599.999, "9999-12-31T23:59:59.999Z"),
    (252423993601.0, "+10000-01-01T00:00:01Z"), (599529600.1, "2020-01-01T00:00:00.1Z"),
    (-12641227199.877, "1600-06-01T12:00:00.123Z"),
    (0.30000000000000004, "2001-01-01T00:00:00.30000000000000004Z"),
    (-1e-20, "2000-12-31T23:59:59.99999999999999999999Z"), (-63113904000.0, "0001-01-01T00:00:00Z"),
  ])
  func `a date is written with the fewest digits that give it back`(
    interval: Double, text: String
  ) {
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: interval)).description == text)
  }

  @Test func `timestamps from 1677 to 2262 are exact to the nanosecond`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<10_000 {
      let nanoseconds = Int64(bitPattern: random.next())
      let timestamp = Timestamp(seconds: 0, nanoseconds: nanoseconds)
      #expect(timestamp.nanosecondsSince1970 == nanoseconds)
      let (seconds, rest) = (timestamp.seconds, Int64(timestamp.nanoseconds))
      #expect(Timestamp(seconds: seconds, nanoseconds: rest) == timestamp)
    }
    for number in [Int64.min, .max, 978_307_200_000_000_000, 978_307_200_000_000_001] {
      #expect(Timestamp(seconds: 0, nanoseconds: number).nanosecondsSince1970 == number)
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
