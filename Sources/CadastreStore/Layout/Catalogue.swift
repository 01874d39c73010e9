package import CadastreModel
import CadastreSQLite

/// The classes of a store and how they are laid out, as the file describes them.
package struct Catalogue: Hashable, Sendable {
  /// The classes.
  package let schema: Schema
  /// Counts the changes of the catalogue.
  package let version: Int64
  private let layouts: [String: TableLayout]
  /// Where links to each class can be.
  private let linkSources: [String: [LinkSource]]
  /// Where links to any class can be: the properties of any type.
  private let mixedSources: [LinkSource]

  /// A place for links.
  enum LinkSource: Hashable, Sendable {
    /// A column of a class's table.
    case column(String, Int)
    /// The elements of a collection.
    case collection(CollectionLayout)
  }

  /// The catalogue of a store without classes.
  package static let empty = Catalogue(schema: Schema(), tableNames: [:], version: 0)

  init(schema: Schema, tableNames: [String: String], version: Int64) {
    self.schema = schema
    self.version = version
    layouts = tableNames.reduce(into: [:]) { layouts, entry in
      guard let objectSchema = schema[entry.key] else { return }
      layouts[entry.key] = TableLayout(objectSchema, in: schema, tableName: entry.value)
    }
    (linkSources, mixedSources) = Self.sources(of: layouts, schema)
  }

  private static func sources(
    of layouts: [String: TableLayout], _ schema: Schema
  ) -> ([String: [LinkSource]], [LinkSource]) {
    var links: [String: [LinkSource]] = [:]
    var mixed: [LinkSource] = []
    for (name, layout) in layouts.sorted(by: { $0.key < $1.key }) {
      for index in layout.valueIndexes where index.isLink {
        guard let target = target(of: index, in: layout, schema) else { continue }
        links[target, default: []].append(.column(name, index.column))
      }
      for (column, description) in layout.columns.enumerated() where description.type == .any {
        mixed.append(.column(name, column))
      }
      for collection in layout.collections {
        if let target = collection.target {
          links[target, default: []].append(.collection(collection))
        } else if collection.element.type == .any {
          mixed.append(.collection(collection))
        }
      }
    }
    return (links, mixed)
  }

  /// Where links to a class can be, in properties of that class's type.
  func sources(ofLinksTo className: String) -> [LinkSource] { linkSources[className] ?? [] }

  /// Where links to objects of any class can be.
  var sourcesOfMixedLinks: [LinkSource] { mixedSources }

  /// The layout of a class that has a table; nil for unknown classes, and for embedded ones whose
  /// objects are all kept in their owners' rows.
  package func layout(_ className: String) -> TableLayout? { layouts[className] }

  /// The classes that have a table, in order of name.
  package var tables: [TableLayout] {
    layouts.values.sorted { $0.schema.className < $1.schema.className }
  }

  /// The catalogue in which classes are as another schema has them; those that it lacks stay.
  ///
  /// - Parameters:
  ///   - wanted: The classes.
  ///   - apart: Embedded classes whose objects keep rows of their own.
  ///   - path: The file.
  /// - Returns: The catalogue, with names for new tables.
  /// - Throws: ``StoreError`` `schemaMismatch` where the classes that stay do not go with the others.
  func changed(
    to wanted: Schema, storedApart apart: Set<String> = [], path: String
  ) throws(StoreError) -> Catalogue {
    let others = schema.objectSchema.filter { wanted[$0.className] == nil }
    let whole = Schema(others + wanted.objectSchema, storedApart: apart)
    let errors = SchemaRules.errors(of: whole)
    guard errors.isEmpty else { throw StoreError(.schemaMismatch(errors), path: path) }
    let withTable = whole.embeddedClassesWithTable
    var names = tableNames
    for name in whole.objectSchema.map(\.className) {
      if whole[name]?.isEmbedded == true, !withTable.contains(name) {
        names[name] = nil
      } else if names[name] == nil {
        names[name] = TableLayout.tableName(for: name, used: Array(names.values))
      }
    }
    return Catalogue(schema: whole, tableNames: names, version: version + 1)
  }

  /// The catalogue without a class.
  func removing(_ className: String) -> Catalogue {
    var names = tableNames
    names[className] = nil
    let classes = schema.objectSchema.filter { $0.className != className }
    return Catalogue(
      schema: Schema(classes, storedApart: schema.classesStoredApart.subtracting([className])),
      tableNames: names, version: version + 1)
  }

  /// The class that a link leads to.
  func target(of index: TableLayout.ValueIndex, in layout: TableLayout) -> TableLayout? {
    Self.target(of: index, in: layout, schema).flatMap { self.layout($0) }
  }

  private static func target(
    of index: TableLayout.ValueIndex, in layout: TableLayout, _ schema: Schema
  ) -> String? {
    var owner: ObjectSchema? = layout.schema
    var property: Property?
    for name in index.path.names {
      property = owner?[name]
      owner = property.flatMap { schema.target(of: $0) }
    }
    return property?.objectClassName
  }

  var tableNames: [String: String] { layouts.mapValues(\.tableName) }
}

extension Catalogue {
  /// Makes the tables that describe a store, in an empty file.
  static func create(on connection: Connection) throws(StoreError) {
    try connection.run(
      """
      CREATE TABLE cadastre_state(
        commit_version INTEGER NOT NULL, catalogue_version INTEGER NOT NULL,
        schema_version INTEGER NOT NULL)
      """)
    try connection.run("INSERT INTO cadastre_state VALUES (0, 0, 0)")
    try connection.run(
      """
      CREATE TABLE cadastre_class(
        name TEXT PRIMARY KEY, is_embedded INTEGER NOT NULL, table_name TEXT,
        next_key INTEGER NOT NULL, row_count INTEGER NOT NULL) WITHOUT ROWID
      """)
    try connection.run(
      """
      CREATE TABLE cadastre_property(
        class TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
        column_name TEXT NOT NULL, type TEXT NOT NULL, is_optional INTEGER NOT NULL,
        is_primary_key INTEGER NOT NULL, is_indexed INTEGER NOT NULL, collection TEXT,
        target TEXT, PRIMARY KEY (class, position)) WITHOUT ROWID
      """)
  }

  /// Reads the classes that a file describes.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the description makes no sense.
  static func read(from connection: Connection, version: Int64) throws(StoreError) -> Catalogue {
    var tableNames: [String: String] = [:]
    var embedded: [String: Bool] = [:]
    let classes = try connection.statement(
      "SELECT name, table_name, is_embedded FROM cadastre_class")
    while try classes.step() {
      embedded[classes.text(0)] = classes.integer(2) != 0
      if !classes.isNull(1) { tableNames[classes.text(0)] = classes.text(1) }
    }
    var properties: [String: [Property]] = [:]
    let rows = try connection.statement(
      """
      SELECT class, name, column_name, type, is_optional, is_primary_key, is_indexed, collection,
        target FROM cadastre_property ORDER BY class, position
      """)
    while try rows.step() {
      let property = try property(rows, connection)
      properties[rows.text(0), default: []].append(property)
    }
    let schema = Schema(
      embedded.map { name, isEmbedded in
        ObjectSchema(
          className: name, properties: properties[name] ?? [], isEmbedded: isEmbedded)
      })
    var errors = SchemaRules.errors(of: schema)
    let apart = schema.embeddedClassesWithTable
    for (name, isEmbedded) in embedded
    where tableNames[name] == nil && (!isEmbedded || apart.contains(name)) {
      errors.append("class '\(name)' has no table")
    }
    guard errors.isEmpty else {
      throw StoreError(.corrupt(errors.joined(separator: "; ")), path: connection.path)
    }
    return Catalogue(schema: schema, tableNames: tableNames, version: version)
  }

  private static func property(
    _ row: Statement, _ connection: Connection
  ) throws(StoreError) -> Property {
    guard let type = PropertyType(name: row.text(3)) else {
      throw StoreError(
        .corrupt("property '\(row.text(1))' has the unknown type '\(row.text(3))'"),
        path: connection.path)
    }
    return Property(
      name: row.text(1), columnName: row.text(2), type: type, isOptional: row.integer(4) != 0,
      isPrimaryKey: row.integer(5) != 0, isIndexed: row.integer(6) & 1 != 0,
      isFullTextIndexed: row.integer(6) & 2 != 0,
      collection: row.isNull(7) ? nil : CollectionKind(rawValue: row.text(7)),
      objectClassName: row.isNull(8) ? nil : row.text(8))
  }

  /// Writes the description of a class.
  static func write(
    _ schema: ObjectSchema, tableName: String?, on connection: Connection
  ) throws(StoreError) {
    try connection.run(
      "INSERT INTO cadastre_class VALUES (?, ?, ?, 1, 0)", .string(schema.className),
      .bool(schema.isEmbedded), tableName.map(Value.string) ?? .null)
    try writeProperties(of: schema, on: connection)
  }

  /// Writes the description of a class's properties in place of the one there is.
  static func writeProperties(
    of schema: ObjectSchema, on connection: Connection
  ) throws(StoreError) {
    try connection.run("DELETE FROM cadastre_property WHERE class = ?", .string(schema.className))
    for (position, property) in schema.properties.enumerated() {
      try connection.run(
        "INSERT INTO cadastre_property VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        .string(schema.className), .int(Int64(position)), .string(property.name),
        .string(property.columnName), .string(property.type.description),
        .bool(property.isOptional), .bool(property.isPrimaryKey),
        .int((property.isIndexed ? 1 : 0) + (property.isFullTextIndexed ? 2 : 0)),
        property.collection.map { .string($0.rawValue) } ?? .null,
        property.objectClassName.map(Value.string) ?? .null)
    }
  }
}
