package import CadastreModel

/// The names of types that `@type` is compared with.
package enum TypeName {
  /// The names under which the types are found, by every name that may be written, in lower case.
  private static let meanings: [String: [String]] = {
    var meanings: [String: [String]] = [:]
    for names in [
      ["null"], ["int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char"],
      ["bool", "boolean"], ["string"], ["binary", "data", "bytearray", "byte[]", "bindata"],
      ["date", "datetimeoffset", "timestamp"], ["float"], ["double"], ["decimal", "decimal128"],
      ["objectid"], ["uuid", "guid"], ["link", "objectlink", "object"], ["list", "array"],
      ["dictionary"],
    ] {
      for name in names { meanings[name] = [names[0]] }
    }
    meanings["numeric"] = ["int", "float", "double", "decimal"]
    meanings["collection"] = ["list", "dictionary"]
    return meanings
  }()

  /// The regular names that a written one covers; nil for an unknown one.
  static func meaning(of name: String) -> [String]? { meanings[name.lowercased()] }

  /// All names that may be written.
  static var all: [String] { meanings.keys.sorted() }

  /// The regular name of a property's type.
  package static func of(_ type: PropertyType) -> String {
    switch type {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "binary"
    case .date: "date"
    case .float: "float"
    case .double: "double"
    case .object, .linkingObjects: "link"
    case .any: "null"
    case .objectId: "objectid"
    case .decimal128: "decimal"
    case .UUID: "uuid"
    case .geometry: "geometry"
    }
  }

  /// The regular name of a value's type.
  package static func of(_ value: Value) -> String {
    switch value {
    case .list: "list"
    case .map: "dictionary"
    default: value.type.map(of) ?? "null"
    }
  }
}
