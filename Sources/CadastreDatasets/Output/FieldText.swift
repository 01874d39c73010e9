import CadastreModel
import CadastreStore
import Foundation

/// Values as text for tables and files.
enum FieldText {
  /// A value as a person reads it; null is empty.
  static func plain(_ content: StoredRecord.Content) -> String {
    switch content {
    case .value(let value): plain(value)
    case .point(let point): point.coordinates.map(number).joined(separator: " ")
    case .record, .list, .map: json(content)
    }
  }

  private static func plain(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .float(let value): number(Double(value), shortest: "\(value)")
    case .double(let value): number(value)
    case .string(let value): value
    case .data(let value): value.base64EncodedString()
    case .date(let value): value.description
    case .objectId(let value): value.stringValue
    case .uuid(let value): value.uuidString.lowercased()
    case .decimal(let value): value.stringValue
    case .link(let key): "#\(key)"
    case .object, .list, .map: json(value)
    }
  }

  /// A whole number without its fraction.
  private static func number(_ value: Double) -> String { number(value, shortest: "\(value)") }

  private static func number(_ value: Double, shortest: String) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : shortest
  }

  /// A value as JSON; what JSON has no form for is a string, a link an object with its key.
  static func json(_ content: StoredRecord.Content) -> String {
    switch content {
    case .value(let value): json(value)
    case .point(let point):
      "{\"type\":\(quoted(point.type)),\"coordinates\":"
        + "[\(point.coordinates.map { json(.double($0)) }.joined(separator: ","))]}"
    case .record(let record): json(record)
    case .list(let elements): "[\(elements.map(json).joined(separator: ","))]"
    case .map(let entries):
      "{\(entries.map { "\(quoted($0.key)):\(json($0.content))" }.joined(separator: ","))}"
    }
  }

  /// An object as JSON, in the order of its properties.
  static func json(_ record: StoredRecord) -> String {
    "{" + record.fields.map { "\(quoted($0.name)):\(json($0.content))" }.joined(separator: ",")
      + "}"
  }

  private static func json(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool, .int: plain(value)
    case .float(let number) where number.isFinite: plain(value)
    case .double(let number) where number.isFinite: plain(value)
    case .link(let key): "{\"#key\":\(key)}"
    case .object(let object):
      "{\"#class\":\(quoted(object.className)),\"#key\":\(object.key)}"
    case .decimal(let number) where number.isFinite: number.stringValue
    case .list(let elements): "[\(elements.map(json).joined(separator: ","))]"
    case .map(let map):
      "{\(map.entries.map { "\(quoted($0.key)):\(json($0.value))" }.joined(separator: ","))}"
    case .decimal, .float, .double, .string, .data, .date, .objectId, .uuid: quoted(plain(value))
    }
  }

  /// A JSON string.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// A CSV field, quoted where RFC 4180 asks for it.
  static func csv(_ content: StoredRecord.Content) -> String {
    let text = plain(content)
    guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
