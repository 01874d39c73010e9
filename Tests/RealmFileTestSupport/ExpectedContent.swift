package import CadastreModel
import Foundation

/// The expected content of a Realm file.
package struct ExpectedContent {
  /// A table.
  package struct Table {
    /// The name.
    package let name: String
    /// `top`, `embedded` or `asymmetric`.
    package let kind: String
    /// The name of the primary key; nil if there is none.
    package let primaryKey: String?
    /// The columns.
    package let columns: [Column]
    /// The objects: their keys, and a value for each column.
    package let objects: [(key: Int64, values: [Value])]
  }

  /// A column of a table.
  package struct Column {
    /// The name.
    package let name: String
    /// The type of the values or elements.
    package let type: PropertyType
    /// Whether null is allowed.
    package let isNullable: Bool
    /// The kind of collection; nil for single values.
    package let collection: CollectionKind?
    /// The table that links refer to.
    package let target: String?
    /// Whether there is an index.
    package let isIndexed: Bool
    /// Whether there is a full-text index.
    package let isFullTextIndexed: Bool
  }

  /// The version of the schema; nil if there is none.
  package let schemaVersion: UInt64?
  /// The tables.
  package let tables: [Table]

  /// Parses the JSON of a fixture.
  init(_ data: Data) throws {
    let document = try Self.object(JSONSerialization.jsonObject(with: data))
    schemaVersion = (document["schemaVersion"] as? String).flatMap(UInt64.init)
    tables = try Self.array(document["tables"]).map { try Self.table(Self.object($0)) }
  }

  private static func table(_ json: [String: Any]) throws -> Table {
    let columns = try array(json["columns"]).map { try column(object($0)) }
    let objects = try array(json["objects"]).map { row in
      let row = try array(row)
      guard row.count == columns.count + 1 else { throw FixtureError("a row", row) }
      let values = try zip(columns, row.dropFirst()).map { try value($1, $0) }
      return (key: try integer(row[0]), values: values)
    }
    return Table(
      name: try string(json["name"]), kind: try string(json["kind"]),
      primaryKey: json["primaryKey"] as? String, columns: columns, objects: objects)
  }

  private static func column(_ json: [String: Any]) throws -> Column {
    let kinds = ["list": CollectionKind.list, "set": .set, "dictionary": .map]
    return Column(
      name: try string(json["name"]), type: try type(json["type"]),
      isNullable: json["nullable"] as? Bool == true,
      collection: kinds[try string(json["collection"])], target: json["target"] as? String,
      isIndexed: json["indexed"] as? Bool == true,
      isFullTextIndexed: json["fulltext"] as? Bool == true)
  }

  private static func type(_ json: Any?) throws -> PropertyType {
    let types: [String: PropertyType] = [
      "int": .int, "bool": .bool, "string": .string, "data": .data, "mixed": .any, "date": .date,
      "float": .float, "double": .double, "decimal": .decimal128, "link": .object,
      "objectId": .objectId, "uuid": .UUID,
    ]
    guard let type = types[try string(json)] else { throw FixtureError("a type", json) }
    return type
  }

  // MARK: Values

  private static func value(_ json: Any, _ column: Column) throws -> Value {
    switch column.collection {
    case nil: return try value(json, column.type)
    case .list, .set: return .list(try array(json).map { try value($0, column.type) })
    case .map:
      return .map(
        ValueMap(
          try array(json).map { entry in
            let pair = try array(entry)
            return (try string(pair[0]), try value(pair[1], column.type))
          }))
    }
  }

  private static func value(_ json: Any, _ type: PropertyType) throws -> Value {
    if json is NSNull { return .null }
    switch type {
    case .int: return .int(try integer(json))
    case .bool: return .bool((json as? Bool) == true)
    case .string: return .string(try string(json))
    case .data: return .data(Data(base64Encoded: try string(json)) ?? Data([0xDE]))
    case .date: return .date(try timestamp(json))
    case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(json))))
    case .double:
      return .double(Double(bitPattern: UInt64(truncatingIfNeeded: try bits(json))))
    case .decimal128: return .decimal(try decimal(json))
    case .objectId: return .objectId(try ObjectId(string: try string(json)))
    case .UUID:
      guard let uuid = UUID(uuidString: try string(json)) else {
        throw FixtureError("a UUID", json)
      }
      return .uuid(uuid)
    case .object: return .link(ObjectKey(try integer(json)))
    case .any: return try mixed(json)
    case .linkingObjects, .geometry: throw FixtureError("a value", json)
    }
  }

  private static func mixed(_ json: Any) throws -> Value {
    let json = try object(json)
    let content = json["v"] ?? NSNull()
    switch try string(json["t"]) {
    case "list": return .list(try array(content).map { try value($0, .any) })
    case "dict":
      return .map(
        ValueMap(
          try array(content).map { entry in
            let pair = try array(entry)
            return (try string(pair[0]), try value(pair[1], .any))
          }))
    case "link":
      let pair = try array(content)
      return .object(
        ObjectAddress(className: try string(pair[0]), key: ObjectKey(try integer(pair[1]))))
    default: return try value(content, try type(json["t"]))
    }
  }

  private static func timestamp(_ json: Any) throws -> Timestamp {
    let pair = try array(json)
    guard let nanoseconds = pair[1] as? Int else { throw FixtureError("a date", json) }
    let seconds = try integer(pair[0])
    // Realm stores both with the same sign; a timestamp has no seconds below Int64.min.
    if seconds == .min { return Timestamp(seconds: seconds) }
    return nanoseconds < 0
      ? Timestamp(seconds: seconds - 1, nanoseconds: Int64(nanoseconds + 1_000_000_000))
      : Timestamp(seconds: seconds, nanoseconds: Int64(nanoseconds))
  }

  private static func decimal(_ json: Any) throws -> Decimal128 {
    let digits = try string(try array(json)[1])
    guard let bits = UInt128(digits, radix: 16) else { throw FixtureError("a decimal", json) }
    let decimal = Decimal128(bits: bits)
    guard decimal.isNaN || decimal.bits == bits else { throw FixtureError("canonical bits", json) }
    return decimal
  }

  // MARK: JSON

  private static func object(_ json: Any?) throws -> [String: Any] {
    guard let object = json as? [String: Any] else { throw FixtureError("an object", json) }
    return object
  }

  private static func array(_ json: Any?) throws -> [Any] {
    guard let array = json as? [Any] else { throw FixtureError("an array", json) }
    return array
  }

  private static func string(_ json: Any?) throws -> String {
    guard let string = json as? String else { throw FixtureError("a string", json) }
    return string
  }

  private static func integer(_ json: Any?) throws -> Int64 {
    guard let number = Int64(try string(json)) else { throw FixtureError("an integer", json) }
    return number
  }

  private static func bits(_ json: Any?) throws -> UInt128 {
    guard let bits = UInt128(try string(json), radix: 16) else { throw FixtureError("bits", json) }
    return bits
  }
}

/// The error for unexpected JSON in a fixture.
private struct FixtureError: Error, CustomStringConvertible {
  let description: String

  init(_ expected: String, _ found: Any?) {
    description = "expected \(expected), found \(String(describing: found).prefix(200))"
  }
}
