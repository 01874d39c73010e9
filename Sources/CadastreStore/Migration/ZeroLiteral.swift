import CadastreModel

extension PropertyType {
  /// The initial value of a required property of the type, as an SQL literal; nil for null.
  ///
  /// As in Realm: zero, false, empty, or the start of 1970.
  var zeroLiteral: String? {
    switch self {
    case .int, .bool, .date: "0"
    case .float, .double: "0.0"
    case .string: "''"
    case .data: "X''"
    case .decimal128: "'0'"
    case .objectId: "X'" + String(repeating: "00", count: 12) + "'"
    case .UUID: "X'" + String(repeating: "00", count: 16) + "'"
    // An empty collection.
    case .geometry: "X'010700000000000000'"
    case .object, .linkingObjects, .any: nil
    }
  }
}
