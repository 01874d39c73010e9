package import CadastreModel
import CadastreSQLite

/// The classes of a store and the layouts of their tables, as the file describes them.
// A class, because every reader and query refers to it.
package final class Catalogue: Sendable {
  /// The classes.
  package let schema: Schema
  /// The number of changes of the catalogue.
  package let version: Int64
  /// The plans of the queries that ran last, by the hash of their shapes.
  package let plans = ObjectCache(maximumCount: 256, maximumCost: 1 << 20)
  private let layouts: [String: TableLayout]
  /// The columns and collections that can contain links to each class.
  private let linkSources: [String: [LinkSource]]
  /// The columns and collections of type any, which can contain links to any class.
  private let mixedSources: [LinkSource]
  /// The identifiers of the columns that are stored as segments; nil for a file without segments.
  let segments: SegmentTable.Identifiers?
  /// The columns of each class that are stored as segments.
  let storedColumns: [String: StoredColumns]

  /// A column or a collection that contains links.
  enum LinkSource: Hashable, Sendable {
    /// A column of a class's table.
    case column(String, Int)
    /// The elements of a collection.
    case collection(CollectionLayout)
  }

  /// The catalogue of a store without classes.
  package static let empty = Catalogue(schema: Schema(), tableNames: [:], version: 0)

  /// Creates the catalogue of some classes.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - tableNames: The names of their tables.
  ///   - version: The number of changes of the catalogue.
  ///   - segments: The columns that are stored as segments.
  ///   - isWithoutID: See ``TableLayout``.
  init(
    schema: Schema, tableNames: [String: String], version: Int64,
    segments: StoredSegmentSource = .none, isWithoutID: (StoredIndex) -> Bool = { _ in false }
  ) {
    self.schema = schema
    self.version = version
    let layouts: [String: TableLayout] = tableNames.reduce(into: [:]) { layouts, entry in
      guard let objectSchema = schema[entry.key] else { return }
      layouts[entry.key] = TableLayout(
        objectSchema, in: schema, tableName: entry.value, isWithoutID: isWithoutID)
    }
    self.layouts = layouts
    (linkSources, mixedSources) = Self.sources(of: layouts, schema)
    let identifiers = segments.identifiers(layouts)
    self.segments = identifiers
    storedColumns = layouts.compactMapValues { StoredColumns($0, identifiers?[$0.tableName]) }
  }

  /// Creates the catalogue of classes whose objects are in memory.
  package convenience init(inMemory schema: Schema) {
    let embedded = schema.embeddedClassesWithTable
    let names = schema.objectSchema.filter { !$0.isEmbedded || embedded.contains($0.className) }
      .map(\.className)
    self.init(
      schema: schema, tableNames: Dictionary(uniqueKeysWithValues: zip(names, names)), version: 0)
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

  /// Returns the columns and collections that can contain links to a class.
  func sources(ofLinksTo className: String) -> [LinkSource] { linkSources[className] ?? [] }

  /// The columns and collections of type any, which can contain links to any class.
  var sourcesOfMixedLinks: [LinkSource] { mixedSources }

  /// Returns the quoted name of the table and the column that contain links; nil where the class has no table.
  func storage(of source: LinkSource) -> (table: String, column: Column)? {
    switch source {
    case .column(let className, let column):
      layout(className).map { (SQL.quoted($0.tableName), $0.columns[column]) }
    case .collection(let layout): (SQL.quoted(layout.tableName), layout.element)
    }
  }

  /// Returns the layout of a class; nil for a class that does not exist, and for an embedded class whose
  /// objects are all stored in their owners' rows.
  package func layout(_ className: String) -> TableLayout? { layouts[className] }

  /// The classes with a table, ordered by name.
  package var tables: [TableLayout] {
    layouts.values.sorted { $0.schema.className < $1.schema.className }
  }

  /// Returns the catalogue after a change to another schema; classes that this schema lacks stay.
  ///
  /// - Parameters:
  ///   - wanted: The schema.
  ///   - apart: Embedded classes whose objects have separate rows.
  ///   - path: The file.
  /// - Returns: The catalogue, with names for new tables.
  /// - Throws: ``StoreError`` `schemaMismatch` where the remaining classes conflict with the others.
  func changed(
    to wanted: Schema, storedApart apart: Set<String> = [], path: String
  ) throws(StoreError) -> Catalogue {
    let others = schema.objectSchema.filter { wanted[$0.className] == nil }
    let merged = Schema(others + wanted.objectSchema, storedApart: apart)
    let errors = SchemaRules.errors(of: merged, isStored: true)
    guard errors.isEmpty else { throw StoreError(.schemaMismatch(errors), path: path) }
    let withTable = merged.embeddedClassesWithTable
    var names = tableNames
    // A name that becomes free is not used again, because its table is dropped after the change.
    var used = TableLayout.tableNames(names.values)
    for name in merged.objectSchema.map(\.className) {
      if merged[name]?.isEmbedded == true, !withTable.contains(name) {
        names[name] = nil
      } else if names[name] == nil {
        names[name] = TableLayout.addTableName(for: name, to: &used)
      }
    }
    return following(merged, names)
  }

  /// Returns the next catalogue, with the present forms of the indexes.
  func following(_ schema: Schema, _ tableNames: [String: String]) -> Catalogue {
    following(schema, tableNames, .kept(of: self))
  }

  /// Returns the next catalogue with the same classes, and with other columns that are stored as segments.
  func storing(_ segments: SegmentTable.Identifiers?) -> Catalogue {
    following(schema, tableNames, segments.map(StoredSegmentSource.file) ?? .none)
  }

  /// Whether another catalogue has the same classes, tables and indexes; the columns that are stored as segments may
  /// differ.
  func hasSameClasses(as other: Catalogue) -> Bool {
    schema == other.schema && tableNames == other.tableNames
      && indexesWithoutID == other.indexesWithoutID
  }

  /// The same catalogue without columns that are stored as segments.
  var withoutSegments: Catalogue {
    let former = indexesWithoutID
    return Catalogue(schema: schema, tableNames: tableNames, version: version) {
      former.contains($0.name)
    }
  }

  private func following(
    _ schema: Schema, _ tableNames: [String: String], _ segments: StoredSegmentSource
  ) -> Catalogue {
    let former = indexesWithoutID
    return Catalogue(
      schema: schema, tableNames: tableNames, version: version + 1, segments: segments
    ) { former.contains($0.name) }
  }

  /// The names of the ordered indexes whose entries lack the integer primary key of their class.
  var indexesWithoutID: Set<String> { Set(layouts.values.flatMap(\.indexesWithoutID)) }

  /// The next catalogue, in which the entries of ordered indexes contain integer primary keys; nil where they do.
  var withIDsInIndexes: Catalogue? {
    guard !indexesWithoutID.isEmpty else { return nil }
    return Catalogue(
      schema: schema, tableNames: tableNames, version: version + 1, segments: .kept(of: self))
  }

  /// Returns the catalogue without a class.
  func removing(_ className: String) -> Catalogue {
    var names = tableNames
    names[className] = nil
    let classes = schema.objectSchema.filter { $0.className != className }
    return following(
      Schema(classes, storedApart: schema.classesStoredApart.subtracting([className])), names)
  }

  /// Returns the target class of a link column.
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

extension Catalogue: Hashable {
  /// Returns whether two catalogues have the same version, classes and tables.
  package static func == (first: Catalogue, second: Catalogue) -> Bool {
    first === second
      || first.version == second.version && first.schema == second.schema
        && first.layouts == second.layouts
  }

  /// Hashes the version.
  package func hash(into hasher: inout Hasher) { hasher.combine(version) }
}

extension Catalogue {
  /// Creates the tables that describe a store, in an empty file.
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

  /// Reads the catalogue of a file.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the description is inconsistent, `newerFormat` where a newer program has
  ///   raised the format since the file was opened.
  static func read(from connection: Connection, version: Int64) throws(StoreError) -> Catalogue {
    let format = Int(try connection.integer("PRAGMA user_version") ?? 0)
    try FileProbe.requireSupported(format, connection.path)
    let objects = try StoredObjects(reading: connection)
    try objects.requireCatalogueTables()
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
    let compoundIndexes =
      objects.hasTable(CompoundIndexTable.name)
      ? try CompoundIndexTable.read(from: connection) : [:]
    let schema = Schema(
      embedded.map { name, isEmbedded in
        ObjectSchema(
          className: name, properties: properties[name] ?? [], isEmbedded: isEmbedded,
          compoundIndexes: compoundIndexes[name] ?? [])
      })
    var errors = SchemaRules.errors(of: schema, isStored: true)
    let apart = schema.embeddedClassesWithTable
    for (name, isEmbedded) in embedded
    where tableNames[name] == nil && (!isEmbedded || apart.contains(name)) {
      errors.append("class '\(name)' has no table")
    }
    guard errors.isEmpty else {
      throw StoreError(.corrupt(errors.joined(separator: "; ")), path: connection.path)
    }
    let segments: StoredSegmentSource =
      SegmentTable.exists(in: objects)
      ? .file(try SegmentTable.identifiers(from: connection)) : .none
    let catalogue = Catalogue(
      schema: schema, tableNames: tableNames, version: version, segments: segments
    ) { objects.definitions[$0.name] == $0.definition }
    try objects.requireTables(catalogue.tables)
    return catalogue
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
    try writeMembers(of: schema, on: connection)
  }

  /// Replaces the description of a class's properties and compound indexes.
  static func writeMembers(
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
    try CompoundIndexTable.replace(
      of: schema.className, with: schema.compoundIndexes, on: connection)
  }
}

/// The tables, indexes, views and triggers of a file, as SQLite's schema table lists them.
struct StoredObjects {
  private struct Trigger {
    let name: String
    let table: String
  }

  private let connection: Connection
  private var tables: Set<String> = []
  private var virtualTables: Set<String> = []
  private var views: [String] = []
  private var triggers: [Trigger] = []
  /// The statements that create the indexes, by name.
  private(set) var definitions: [String: String] = [:]

  /// The tables that describe a store.
  private static let catalogueTables = ["cadastre_state", "cadastre_class", "cadastre_property"]

  init(reading connection: Connection) throws(StoreError) {
    self.connection = connection
    let rows = try connection.statement(
      "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY name")
    while try rows.step() {
      let name = rows.text(1)
      switch rows.text(0) {
      // Virtual tables have no root page.
      case "table" where rows.integer(3) == 0: virtualTables.insert(name)
      case "table": tables.insert(name)
      case "index": definitions[name] = rows.text(4)
      case "view": views.append(name)
      case "trigger": triggers.append(Trigger(name: name, table: rows.text(2)))
      default: break
      }
    }
  }

  /// Returns whether an ordinary table with a name exists.
  func hasTable(_ name: String) -> Bool { tables.contains(name) }

  /// Checks that the tables of the catalogue exist as ordinary tables.
  ///
  /// - Throws: ``StoreError`` `corrupt`.
  func requireCatalogueTables() throws(StoreError) {
    for name in Self.catalogueTables { try requireTable(name) }
  }

  /// Checks that the tables of classes and collections exist as ordinary tables.
  ///
  /// - Throws: ``StoreError`` `corrupt`.
  func requireTables(_ layouts: [TableLayout]) throws(StoreError) {
    for layout in layouts {
      try requireTable(layout.tableName)
      for collection in layout.collections { try requireTable(collection.tableName) }
    }
  }

  private func requireTable(_ name: String) throws(StoreError) {
    guard !hasTable(name) else { return }
    let problem =
      if views.contains(name) {
        "'\(name)' is a view; expected a table"
      } else if virtualTables.contains(name) {
        "'\(name)' is a virtual table; expected an ordinary one"
      } else {
        "the table '\(name)' is missing"
      }
    throw StoreError(.corrupt(problem), path: connection.path)
  }

  /// The views and triggers of other programs, one sentence each.
  var foreignParts: [String] {
    views.map { "the view '\($0)' is of another program, and is ignored" }
      + triggers.filter { !SegmentTable.isTrigger($0.name) }.map {
        "the trigger '\($0.name)' on '\($0.table)' is of another program, and does not run"
      }
  }
}

/// A cache of the newest catalogue that was read from a store.
final class CatalogueCache: Sendable {
  private let newest = Guarded<Catalogue?>(nil)

  /// Whether no catalogue was read yet.
  var isEmpty: Bool { newest.withLock { $0 == nil } }

  /// Returns the catalogue of a version, from memory or from the file.
  ///
  /// - Throws: ``StoreError`` when it cannot be read.
  func catalogue(
    _ version: Int64, _ connection: Connection
  ) throws(StoreError) -> Catalogue {
    if let cached = newest.withLock({ $0 }), cached.version == version { return cached }
    let catalogue = try Catalogue.read(from: connection, version: version)
    newest.withLock { newest in
      if newest.map({ $0.version < version }) ?? true { newest = catalogue }
    }
    return catalogue
  }
}
