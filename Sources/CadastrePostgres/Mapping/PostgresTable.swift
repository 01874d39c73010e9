package import CadastreModel
package import CadastreStore

/// The table of the objects of a class.
package struct PostgresTable: Sendable {
  /// A column of the copied rows.
  package struct Column: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The type.
    package let type: PostgresType
    /// Whether the column is declared as not null.
    package let isRequired: Bool
  }

  /// The class.
  package let schema: ObjectSchema
  /// The columns of the copied rows, in order.
  package let columns: [Column]
  /// The layout of the class in a store; rows are converted to and from it.
  package let layout: TableLayout
  let fields: [PostgresField]
  /// The partitions of the rows; nil for one table.
  let partitions: TablePartitions?
  /// The columns of the point whose cell determines the partition; nil for other tables.
  private(set) var divided: (longitude: Int, latitude: Int)?
  /// The schemas that qualify names in statements.
  var names: SchemaNames
  /// The quoted name of the table.
  package var quotedName: String

  /// Creates the table of a class.
  ///
  /// - Parameters:
  ///   - owner: The class.
  ///   - schema: The schema with the class and the classes of its properties.
  ///   - partitions: The partitions of the rows; nil for one table.
  ///   - names: The schemas that qualify names in statements.
  /// - Throws: ``PostgresMappingError`` if a table cannot represent a property, or if names are too long or equal.
  package init(
    _ owner: ObjectSchema, in schema: Schema, _ partitions: TablePartitions? = nil,
    names: SchemaNames = SchemaNames()
  ) throws(PostgresMappingError) {
    self.schema = owner
    self.partitions = partitions
    self.names = names
    quotedName = names.table(owner.className)
    layout = TableLayout(owner, in: schema, tableName: owner.className)
    fields = try PostgresField.fields(of: owner, in: schema)
    columns =
      [Column(name: ColumnNaming.key, type: .int8, isRequired: true)]
      + Self.columns(fields, prefix: "", isInside: false)
      + (partitions?.grid == nil
        ? [] : [Column(name: partitions?.column ?? "", type: .int8, isRequired: true)])
    let subject = "class '\(owner.className)'"
    var names: Set<String> = []
    let parts = partitions?.parts.indices.map { Self.partName(owner.className, $0) } ?? []
    for name in [owner.className] + parts + columns.map(\.name) + geographies {
      guard name.utf8.count <= ColumnNaming.maximumLength, !name.utf8.contains(0), !name.isEmpty
      else {
        throw PostgresMappingError(
          subject: subject,
          reason: "the name '\(name)' is empty, contains a null character or has more than "
            + "\(ColumnNaming.maximumLength) bytes")
      }
    }
    for name in columns.map(\.name) + geographies where !names.insert(name).inserted {
      throw PostgresMappingError(subject: subject, reason: "two columns are named '\(name)'")
    }
    if let point = points.first(where: { ColumnNaming.cell($0) == partitions?.column }),
      let longitude = columns.firstIndex(where: { $0.name == ColumnNaming.longitude(point) }),
      let latitude = columns.firstIndex(where: { $0.name == ColumnNaming.latitude(point) })
    {
      divided = (longitude, latitude)
    }
  }

  static func columns(
    _ fields: [PostgresField], prefix: String, isInside: Bool
  ) -> [Column] {
    fields.flatMap { field in
      let property = field.property
      let name = prefix + property.columnName
      let isRequired = !isInside && !property.isOptional
      func inner(_ fields: [PostgresField]) -> [Column] {
        [Column(name: name, type: .bool, isRequired: false)]
          + columns(fields, prefix: name + ".", isInside: true)
      }
      switch field {
      case .scalar(_, let type): return [Column(name: name, type: type, isRequired: isRequired)]
      case .date:
        return [
          Column(name: name, type: .int8, isRequired: isRequired),
          Column(name: ColumnNaming.nanoseconds(name), type: .int4, isRequired: isRequired),
        ]
      case .link: return [Column(name: name, type: .int8, isRequired: false)]
      case .array(_, let element, _):
        return [Column(name: name, type: .array(element), isRequired: !isInside)]
      case .map(_, let element, _):
        return [
          Column(name: ColumnNaming.mapKeys(name), type: .array(.text), isRequired: !isInside),
          Column(name: name, type: .array(element), isRequired: !isInside),
        ]
      case .coordinates: return [Column(name: name, type: .array(.float8), isRequired: false)]
      case .embedded(_, let fields): return inner(fields)
      case .point(_, let fields):
        return inner(fields)
          + [ColumnNaming.longitude(name), ColumnNaming.latitude(name)].map {
            Column(name: $0, type: .float8, isRequired: false)
          }
      }
    }
  }

  /// The fields, including those of embedded objects, with the names of their columns.
  var allFields: [(name: String, field: PostgresField)] { Self.flattened(fields, prefix: "") }

  private static func flattened(
    _ fields: [PostgresField], prefix: String
  ) -> [(name: String, field: PostgresField)] {
    fields.flatMap { (field) -> [(name: String, field: PostgresField)] in
      let name = prefix + field.property.columnName
      switch field {
      case .embedded(_, let inner), .point(_, let inner):
        return [(name, field)] + flattened(inner, prefix: name + ".")
      case .scalar, .date, .link, .coordinates, .array, .map: return [(name, field)]
      }
    }
  }

  /// The paths of the embedded points.
  var points: [String] {
    allFields.compactMap { if case .point = $0.field { $0.name } else { nil } }
  }

  /// The geography columns of the embedded points.
  var geographies: [String] { points.map(ColumnNaming.geography) }

  /// A hash of the names and types of the columns; rows are comparable only between equal forms.
  var form: UInt64 {
    var hash = StreamHash()
    for column in columns { hash.combine("\(column.name)\0\(column.type.name)\0".utf8) }
    return hash.value
  }

  /// Returns whether the table of a class of a store would have the same columns.
  ///
  /// - Throws: ``PostgresMappingError`` if a table cannot represent the class.
  func hasForm(of layout: TableLayout, in schema: Schema) throws(PostgresMappingError) -> Bool {
    form == (try PostgresTable(layout.schema, in: schema, partitions)).form
  }

  /// The indexes of the link columns, with the target classes.
  var linkColumns: [(column: Int, target: String)] {
    allFields.compactMap { name, field in
      let target: String
      switch field {
      case .link(_, let name), .array(_, _, let name?), .map(_, _, let name?): target = name
      default: return nil
      }
      return columns.firstIndex { $0.name == name }.map { ($0, target) }
    }
  }
}
