package import CadastreModel
import Foundation

/// The classes of a database and the tables of their objects.
package struct RemoteClasses: Sendable {
  /// The classes.
  package let schema: Schema
  /// The tables, by the names of their classes.
  package let tables: [String: PostgresTable]
  /// The schemas that qualify names in statements.
  let names: SchemaNames
  /// The identifiers of the tables, by the names of their classes.
  private(set) var identifiers: [String: String] = [:]

  /// Creates the tables of classes.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - partitions: The partitions of the tables, by class.
  ///   - names: The schemas that qualify names in statements.
  /// - Throws: ``PostgresMappingError`` if a class has no form as a table.
  package init(
    _ schema: Schema, _ partitions: [String: TablePartitions] = [:],
    names: SchemaNames = SchemaNames()
  ) throws(PostgresMappingError) {
    self.schema = schema
    self.names = names
    var tables: [String: PostgresTable] = [:]
    for owner in schema.objectSchema where !owner.isEmbedded {
      tables[owner.className] = try PostgresTable(
        owner, in: schema, partitions[owner.className], names: names)
    }
    self.tables = tables
  }

  /// The partitions of the tables, by class.
  var partitions: [String: TablePartitions] { tables.compactMapValues(\.partitions) }

  /// Returns the name of the record of a store about the rows that it shares with the table of a class.
  func recordName(of className: String) -> String { identifiers[className] ?? className }

  /// Returns the name of the record of the new rows of a push whose commit may have failed.
  func sentRecordName(of className: String) -> String {
    Self.sentRecordName(recordName(of: className))
  }

  static func sentRecordName(_ name: String) -> String { name + " sent" }

  /// The name of the table with the definitions of the classes.
  static let catalogue = "_cadastre_classes"

  /// Reads the classes of a database; none before the first push.
  ///
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` if a later version wrote a class, or if reading a
  ///   table could run code of another role with the rights of a superuser.
  package static func read(_ connection: PostgresConnection) async throws -> RemoteClasses {
    try await read(connection, path: connection.searchPath)
  }

  /// Reads the classes from the first schema of a path that has classes.
  static func read(
    _ connection: PostgresConnection, path: [String]
  ) async throws -> RemoteClasses {
    let (names, hasClasses) = try await SchemaNames.read(connection, path: path)
    guard hasClasses else { return try RemoteClasses(Schema(), names: names) }
    let check = TableCheck(names, connection)
    try await check.requireReadable([catalogue])
    let table = names.table(catalogue)
    let result = try await connection.run(
      SQLStatement("SELECT name, definition FROM \(table) ORDER BY name"))
    var classes: [ObjectSchema] = []
    var partitions: [String: TablePartitions] = [:]
    var identifiers: [String: String] = [:]
    for row in 0..<result.rowCount {
      guard case .text(let name) = try result.value(row, 0),
        case .text(let text) = try result.value(row, 1),
        let definition = try? JSONDecoder().decode(ClassDefinition.self, from: Data(text.utf8)),
        let schema = definition.schema, schema.className == name
      else {
        throw PostgresMappingError(
          subject: "row \(row + 1) of table \(catalogue)",
          reason: "its definition is not one that this version of Cadastre reads")
      }
      classes.append(schema)
      partitions[name] = definition.partitions
      identifiers[name] = definition.id
    }
    var remote = try RemoteClasses(Schema(classes), partitions, names: names)
    remote.identifiers = identifiers
    try await check.requireReadable(remote.tables.values.flatMap(\.storedNames))
    return remote
  }

  /// Writes the definitions of some classes, replacing those with the same names.
  ///
  /// - Parameters:
  ///   - classes: The classes.
  ///   - identifiers: The identifiers of their tables, by the names of the classes.
  ///   - connection: The connection.
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` if the table of the classes belongs to another role.
  func write(
    _ classes: [ObjectSchema], _ identifiers: [String: String], _ connection: PostgresConnection
  ) async throws {
    let table = names.table(Self.catalogue)
    let partitions = partitions
    try await connection.run(
      SQLStatement(
        "CREATE TABLE IF NOT EXISTS \(table) "
          + "(name text COLLATE \"C\" PRIMARY KEY, definition text NOT NULL)"))
    try await TableCheck(names, connection).requireOwned([Self.catalogue], locks: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for schema in classes {
      let definition = ClassDefinition(
        schema, partitions[schema.className], id: identifiers[schema.className])
      let text = String(decoding: try encoder.encode(definition), as: UTF8.self)
      var statement = SQLStatement("INSERT INTO \(table) VALUES (")
      statement.append(statement.parameter(.text(schema.className), .text) + ", ")
      statement.append(statement.parameter(.text(text), .text))
      statement.append(
        ") ON CONFLICT (name) DO UPDATE SET definition = excluded.definition "
          + "WHERE \(table).definition <> excluded.definition")
      try await connection.run(statement)
    }
  }
}

/// The stored definition of a class, in the table ``RemoteClasses/catalogue``.
struct ClassDefinition: Codable {
  private var name: String
  private var isEmbedded: Bool
  private var properties: [PropertyDefinition]
  private var computedProperties: [PropertyDefinition]
  /// The compound indexes; nil where there are none.
  private var compoundIndexes: [[String]]?
  /// The partitions of the table; nil for one table.
  let partitions: TablePartitions?
  /// The identifier of the table; nil if a version without identifiers created it.
  let id: String?

  /// The stored definition of a property.
  private struct PropertyDefinition: Codable {
    var name: String
    var column: String
    var type: String
    var isOptional: Bool
    var isPrimaryKey: Bool
    var isIndexed: Bool
    var isFullTextIndexed: Bool
    var collection: String?
    var objectClass: String?
    var linkOrigin: String?

    init(_ property: Property) {
      name = property.name
      column = property.columnName
      type = property.type.description
      isOptional = property.isOptional
      isPrimaryKey = property.isPrimaryKey
      isIndexed = property.isIndexed
      isFullTextIndexed = property.isFullTextIndexed
      collection = property.collection?.rawValue
      objectClass = property.objectClassName
      linkOrigin = property.linkOriginPropertyName
    }

    /// The property; nil for a type that this version does not support.
    var property: Property? {
      let kind = collection.flatMap(CollectionKind.init)
      guard let type = PropertyType(name: type), (kind == nil) == (collection == nil) else {
        return nil
      }
      return Property(
        name: name, columnName: column, type: type, isOptional: isOptional,
        isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed,
        collection: kind, objectClassName: objectClass, linkOriginPropertyName: linkOrigin)
    }
  }

  init(_ schema: ObjectSchema, _ partitions: TablePartitions?, id: String?) {
    self.partitions = partitions
    self.id = id
    name = schema.className
    isEmbedded = schema.isEmbedded
    properties = schema.properties.map(PropertyDefinition.init)
    computedProperties = schema.computedProperties.map(PropertyDefinition.init)
    compoundIndexes = schema.compoundIndexes.isEmpty ? nil : schema.compoundIndexes
  }

  /// The class; nil if this version does not support the type of a property.
  var schema: ObjectSchema? {
    let stored = properties.compactMap(\.property)
    let computed = computedProperties.compactMap(\.property)
    guard stored.count == properties.count, computed.count == computedProperties.count else {
      return nil
    }
    return ObjectSchema(
      className: name, properties: stored, computedProperties: computed, isEmbedded: isEmbedded,
      compoundIndexes: compoundIndexes ?? [])
  }
}
