/// A moment as it is stored: whole seconds since 1970 began in UTC, and nanoseconds after them.
package struct UTCMoment: Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted; negative before.
  package var seconds: Int64
  /// Nanoseconds after `seconds`, from 0 to 999,999,999.
  package var nanoseconds: Int32

  /// States a moment.
  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

extension FieldParsing {
  /// A date of ISO 8601: `2026-11-21`, `2026-11-21T08:47:05.25+01:00`, and what lies between.
  ///
  /// A blank may stand in place of the T; minutes are needed, seconds and fraction are not. A
  /// time without zone, and a date without time, are in UTC. Digits beyond the nanosecond are
  /// cut off. The hour 24 and leap seconds are refused.
  package static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> UTCMoment? {
    var text = DateText(bytes: bytes)
    guard let year = text.number(4), text.take("-"), let month = text.number(2, 1...12),
      text.take("-"), let day = text.number(2, 1...31),
      day <= daysOfMonth(month, year: year)
    else { return nil }
    var moment = UTCMoment(seconds: daysSince1970(year, month, day) * 86_400)
    if text.isAtEnd { return moment }

    guard text.take("T") || text.take("t") || text.take(" "),
      let hour = text.number(2, 0...23), text.take(":"), let minute = text.number(2, 0...59)
    else { return nil }
    moment.seconds += hour * 3_600 + minute * 60
    if text.take(":") {
      guard let second = text.number(2, 0...59) else { return nil }
      moment.seconds += second
      if text.take(".") || text.take(",") {
        guard let nanoseconds = text.fraction() else { return nil }
        moment.nanoseconds = nanoseconds
      }
    }
    guard let offset = text.zone(), text.isAtEnd else { return nil }
    moment.seconds -= offset
    return moment
  }

  private static func daysOfMonth(_ month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 in the Gregorian calendar, also before its invention.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013: years begin in
  /// March, so that the leap day comes last.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// Reads a date from left to right.
private struct DateText {
  let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { at == bytes.count }

  /// Steps over a character if it is next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  /// A number of exactly so many digits.
  mutating func number(_ width: Int, _ range: ClosedRange<Int64> = 0...9_999) -> Int64? {
    guard at + width <= bytes.count else { return nil }
    var value: Int64 = 0
    for index in at..<at + width {
      guard let digit = FieldParsing.digit(bytes[index]) else { return nil }
      value = value * 10 + digit
    }
    at += width
    return range.contains(value) ? value : nil
  }

  /// Digits behind the decimal sign, as nanoseconds; at least one.
  mutating func fraction() -> Int32? {
    let first = at
    var value: Int32 = 0
    while at < bytes.count, let digit = FieldParsing.digit(bytes[at]) {
      if at - first < 9 { value = value * 10 + Int32(digit) }
      at += 1
    }
    guard at > first else { return nil }
    for _ in min(at - first, 9)..<9 { value *= 10 }
    return value
  }

  /// Seconds east of Greenwich: `Z`, `+01`, `+0100`, `+01:00`, or nothing, which is UTC.
  mutating func zone() -> Int64? {
    if isAtEnd || take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hours = number(2, 0...23) else { return nil }
    var seconds = hours * 3_600
    if !isAtEnd {
      _ = take(":")
      guard let minutes = number(2, 0...59) else { return nil }
      seconds += minutes * 60
    }
    return isWest ? -seconds : seconds
  }
}
