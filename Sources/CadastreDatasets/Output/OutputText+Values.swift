import CadastreGeometry
import CadastreModel
import CadastreStore
import Foundation

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
        text.appendQuoted(entry.key)
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
        text.appendQuoted(entry.key)
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
  mutating func appendField(_ content: StoredRecord.Content, guardsFormulas: Bool) {
    switch content {
    case .value(.null): break
    // Numbers need no quotes.
    case .value(.int(let number)): append(String(number))
    case .value(.double(let number)): append(number.description)
    case .value(.float(let number)): append(number.description)
    case .value(.decimal(let number)): append(number.exactText)
    case .value(let value): appendField(FieldText.exact(value), guardsFormulas: guardsFormulas)
    case .point, .record, .list, .map:
      var json = OutputText()
      json.appendJSON(content)
      appendField(String(decoding: json.bytes, as: UTF8.self))
    }
  }
}
