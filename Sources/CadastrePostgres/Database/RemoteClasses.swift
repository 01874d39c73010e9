package import CadastreModel
import Foundation

/// The classes of a database and the tables that hold their objects.
package struct RemoteClasses: Sendable {
  /// The classes.
  package let schema: Schema
  /// The tables, by the names of their classes.
  package let tables: [String: PostgresTable]

  /// The tables of classes.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - partitions: How the rows of some classes are divided, by the names of the classes.
  /// - Throws: ``PostgresMappingError`` if a class has no form as a table.
  package init(
    _ schema: Schema, _ partitions: [String: TablePartitions] = [:]
  ) throws(PostgresMappingError) {
    self.schema = schema
    var tables: [String: PostgresTable] = [:]
    for owner in schema.objectSchema where !owner.isEmbedded {
      tables[owner.className] = try PostgresTable(
        owner, in: schema, partitions[owner.className])
    }
    self.tables = tables
  }

  /// How the rows of classes are divided, by the names of the classes.
  var partitions: [String: TablePartitions] { tables.compactMapValues(\.partitions) }

  /// The table that describes the classes.
  static let catalogue = "_cadastre_classes"

  /// Reads the classes of a database; none if nothing was pushed to it.
  ///
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` if a class was written by a later
  ///   version.
  package static func read(_ connection: PostgresConnection) async throws -> RemoteClasses {
    let table = SQLStatement.quoted(catalogue)
    var exists = SQLStatement("SELECT to_regclass(")
    exists.append(exists.parameter(.text(table), .text) + ") IS NOT NULL")
    guard try await connection.run(exists).value(0, 0) == .bool(true) else {
      return try RemoteClasses(Schema())
    }
    let result = try await connection.run(
      SQLStatement("SELECT name, definition FROM \(table) ORDER BY name"))
    var classes: [ObjectSchema] = []
    var partitions: [String: TablePartitions] = [:]
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
    }
    return try RemoteClasses(Schema(classes), partitions)
  }

  /// Writes the definitions of some of the classes, instead of earlier ones of the same names.
  func write(_ classes: [ObjectSchema], _ connection: PostgresConnection) async throws {
    let table = SQLStatement.quoted(Self.catalogue)
    let partitions = partitions
    try await connection.run(
      SQLStatement(
        "CREATE TABLE IF NOT EXISTS \(table) "
          + "(name text COLLATE \"C\" PRIMARY KEY, definition text NOT NULL)"))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for schema in classes {
      let definition = ClassDefinition(schema, partitions[schema.className])
      let text = String(decoding: try encoder.encode(definition), as: UTF8.self)
      var statement = SQLStatement("INSERT INTO \(table) VALUES (")
      statement.append(statement.parameter(.text(schema.className), .text) + ", ")
      statement.append(statement.parameter(.text(text), .text))
      statement.append(") ON CONFLICT (name) DO UPDATE SET definition = excluded.definition")
      try await connection.run(statement)
    }
  }
}
