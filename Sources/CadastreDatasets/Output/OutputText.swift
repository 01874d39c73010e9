import CadastreGeometry
import CadastreModel
import CadastreStore
import Foundation

/// A buffer of output text in UTF-8.
struct OutputText {
  private(set) var bytes: [UInt8] = []

  /// The content as a string.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends text.
  mutating func append(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  /// Appends an ASCII character.
  mutating func append(_ sign: Unicode.Scalar) { bytes.append(UInt8(ascii: sign)) }

  /// Appends text in UTF-8.
  mutating func append(_ text: [UInt8]) { bytes.append(contentsOf: text) }

  /// Returns the content and empties the buffer.
  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  // MARK: JSON

  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Appends a JSON string.
  mutating func appendQuoted(_ text: String) {
    append("\"" as Unicode.Scalar)
    var text = text
    text.withUTF8 { utf8 in
      let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
      if isPlain {
        bytes.append(contentsOf: utf8)
      } else {
        for byte in utf8 { appendEscaped(byte) }
      }
    }
    append("\"" as Unicode.Scalar)
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case UInt8(ascii: "\n"): append("\\n")
    case UInt8(ascii: "\r"): append("\\r")
    case UInt8(ascii: "\t"): append("\\t")
    case ..<0x20:
      append("\\u00")
      bytes.append(Self.hexDigits[Int(byte >> 4)])
      bytes.append(Self.hexDigits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }

  /// Appends elements between brackets, separated by commas.
  mutating func appendList<Element>(
    _ elements: some Sequence<Element>, _ brackets: (Unicode.Scalar, Unicode.Scalar),
    _ body: (inout OutputText, Element) -> Void
  ) {
    append(brackets.0)
    var isFirst = true
    for element in elements {
      if !isFirst { append("," as Unicode.Scalar) }
      isFirst = false
      body(&self, element)
    }
    append(brackets.1)
  }

  // MARK: CSV

  /// Appends a field of CSV, quoted if RFC 4180 requires it.
  ///
  /// Fields with leading or trailing blanks are quoted too, because some readers trim them.
  ///
  /// - Parameters:
  ///   - text: The content of the field.
  ///   - guardsFormulas: Whether an apostrophe precedes a text that a spreadsheet would run as a
  ///     formula.
  ///   - delimiter: The character between fields, in ASCII.
  mutating func appendField(
    _ text: String, guardsFormulas: Bool = false, delimiter: Unicode.Scalar = ","
  ) {
    var text = guardsFormulas && FormulaText.isFormula(text) ? "'" + text : text
    text.withUTF8 { field in
      guard Self.needsQuotes(field, UInt8(ascii: delimiter)) else {
        return bytes.append(contentsOf: field)
      }
      append("\"" as Unicode.Scalar)
      for byte in field {
        if byte == UInt8(ascii: "\"") { bytes.append(byte) }
        bytes.append(byte)
      }
      append("\"" as Unicode.Scalar)
    }
  }

  private static func needsQuotes(
    _ field: UnsafeBufferPointer<UInt8>, _ delimiter: UInt8
  ) -> Bool {
    let hasSeparator = field.contains { byte in
      byte == delimiter || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
    }
    return hasSeparator || isBlank(field.first) || isBlank(field.last)
  }

  private static func isBlank(_ byte: UInt8?) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

/// Values in JSON and CSV.
///
/// Numbers round-trip: integers and decimals have all digits, floating-point numbers the shortest
/// text. Values without a JSON type are strings: NaN and infinities as `nan`, `inf` and `-inf`,
/// timestamps in ISO 8601, bytes in base64. A link is an object with its key.
extension OutputText {
  mutating func appendJSON(_ content: StoredRecord.Content) {
    switch content {
    case .value(let value): appendJSON(value)
    case .point(let point):
      append("{\"type\":")
      appendQuoted(point.type)
      append(",\"coordinates\":")
      appendCoordinates(point.coordinates)
      append("}" as Unicode.Scalar)
    case .record(let record):
      appendList(record.fields, ("{", "}")) { text, field in
        text.appendQuoted(field.name)
        text.append(":" as Unicode.Scalar)
        text.appendJSON(field.content)
      }
    case .list(let elements): appendList(elements, ("[", "]")) { $0.appendJSON($1) }
    case .map(let entries):
      appendList(entries, ("{", "}")) { text, entry in
        text.appendQuoted(JSONConversion.name(ofMapKey: entry.key))
        text.append(":" as Unicode.Scalar)
        text.appendJSON(entry.content)
      }
    }
  }

  /// Adds a list of coordinates.
  mutating func appendCoordinates(_ coordinates: some Sequence<Double>) {
    appendList(coordinates, ("[", "]")) { text, number in
      number.isFinite ? text.append(FieldText.coordinate(number)) : text.appendJSON(.double(number))
    }
  }

  mutating func appendJSON(_ value: Value) {
    switch value {
    case .null: append("null")
    case .string(let text): appendQuoted(text)
    case .double(let number) where number.isFinite: append(number.description)
    case .float(let number) where number.isFinite: append(number.description)
    case .link(let key): append("{\"#key\":\(key)}")
    case .object(let object):
      append("{\"#class\":")
      appendQuoted(object.className)
      append(",\"#key\":\(object.key)}")
    case .list(let elements): appendList(elements, ("[", "]")) { $0.appendJSON($1) }
    case .map(let map):
      appendList(map.entries, ("{", "}")) { text, entry in
        text.appendQuoted(JSONConversion.name(ofMapKey: entry.key))
        text.append(":" as Unicode.Scalar)
        text.appendJSON(entry.value)
      }
    case .bool, .int: append(FieldText.exact(value))
    case .geometry(let geometry): append(geometry.geoJSON)
    case .decimal(let number) where number.isFinite: append(number.exactText)
    case .decimal, .float, .double, .data, .date, .objectId, .uuid:
      appendQuoted(FieldText.exact(value))
    }
  }

  /// Appends a field of CSV; null is empty, nested content is JSON.
  ///
  /// - Parameters:
  ///   - content: The content of the field.
  ///   - guardsFormulas: Whether an apostrophe precedes a text that a spreadsheet would run as a
  ///     formula.
  ///   - delimiter: The character between fields, in ASCII.
  mutating func appendField(
    _ content: StoredRecord.Content, guardsFormulas: Bool, delimiter: Unicode.Scalar = ","
  ) {
    switch content {
    case .value(.null): break
    // Numbers need no quotes.
    case .value(.int(let number)): append(String(number))
    case .value(.double(let number)): append(number.description)
    case .value(.float(let number)): append(number.description)
    case .value(.decimal(let number)): append(number.exactText)
    case .value(let value):
      appendField(
        FieldText.exact(value), guardsFormulas: guardsFormulas, delimiter: delimiter)
    case .point, .record, .list, .map:
      var json = OutputText()
      json.appendJSON(content)
      appendField(String(decoding: json.bytes, as: UTF8.self), delimiter: delimiter)
    }
  }
}

extension OutputText {
  /// Appends a text as character data of XML; characters that XML 1.0 cannot hold become U+FFFD.
  mutating func appendXML(_ string: String) {
    var escaped = String.UnicodeScalarView()
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      // Parsers take a carriage return as a line feed.
      case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
      case "\n", "\t": escaped.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    append(String(escaped))
  }
}

/// Conversion of values to text.
package enum FieldText {
  /// Returns a value for a table on the terminal: null is empty, integers have no fraction.
  package static func plain(_ content: StoredRecord.Content) -> String {
    switch content {
    case .value(.float(let value)): number(Double(value), shortest: "\(value)")
    case .value(.double(let value)): number(value, shortest: "\(value)")
    case .value(let value): exact(value)
    case .point(let point):
      point.coordinates.map(coordinate).joined(separator: " ")
    case .record, .list, .map: json(content)
    }
  }

  /// Returns a coordinate as the shortest text that round-trips.
  static func coordinate(_ value: Double) -> String { number(value, shortest: value.description) }

  private static func number(_ value: Double, shortest: String) -> String {
    value == value.rounded() && abs(value) < 1e15 && !(value == 0 && value.sign == .minus)
      ? String(Int64(value)) : shortest
  }

  /// Returns a value as text that round-trips for its type; null is empty.
  static func exact(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .float(let value): value.description
    case .double(let value): value.description
    case .string(let value): value
    case .data(let value): value.base64EncodedString()
    case .date(let value): value.description
    case .objectId(let value): value.stringValue
    case .uuid(let value): value.uuidString.lowercased()
    case .decimal(let value): value.exactText
    case .geometry(let value): value.wkt
    case .link(let key): "#\(key)"
    case .object, .list, .map: json(.value(value))
    }
  }

  /// Returns nested content as JSON.
  package static func json(_ content: StoredRecord.Content) -> String {
    var text = OutputText()
    text.appendJSON(content)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
