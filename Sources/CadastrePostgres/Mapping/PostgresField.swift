import CadastreModel

/// A property and the columns that hold it in the table of a class.
indirect enum PostgresField: Sendable {
  /// A single value in one column.
  case scalar(Property, PostgresType)
  /// A date in two columns, seconds and nanoseconds, because `timestamptz` rounds to microseconds.
  case date(Property)
  /// A link: the key of the other row.
  case link(Property, target: String)
  /// An embedded object: a column that is true if there is one, and the columns of its properties.
  case embedded(Property, [PostgresField])
  /// An embedded point: as an embedded object, with columns for its location.
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

  /// The names of the columns of a field by which rows are found.
  func columnNames(_ name: String) -> [String] {
    if case .date = self { return [name, ColumnNaming.nanoseconds(name)] }
    return [name]
  }

  /// The fields of a class.
  ///
  /// - Throws: ``PostgresMappingError`` for a property that has no form in a table.
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
  /// The type of the column of a property with a single value; nil if it needs several columns or
  /// has none.
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

/// The names of the columns of a table.
///
/// An embedded object's columns have the names of its properties after the path to it:
/// `engine.power`.
enum ColumnNaming {
  /// The key of the row, which links refer to.
  static let key = "_key"
  /// The maximum length of a name in bytes; PostgreSQL cuts longer ones without an error.
  static let maximumLength = 63

  /// The keys of a map, beside the column of its values.
  static func mapKeys(_ name: String) -> String { name + ".keys" }
  /// The nanoseconds of a date, beside the column of its seconds.
  static func nanoseconds(_ name: String) -> String { name + ".nanoseconds" }
  /// The longitude of a point; null if it has no location.
  static func longitude(_ name: String) -> String { name + ".longitude" }
  /// The latitude of a point; null if it has no location.
  static func latitude(_ name: String) -> String { name + ".latitude" }
  /// The number of the cell of a point, in a table that is divided by cells.
  static func cell(_ name: String) -> String { name + ".cell" }
  /// The location of a point as a generated geography.
  static func geography(_ name: String) -> String { name + ".geography" }
}
