public import Foundation

/// A point in time.
///
///     let timestamp = Timestamp(seconds: 978_307_200, nanoseconds: 1)
///
/// From 1677 to 2262 a timestamp has a resolution of one nanosecond. `Date` is a binary floating-point number
/// of seconds since 2001: it is coarser in most of these years, and finer within 97 days of 2001-01-01.
/// Within these days, before 1677 and after 2262, the timestamps are the values of `Date`, and other
/// fractions are rounded to the nearest one. So each `Date` keeps its bits. There are no leap seconds.
public struct Timestamp: Hashable, Sendable {
  /// Whole seconds since 1970, rounded down and clamped to 64 bits.
  public let seconds: Int64
  /// The order of timestamps with the same `seconds`: nanoseconds, or the ordered bits of a date.
  package let subsecond: Int64

  /// Creates a timestamp from stored values of ``seconds`` and ``subsecond``.
  package init(seconds: Int64, subsecond: Int64) {
    self.seconds = seconds
    self.subsecond = subsecond
  }

  /// Creates a timestamp from seconds and nanoseconds, normalised.
  ///
  /// Timestamps outside the range of 64-bit seconds are clamped to it.
  ///
  /// - Parameters:
  ///   - seconds: Seconds since 1970.
  ///   - nanoseconds: Nanoseconds to add, of any size and sign.
  public init(seconds: Int64, nanoseconds: Int64 = 0) {
    let (carried, rest) = nanoseconds.dividedRoundingDown(by: Self.nanosecondsPerSecond)
    let (sum, overflow) = seconds.addingReportingOverflow(carried)
    guard !overflow else {
      self.init(seconds: carried > 0 ? .max : .min)
      return
    }
    if Self.hasNanoseconds(sum, rest) {
      self.init(seconds: sum, subsecond: rest)
    } else {
      self.init(dateSinceReference: Self.nearestInterval(sum, rest))
    }
  }

  /// Creates the timestamp of a date: the one with the fewest digits that converts back to the date.
  ///
  /// - Parameter date: NaN gives 1970, as in Realm.
  public init(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    guard !interval.isNaN else {
      self.init(seconds: 0, subsecond: 0)
      return
    }
    let whole = interval.rounded(.down)
    if abs(interval) >= Self.fineSeconds, abs(interval) < Self.wholeSeconds {
      let seconds = Int64(whole) + Self.referenceDateSeconds
      let nanoseconds = Self.shortestNanoseconds(interval, interval - whole)
      if Self.hasNanoseconds(seconds, nanoseconds) {
        self.init(seconds: seconds, subsecond: nanoseconds)
        return
      }
    }
    self.init(dateSinceReference: interval)
  }

  /// The nearest date.
  ///
  /// A timestamp that was created from a date returns the same date.
  public var date: Date {
    Date(
      timeIntervalSinceReferenceDate: Self.hasNanoseconds(seconds, subsecond)
        ? Self.nearestInterval(seconds, subsecond) : Double(orderedBits: subsecond))
  }

  /// Nanoseconds after `seconds`, from 0 to 999,999,999, rounded where dates are finer.
  public var nanoseconds: Int32 {
    if Self.hasNanoseconds(seconds, subsecond) { return Int32(subsecond) }
    let interval = Double(orderedBits: subsecond)
    let (whole, overflow) = seconds.subtractingReportingOverflow(Self.referenceDateSeconds)
    guard !overflow, abs(interval) < Self.wholeSeconds else { return 0 }
    guard abs(interval) < Self.fineSeconds else {
      return Int32(Self.shortestNanoseconds(interval, interval - Double(whole)))
    }
    // The bound of a range may have a `subsecond` outside its second, so the result is clamped.
    let rest = Self.nearestNanoseconds(interval) &- whole &* Self.nanosecondsPerSecond
    return Int32(max(0, min(rest, Self.nanosecondsPerSecond - 1)))
  }

  /// The earliest timestamp.
  package static let least = Timestamp(Date(timeIntervalSinceReferenceDate: -.infinity))
  /// The latest timestamp.
  package static let greatest = Timestamp(Date(timeIntervalSinceReferenceDate: .infinity))

  package static let nanosecondsPerSecond: Int64 = 1_000_000_000
  package static let nanosecondsPerMicrosecond: Int64 = 1000
  package static let nanosecondsPerDay = secondsPerDay * nanosecondsPerSecond
  /// 2001-01-01T00:00:00Z, the reference date of `Date`.
  private static let referenceDateSeconds: Int64 = 978_307_200
}

extension Timestamp: Comparable {
  /// Returns whether the first timestamp is earlier.
  public static func < (first: Timestamp, second: Timestamp) -> Bool {
    (first.seconds, first.subsecond) < (second.seconds, second.subsecond)
  }
}

// MARK: - Dates

extension Timestamp {
  /// The distance from 2001-01-01, in seconds, within which dates are finer than nanoseconds.
  private static let fineSeconds = 0x1p23
  private static let secondsOfFineDates =
    referenceDateSeconds - Int64(fineSeconds)..<referenceDateSeconds + Int64(fineSeconds)
  /// The distance from 2001-01-01, in seconds, from which on dates are whole seconds.
  private static let wholeSeconds = 0x1p53

  /// Creates a timestamp with the bits of a date, outside the range of nanosecond resolution.
  private init(dateSinceReference interval: Double) {
    let whole = Int128(max(-0x1p64, min(interval.rounded(.down), 0x1p64)))
    self.init(
      seconds: Int64(clamping: whole + Int128(Self.referenceDateSeconds)),
      // Adding 0 makes -0.0 the equal 0.0.
      subsecond: (interval + 0).orderedBits)
  }

  /// Returns whether the timestamp of some seconds and nanoseconds since 1970 has nanosecond resolution: the
  /// total number of nanoseconds fits in 64 bits, and dates are coarser.
  private static func hasNanoseconds(_ seconds: Int64, _ nanoseconds: Int64) -> Bool {
    switch seconds {
    case secondsOfFineDates: return false
    case -9_223_372_036..<9_223_372_036: return true
    case -9_223_372_037: return (145_224_192..<nanosecondsPerSecond).contains(nanoseconds)
    case 9_223_372_036: return (0...854_775_807).contains(nanoseconds)
    default: return false
    }
  }

  /// Returns the date nearest to some seconds and nanoseconds since 1970, in seconds since 2001.
  ///
  /// Each branch rounds once. In the second branch the division has an error of at most 2^-54, and every
  /// nanosecond is at least 2^-52 away from the midpoint of two dates.
  private static func nearestInterval(_ seconds: Int64, _ nanoseconds: Int64) -> Double {
    let whole = Int128(seconds) - Int128(referenceDateSeconds)
    if abs(whole) <= Int128(fineSeconds) {
      return Double(Int64(whole) * nanosecondsPerSecond + nanoseconds) / 1e9
    }
    if abs(whole) < Int128(wholeSeconds) { return Double(whole) + Double(nanoseconds) / 1e9 }
    // Here the fraction only breaks ties.
    return Double(whole * 2 + (nanoseconds > 0 ? 1 : 0)) / 2
  }

  /// Returns the fraction of a date in nanoseconds, with the fewest digits that identify the date.
  ///
  /// - Parameters:
  ///   - interval: The seconds since 2001, where dates are coarser than nanoseconds.
  ///   - fraction: The fraction of `interval` above the next lower integer.
  /// - Returns: The nanoseconds, below 1,000,000,000 because whole seconds are dates.
  private static func shortestNanoseconds(_ interval: Double, _ fraction: Double) -> Int64 {
    guard fraction != 0 else { return 0 }
    // At most one number of up to five digits rounds to a date in steps below 10 µs.
    var step = interval.ulp < 1e-5 ? nanosecondsPerSecond / 100_000 : nanosecondsPerSecond / 10
    let whole = interval - fraction
    while step > 1 {
      let nanoseconds = (fraction * Double(nanosecondsPerSecond / step)).rounded() * Double(step)
      if whole + nanoseconds / 1e9 == interval { return Int64(nanoseconds) }
      step /= 10
    }
    return Int64((fraction * 1e9).rounded())
  }

  /// Returns the nanoseconds since 2001 nearest to a date, where dates are finer than nanoseconds.
  private static func nearestNanoseconds(_ interval: Double) -> Int64 {
    let product = (interval * 1e9).rounded()
    return Int64(product) + Int64((-product).addingProduct(interval, 1e9).rounded())
  }

  /// The nanoseconds since 1970; nil if they overflow 64 bits, or if the timestamp is between two nanoseconds.
  package var nanosecondsSince1970: Int64? {
    if Self.hasNanoseconds(seconds, subsecond) {
      // The product with the first second of the range alone would overflow.
      return seconds < 0
        ? (seconds + 1) * Self.nanosecondsPerSecond - (Self.nanosecondsPerSecond - subsecond)
        : seconds * Self.nanosecondsPerSecond + subsecond
    }
    let interval = Double(orderedBits: subsecond)
    guard abs(interval) <= Self.fineSeconds else { return nil }
    let nanoseconds = Self.nearestNanoseconds(interval)
    guard Double(nanoseconds) / 1e9 == interval else { return nil }
    return nanoseconds + Self.referenceDateSeconds * Self.nanosecondsPerSecond
  }
}

extension Double {
  /// The bits as an integer; the integers are ordered like the floating-point numbers.
  fileprivate var orderedBits: Int64 {
    let bits = Int64(bitPattern: bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  fileprivate init(orderedBits bits: Int64) {
    self.init(bitPattern: UInt64(bitPattern: bits < 0 ? bits ^ .max : bits))
  }
}

// MARK: - Text

extension Timestamp: CustomStringConvertible {
  /// The timestamp in ISO 8601 and UTC, `2001-05-01T00:00:00.000000001Z`, with the fewest fraction digits that
  /// identify it.
  ///
  /// Years after 9999 have a sign. Dates are clamped to ±292 billion years.
  public var description: String {
    let seconds = calendarTime.seconds
    let secondOfDay = Int(seconds &- daysSince1970 &* Self.secondsPerDay)
    let clock = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60]
      .map { Self.padded($0, to: 2) }.joined(separator: ":")
    let digits = fractionDigits
    return "\(day)T\(clock)\(digits.isEmpty ? "" : ".")\(digits)Z"
  }

  /// The day in ISO 8601 and UTC, `2001-05-01`.
  package var day: String {
    let (year, month, day) = Self.civilDate(daysSince1970: daysSince1970)
    return (year > Self.lastYear ? "+" : "")
      + "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
  }

  /// Whether the timestamp is the beginning of a day in UTC.
  package var isStartOfDay: Bool {
    self == Timestamp(seconds: daysSince1970 &* Self.secondsPerDay)
  }

  /// The days since 1970-01-01, rounded down.
  package var daysSince1970: Int64 {
    calendarTime.seconds.dividedRoundingDown(by: Self.secondsPerDay).quotient
  }

  /// The seconds since 1970 and the nanoseconds that the text shows.
  ///
  /// Conversion to a date rounds times up to 15 µs before the year 10000 to its first second. The text shows a
  /// time in the year 9999 for that second, because most programs read years of four digits.
  package var calendarTime: (seconds: Int64, nanoseconds: Int32) {
    seconds == Self.firstSecondOfYear10000 && nanoseconds == 0
      ? (seconds - 1, 999_990_000) : (seconds, nanoseconds)
  }

  private static let firstSecondOfYear10000: Int64 = 253_402_300_800
  private static let lastYear = 9999
  static let secondsPerDay: Int64 = 86_400

  private var fractionDigits: String {
    var digits =
      Self.secondsOfFineDates.contains(seconds)
      ? Self.fractionDigits(Double(orderedBits: subsecond))
      : Self.padded(Int(calendarTime.nanoseconds), to: 9)
    while digits.hasSuffix("0") { digits.removeLast() }
    return digits
  }

  /// Returns the digits of the fraction of a number above the next lower integer.
  private static func fractionDigits(_ number: Double) -> String {
    let parts = number.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    let digits = mantissa.joined()
    let fraction = String(repeating: "0", count: max(0, -point)) + digits.dropFirst(max(0, point))
    return number < 0 ? complement(fraction) : fraction
  }

  /// Returns the digits of one minus a fraction.
  private static func complement(_ digits: String) -> String {
    var (result, isAfterLast): ([UInt8], Bool) = ([], true)
    for digit in digits.utf8.reversed() {
      let value = digit - UInt8(ascii: "0")
      result.append(UInt8(ascii: "0") + (isAfterLast ? (10 - value) % 10 : 9 - value))
      if value != 0 { isAfterLast = false }
    }
    return String(decoding: result.reversed(), as: UTF8.self)
  }

  /// Creates the timestamp of some seconds since 1970 and the digits of a fraction.
  ///
  /// A fraction of more than nine digits is rounded so that the timestamp is converted to the nearest date.
  ///
  /// - Parameters:
  ///   - seconds: Seconds since 1970.
  ///   - digits: ASCII digits.
  package init(seconds: Int64, fractionDigits digits: some Collection<UInt8>) {
    let firstNine = Array(digits.prefix(9))
    var nanoseconds = firstNine.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    for _ in firstNine.count..<9 { nanoseconds *= 10 }
    let others = digits.dropFirst(9)
    guard others.contains(where: { $0 != UInt8(ascii: "0") }) else {
      self.init(seconds: seconds, nanoseconds: nanoseconds)
      return
    }
    let date = Self.nearestDate(seconds, String(decoding: digits, as: UTF8.self))
    guard Self.hasNanoseconds(seconds, nanoseconds) else {
      self.init(date)
      return
    }
    let neighbors = [nanoseconds, nanoseconds + 1].map {
      Timestamp(seconds: seconds, nanoseconds: $0)
    }
    let isNearerToSecond = (others.first ?? 0) >= UInt8(ascii: "5")
    let nearest = neighbors[isNearerToSecond ? 1 : 0]
    self = nearest.date == date ? nearest : neighbors[isNearerToSecond ? 0 : 1]
  }

  /// Returns the date that is nearest to some seconds since 1970 and the digits of a fraction.
  private static func nearestDate(_ seconds: Int64, _ digits: String) -> Date {
    let whole = Int128(seconds) - Int128(referenceDateSeconds)
    let text = whole < 0 ? "-\(-(whole + 1)).\(complement(digits))" : "\(whole).\(digits)"
    return Date(timeIntervalSinceReferenceDate: Double(text) ?? Double(whole))
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }

  /// Returns year, month and day of a day number in the proleptic Gregorian calendar.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  static func civilDate(daysSince1970 days: Int64) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (days + 719_468).dividedRoundingDown(by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (Int(year), Int(month), Int(day))
  }

  /// Returns the days from 1970-01-01 to a date in the proleptic Gregorian calendar.
  ///
  /// Years begin in March here, so that the leap day is the last day.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
  package static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedRoundingDown(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Creates the timestamp of a date and time in UTC; nil if it does not exist.
  package init?(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0
  ) {
    guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
    else { return nil }
    let days = Self.daysSince1970(year: Int64(year), month: Int64(month), day: Int64(day))
    guard Self.civilDate(daysSince1970: days) == (year, month, day) else { return nil }
    self.init(seconds: days * Self.secondsPerDay + Int64(hour * 3600 + minute * 60 + second))
  }
}

extension Int64 {
  /// Divides towards negative infinity.
  ///
  /// - Parameter divisor: A positive number.
  /// - Returns: The quotient, and the remainder, which is not negative.
  @inlinable
  package func dividedRoundingDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// The unit of the dates of a column in a file with typed columns.
package enum DateForm: Hashable, Sendable {
  /// Days, without a time of day.
  case days
  /// Microseconds, rounded down.
  case microseconds
  /// Nanoseconds, from 1677 to 2262.
  case nanoseconds
}
