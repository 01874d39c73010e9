import CadastreGeometry
import CadastreModel
import CadastreStore
import Foundation

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
