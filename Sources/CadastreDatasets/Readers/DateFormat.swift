import CadastreModel

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
