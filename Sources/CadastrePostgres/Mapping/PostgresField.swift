import CadastreModel

/// A property and its columns in the table of a class.
indirect enum PostgresField: Sendable {
  /// A single value in one column.
  case scalar(Property, PostgresType)
  /// A date in two columns, seconds and nanoseconds, because `timestamptz` rounds to microseconds.
  case date(Property)
  /// A link: the key of the other row.
  case link(Property, target: String)
  /// An embedded object: a presence column, true or null, and the columns of its properties.
  case embedded(Property, [PostgresField])
  /// An embedded point: the columns of an embedded object, and columns of the location.
  case point(Property, [PostgresField])
  /// The coordinates of an embedded point as an array.
  case coordinates(Property)
  /// A list or set of values or links as an array.
  case array(Property, element: PostgresType, target: String?)
  /// A map of values or links as an array of keys and one of values.
  case map(Property, element: PostgresType, target: String?)

  /// The property.
  var property: Property {
    switch self {
    case .scalar(let property, _), .date(let property), .link(let property, _),
      .embedded(let property, _), .point(let property, _), .coordinates(let property),
      .array(let property, _, _), .map(let property, _, _):
      property
    }
  }

  /// Returns the names of the columns that an index of the field contains.
  func columnNames(_ name: String) -> [String] {
    if case .date = self { return [name, ColumnNaming.nanoseconds(name)] }
    return [name]
  }

  /// Returns the fields of a class.
  ///
  /// - Throws: ``PostgresMappingError`` for a property that a table cannot represent.
  static func fields(
    of owner: ObjectSchema, in schema: Schema, isPoint: Bool = false
  ) throws(PostgresMappingError) -> [PostgresField] {
    var fields: [PostgresField] = []
    for property in owner.properties {
      if isPoint, property.name == ObjectSchema.pointCoordinatesName {
        fields.append(.coordinates(property))
      } else {
        fields.append(try field(property, of: owner, in: schema))
      }
    }
    return fields
  }

  private static func field(
    _ property: Property, of owner: ObjectSchema, in schema: Schema
  ) throws(PostgresMappingError) -> PostgresField {
    func refused(_ reason: String) -> PostgresMappingError {
      PostgresMappingError(
        subject: "property '\(property.name)' of class '\(owner.className)'", reason: reason)
    }
    let target = schema.target(of: property)
    if property.collection != nil {
      let isLink = property.type == .object && target?.isEmbedded == false
      guard let element = isLink ? .int8 : PostgresType(property.type), element != .geometry else {
        throw refused("a \(property.typeDescription) has no form in a table")
      }
      let linked = isLink ? target?.className : nil
      return property.collection == .map
        ? .map(property, element: element, target: linked)
        : .array(property, element: element, target: linked)
    }
    if property.type == .date { return .date(property) }
    if let type = PostgresType(property.type) { return .scalar(property, type) }
    guard property.type == .object, let target else {
      throw refused("a value of type \(property.typeDescription) has no form in a column")
    }
    guard target.isEmbedded else { return .link(property, target: target.className) }
    guard schema.isInline(property) else {
      throw refused("the class '\(target.className)' contains itself, so it has no columns")
    }
    let isPoint = schema.isPoint(property)
    let fields = try fields(of: target, in: schema, isPoint: isPoint)
    return isPoint ? .point(property, fields) : .embedded(property, fields)
  }
}

extension PostgresType {
  /// Creates the column type of a property with a single value; nil for types with several columns or none.
  init?(_ type: PropertyType) {
    switch type {
    case .bool: self = .bool
    case .int: self = .int8
    case .float: self = .float4
    case .double: self = .float8
    case .string: self = .text
    case .data, .objectId: self = .bytea
    case .UUID: self = .uuid
    case .decimal128: self = .numeric
    case .geometry: self = .geometry
    case .date, .object, .linkingObjects, .any: return nil
    }
  }
}

/// The naming scheme of the columns of a table.
///
/// The name of a column in an embedded object begins with the path of the object: `engine.power`.
enum ColumnNaming {
  /// The key of the row, the target of links.
  static let key = "_key"
  /// The maximum length of a name in bytes; PostgreSQL truncates longer names without an error.
  static let maximumLength = 63

  /// Returns the column with the keys of a map.
  static func mapKeys(_ name: String) -> String { name + ".keys" }
  /// Returns the column with the nanoseconds of a date.
  static func nanoseconds(_ name: String) -> String { name + ".nanoseconds" }
  /// Returns the column with the longitude of a point; null without a location.
  static func longitude(_ name: String) -> String { name + ".longitude" }
  /// Returns the column with the latitude of a point; null without a location.
  static func latitude(_ name: String) -> String { name + ".latitude" }
  /// Returns the column with the grid cell of a point, in a table that is partitioned by cells.
  static func cell(_ name: String) -> String { name + ".cell" }
  /// Returns the column with the geography of a point.
  static func geography(_ name: String) -> String { name + ".geography" }
}
