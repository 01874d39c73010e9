import CadastreModel
package import Foundation

/// A value that is sent to or received from a server, in the binary form of its type.
package enum PostgresValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int4(Int32)
  case int8(Int64)
  case float4(Float)
  case float8(Double)
  case text(String)
  case bytea(Data)
  case uuid(UUID)
  case numeric(PostgresNumeric)
  /// A geometry or geography as extended well-known binary.
  case spatial([UInt8])
  indirect case array(PostgresType, [PostgresValue])

  /// The type; nil for null.
  package var type: PostgresType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int4: .int4
    case .int8: .int8
    case .float4: .float4
    case .float8: .float8
    case .text: .text
    case .bytea: .bytea
    case .uuid: .uuid
    case .numeric: .numeric
    case .spatial: .geometry
    case .array(let element, _): .array(element)
    }
  }
}

/// A type of PostgreSQL or PostGIS that columns and parameters have.
package indirect enum PostgresType: Hashable, Sendable {
  case bool, int4, int8, float4, float8, text, bytea, uuid, numeric, geometry, geography
  case array(PostgresType)

  /// The name in SQL.
  package var name: String {
    switch self {
    case .bool: "boolean"
    case .int4: "int4"
    case .int8: "int8"
    case .float4: "float4"
    case .float8: "float8"
    case .text: "text"
    case .bytea: "bytea"
    case .uuid: "uuid"
    case .numeric: "numeric"
    case .geometry: "geometry"
    case .geography: "geography"
    case .array(let element): element.name + "[]"
    }
  }

  /// The object identifier of a built-in type; 0 of the types of an extension, which differ between
  /// databases.
  package var identifier: UInt32 {
    switch self {
    case .bool: 16
    case .bytea: 17
    case .int8: 20
    case .int4: 23
    case .text: 25
    case .float4: 700
    case .float8: 701
    case .numeric: 1700
    case .uuid: 2950
    case .geometry, .geography: 0
    case .array(let element): Self.arrayIdentifiers[element.identifier] ?? 0
    }
  }

  /// The identifiers of array types by those of their elements.
  private static let arrayIdentifiers: [UInt32: UInt32] = [
    16: 1000, 17: 1001, 20: 1016, 23: 1007, 25: 1009, 700: 1021, 701: 1022, 1700: 1231, 2950: 2951,
  ]

  /// The built-in type with an identifier; nil if it is none of these types.
  package init?(identifier: UInt32) {
    guard let type = Self.types[identifier] else { return nil }
    self = type
  }

  /// The built-in types by their identifiers.
  private static let types: [UInt32: PostgresType] = {
    let single: [PostgresType] = [
      .bool, .int4, .int8, .float4, .float8, .text, .bytea, .uuid, .numeric,
    ]
    return Dictionary(
      uniqueKeysWithValues: (single + single.map(PostgresType.array)).map { ($0.identifier, $0) })
  }()
}
