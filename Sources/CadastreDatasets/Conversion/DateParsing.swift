package import CadastreModel

extension FieldParsing {
  /// Parses a date or timestamp in ISO 8601: `2026-11-21`, `2026-11-21T08:47:05.25+01:00`.
  ///
  /// A blank may replace the T, and two slashes the hyphens of the date, as in `2026/11/21 08:47`.
  /// A year of more than four digits, or before the year 0, has a sign. A time has at least hours
  /// and minutes. A time without zone and a date without time are in UTC. The hour 24 and leap
  /// seconds are invalid.
  package static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    var text = DateScanner(bytes: bytes)
    guard let year = text.year() else { return nil }
    let separator: Unicode.Scalar = text.take("/") ? "/" : "-"
    guard separator == "/" || text.take("-"), let month = text.number(2, 1...12),
      text.take(separator), let day = text.number(2, 1...31),
      day <= daysOfMonth(month, year: year)
    else { return nil }
    var seconds = Timestamp.daysSince1970(year: year, month: month, day: day) * 86_400
    var fraction: Range<Int> = 0..<0
    if text.isAtEnd { return Timestamp(seconds: seconds) }

    guard text.take("T") || text.take("t") || text.take(" "),
      let hour = text.number(2, 0...23), text.take(":"), let minute = text.number(2, 0...59)
    else { return nil }
    seconds += hour * 3_600 + minute * 60
    if text.take(":") {
      guard let second = text.number(2, 0...59) else { return nil }
      seconds += second
      if text.take(".") || text.take(",") {
        fraction = text.digits()
        if fraction.isEmpty { return nil }
      }
    }
    guard let offset = text.zone(), text.isAtEnd else { return nil }
    return Timestamp(seconds: seconds - offset, fractionDigits: bytes[fraction])
  }

  private static func daysOfMonth(_ month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A parser of dates.
private struct DateScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { at == bytes.count }

  /// Consumes a character if it is the next one.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  /// Consumes a number of exactly `width` digits; nil if it is out of range.
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

  /// Consumes a year of four digits, or with a sign of up to twelve.
  mutating func year() -> Int64? {
    let isNegative = take("-")
    guard isNegative || take("+") else { return number(4) }
    let digits = digits()
    guard (4...12).contains(digits.count) else { return nil }
    let year = digits.reduce(Int64(0)) { $0 * 10 + (FieldParsing.digit(bytes[$1]) ?? 0) }
    return year <= Self.lastYear ? (isNegative ? -year : year) : nil
  }

  /// The last year whose seconds since 1970 are a 64-bit number.
  private static let lastYear: Int64 = 292_277_026_595

  /// Consumes zero or more digits, and returns their positions.
  mutating func digits() -> Range<Int> {
    let first = at
    while at < bytes.count, FieldParsing.digit(bytes[at]) != nil { at += 1 }
    return first..<at
  }

  /// Consumes a time zone (`Z`, `+01`, `+0100`, `+01:00` or none) and returns seconds east of UTC.
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

/// The form of dates in a text table, such as `%d.%m.%Y %H:%M`.
///
/// The conversions are those of `strptime`: %Y %y %m %d %H %M %S, and %b for English names of
/// months; %% is a percent sign. Two-digit years below 70 are in the 21st century. Times are in UTC.
package struct DateFormat: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case literal(UInt8)
    case field(Field)
  }

  private enum Field: Character, Hashable, Sendable, CaseIterable {
    case year = "Y"
    case shortYear = "y"
    case month = "m"
    case monthName = "b"
    case day = "d"
    case hour = "H"
    case minute = "M"
    case second = "S"
  }

  private let parts: [Part]

  /// Creates a form; nil if it has other conversions, or lacks year, month or day.
  package init?(_ text: String) {
    var parts: [Part] = []
    var characters = text[...]
    while let character = characters.popFirst() {
      guard character == "%" else {
        parts += character.utf8.map(Part.literal)
        continue
      }
      guard let next = characters.popFirst() else { return nil }
      if next == "%" {
        parts.append(.literal(UInt8(ascii: "%")))
      } else if let field = Field(rawValue: next), !parts.contains(.field(field)) {
        parts.append(.field(field))
      } else {
        return nil
      }
    }
    let fields: [[Field]] = [[.year, .shortYear], [.month, .monthName], [.day]]
    guard fields.allSatisfy({ choices in choices.contains { parts.contains(.field($0)) } }) else {
      return nil
    }
    self.parts = parts
  }

  /// Parses a date; nil for text in another form, and for dates that do not exist.
  func timestamp(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    var at = 0
    var values: [Field: Int] = [:]
    for part in parts {
      switch part {
      case .literal(let byte):
        guard at < bytes.count, bytes[at] == byte else { return nil }
        at += 1
      case .field(let field):
        guard let value = Self.value(of: field, bytes, &at) else { return nil }
        values[field] = value
      }
    }
    guard at == bytes.count,
      let year = values[.year] ?? values[.shortYear].map({ $0 + ($0 < 70 ? 2000 : 1900) }),
      let month = values[.month] ?? values[.monthName], let day = values[.day]
    else { return nil }
    return Timestamp(
      year: year, month: month, day: day, hour: values[.hour] ?? 0, minute: values[.minute] ?? 0,
      second: values[.second] ?? 0)
  }

  private static func value(
    of field: Field, _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int
  ) -> Int? {
    if field == .monthName {
      let name = bytes[at...].prefix(3).map { UInt8($0 | 0x20) }
      at += 3
      return months.firstIndex { Array($0.utf8) == name }.map { $0 + 1 }
    }
    let digits = bytes[at...].prefix(field == .year ? 4 : 2).prefix {
      FieldParsing.digit($0) != nil
    }
    at += digits.count
    guard field == .year ? digits.count == 4 : !digits.isEmpty else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
}
