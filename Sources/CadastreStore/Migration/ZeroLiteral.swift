import CadastreModel

extension PropertyType {
  /// What a required property of the type holds until somebody sets it, as SQLite writes it; nil for null.
  ///
  /// As in Realm: zero, false, nothing, or the first moment of 1970.
  var zeroLiteral: String? {
    switch self {
    case .int, .bool, .date: "0"
    case .float, .double: "0.0"
    case .string: "''"
    case .data: "X''"
    case .decimal128: "'0'"
    case .objectId: "X'" + String(repeating: "00", count: 12) + "'"
    case .UUID: "X'" + String(repeating: "00", count: 16) + "'"
    case .object, .linkingObjects, .any: nil
    }
  }
}
