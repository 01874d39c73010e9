/// A part of a date in UTC and the Gregorian calendar, the last step of a property path: `opened.year`.
package enum CalendarPart: String, CaseIterable, Sendable {
  /// The year; 0 is the year before 1, as in ISO 8601.
  case year
  /// The month, from 1 to 12.
  case month
  /// The day of the month, from 1 to 31.
  case day
  /// The hour, from 0 to 23.
  case hour
  /// The minute, from 0 to 59.
  case minute
  /// The second without its fraction, from 0 to 59.
  case second

  /// Returns the part of a date.
  package func value(of date: Timestamp) -> Int64 {
    let (day, second) = date.seconds.dividedRoundingDown(by: Timestamp.secondsPerDay)
    let calendar = Timestamp.civilDate(daysSince1970: day)
    return switch self {
    case .year: Int64(calendar.year)
    case .month: Int64(calendar.month)
    case .day: Int64(calendar.day)
    case .hour: second / 3600
    case .minute: second / 60 % 60
    case .second: second % 60
    }
  }
}

extension Timestamp {
  /// Returns the beginning of a year in UTC; nil beyond the years of 64-bit seconds.
  package static func start(ofYear year: Int64) -> Timestamp? {
    guard (-292_277_022_656...292_277_026_596).contains(year) else { return nil }
    let (seconds, overflow) = Self.daysSince1970(year: year, month: 1, day: 1)
      .multipliedReportingOverflow(by: secondsPerDay)
    return overflow ? nil : Timestamp(seconds: seconds)
  }

  /// Returns the timestamp some seconds later; nil for NaN and beyond 64-bit seconds.
  package func advanced(bySeconds seconds: Double) -> Timestamp? {
    let whole = seconds.rounded(.down)
    guard let whole = Int64(exactly: whole) else { return nil }
    return advanced(
      bySeconds: whole, nanoseconds: Int64(((seconds - Double(whole)) * 1e9).rounded()))
  }

  /// Returns the timestamp some seconds and nanoseconds later; nil beyond 64-bit seconds.
  package func advanced(bySeconds seconds: Int64, nanoseconds: Int64 = 0) -> Timestamp? {
    let (sum, overflow) = self.seconds.addingReportingOverflow(seconds)
    return overflow
      ? nil : Timestamp(seconds: sum, nanoseconds: Int64(self.nanoseconds) + nanoseconds)
  }

  /// Returns the seconds from another timestamp to this one; negative if the other one is later.
  package func seconds(since other: Timestamp) -> Double {
    let whole = Int128(seconds) - Int128(other.seconds)
    return Double(whole) + Double(nanoseconds - other.nanoseconds) / 1e9
  }
}
