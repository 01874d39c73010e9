public import Foundation

/// A point in time: seconds and nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
///     let timestamp = Timestamp(seconds: 978_307_200, nanoseconds: 1)
///
/// `Foundation.Date` is a binary floating-point number of seconds since 2001 and cannot represent
/// every nanosecond. A timestamp is exact, and so is its order.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970, rounded down.
  public let seconds: Int64
  /// Nanoseconds after `seconds`, from 0 to 999,999,999.
  public let nanoseconds: Int32

  /// Creates a timestamp from seconds and nanoseconds, normalised.
  ///
  /// Timestamps outside the range of 64-bit seconds are clamped to it.
  ///
  /// - Parameters:
  ///   - seconds: Seconds since 1970.
  ///   - nanoseconds: Nanoseconds to add, of any size and sign.
  public init(seconds: Int64, nanoseconds: Int64 = 0) {
    let carried = nanoseconds.quotientRoundedDown(by: Self.nanosecondsPerSecond)
    let (sum, overflow) = seconds.addingReportingOverflow(carried)
    let last = Self.nanosecondsPerSecond - 1
    self.seconds = overflow ? (carried > 0 ? .max : .min) : sum
    self.nanoseconds =
      overflow
      ? Int32(carried > 0 ? last : 0)
      : Int32(nanoseconds &- carried &* Self.nanosecondsPerSecond)
  }

  /// Creates the timestamp nearest to a date.
  ///
  /// - Parameter date: Dates beyond ±292 billion years are clamped; NaN gives 1970.
  public init(_ date: Date) {
    let sinceReference = date.timeIntervalSinceReferenceDate
    guard !sinceReference.isNaN else { self.init(seconds: 0); return }
    let whole = sinceReference.rounded(.down)
    guard whole > -9.2e18, whole < 9.2e18 else {
      self.init(seconds: whole < 0 ? .min : .max)
      return
    }
    let nanoseconds = ((sinceReference - whole) * 1e9).rounded()
    self.init(
      seconds: Int64(whole) + Self.referenceDateSeconds, nanoseconds: Int64(nanoseconds))
  }

  /// The nearest date.
  public var date: Date {
    let (whole, overflow) = seconds.subtractingReportingOverflow(Self.referenceDateSeconds)
    let base = overflow ? Double(seconds) : Double(whole)
    return Date(timeIntervalSinceReferenceDate: base + Double(nanoseconds) / 1e9)
  }

  /// Returns whether the first timestamp is earlier.
  public static func < (first: Timestamp, second: Timestamp) -> Bool {
    (first.seconds, first.nanoseconds) < (second.seconds, second.nanoseconds)
  }

  /// The earliest timestamp.
  package static let least = Timestamp(seconds: .min)
  /// The latest timestamp.
  package static let greatest = Timestamp(
    seconds: .max, nanoseconds: nanosecondsPerSecond - 1)

  package static let nanosecondsPerSecond: Int64 = 1_000_000_000
  /// 2001-01-01T00:00:00Z, the reference date of `Date`.
  private static let referenceDateSeconds: Int64 = 978_307_200
}

extension Timestamp: CustomStringConvertible {
  /// The timestamp in ISO 8601 and UTC: `2001-05-01T00:00:00.000000001Z`, without trailing zeros in
  /// the fraction.
  public var description: String {
    let secondsPerDay: Int64 = 86_400
    let days = seconds.quotientRoundedDown(by: secondsPerDay)
    // The start of the first representable day is out of range; the difference is not.
    let secondOfDay = Int(seconds &- days &* secondsPerDay)
    let (year, month, day) = Self.civilDate(daysSince1970: days)
    let clock = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60]
      .map { Self.padded($0, to: 2) }.joined(separator: ":")
    return "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
      + "T\(clock)\(fraction)Z"
  }

  private var fraction: String {
    guard nanoseconds != 0 else { return "" }
    var digits = Self.padded(Int(nanoseconds), to: 9)
    while digits.hasSuffix("0") { digits.removeLast() }
    return "." + digits
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }

  /// Returns year, month and day of a day number in the proleptic Gregorian calendar.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  private static func civilDate(daysSince1970 days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted.quotientRoundedDown(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (Int(year), Int(month), Int(day))
  }

  /// Creates the timestamp of a date and time in UTC; nil if it does not exist.
  package init?(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
    nanoseconds: Int = 0
  ) {
    guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
    else { return nil }
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let era = shiftedYear.quotientRoundedDown(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    guard Self.civilDate(daysSince1970: days) == (year, month, day) else { return nil }
    self.init(
      seconds: days * 86_400 + Int64(hour * 3600 + minute * 60 + second),
      nanoseconds: Int64(nanoseconds))
  }
}

extension Int64 {
  /// Returns the quotient rounded towards negative infinity.
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
