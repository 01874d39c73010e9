import CadastreModel
import CadastreSQLite

/// The table of compound indexes, which only stores with such an index have.
///
/// A row is a property of an index: the class, the number of the index in the class, the position of the property in
/// the index, and its name.
enum CompoundIndexTable {
  /// The name of the table.
  static let name = "cadastre_index"

  /// Returns the compound indexes of each class; the table must exist.
  static func read(
    from connection: Connection
  ) throws(StoreError) -> [String: [[String]]] {
    let rows = try connection.statement(
      "SELECT class, number, property FROM \(name) ORDER BY class, number, position")
    var indexes: [String: [[String]]] = [:]
    var last: (className: String, number: Int64)?
    while try rows.step() {
      let (className, number) = (rows.text(0), rows.integer(1))
      if last?.className != className || last?.number != number {
        indexes[className, default: []].append([])
      }
      last = (className, number)
      let index = (indexes[className]?.count ?? 1) - 1
      indexes[className]?[index].append(rows.text(2))
    }
    return indexes
  }

  /// Replaces the compound indexes of a class.
  static func replace(
    of className: String, with indexes: [[String]], on connection: Connection
  ) throws(StoreError) {
    if try connection.hasTable(name) {
      try connection.run("DELETE FROM \(name) WHERE class = ?", .string(className))
    } else if !indexes.isEmpty {
      try connection.run(
        """
        CREATE TABLE \(name)(
          class TEXT NOT NULL, number INTEGER NOT NULL, position INTEGER NOT NULL, property TEXT NOT NULL,
          PRIMARY KEY (class, number, position)) WITHOUT ROWID
        """)
    }
    for (number, properties) in indexes.enumerated() {
      for (position, property) in properties.enumerated() {
        try connection.run(
          "INSERT INTO \(name) VALUES (?, ?, ?, ?)", .string(className), .int(Int64(number)),
          .int(Int64(position)), .string(property))
      }
    }
  }

  /// Renames a class.
  static func rename(
    _ className: String, to newName: String, on connection: Connection
  ) throws(StoreError) {
    guard try connection.hasTable(name) else { return }
    try connection.run(
      "UPDATE \(name) SET class = ?1 WHERE class = ?2", .string(newName), .string(className))
  }

  /// Sets the format of the file to that of a catalogue, and removes the table where no index is left.
  static func setFormat(
    of catalogue: Catalogue, on connection: Connection
  ) throws(StoreError) {
    try connection.run("PRAGMA user_version = \(catalogue.format)")
    if !catalogue.hasCompoundIndexes { try connection.run("DROP TABLE IF EXISTS \(name)") }
  }
}

extension Catalogue {
  /// Whether some class has a compound index.
  var hasCompoundIndexes: Bool {
    schema.objectSchema.contains { !$0.compoundIndexes.isEmpty }
  }

  /// The format of a file with the catalogue.
  var format: Int {
    if segments != nil { return FileProbe.newestFormat }
    return hasCompoundIndexes ? FileProbe.compoundIndexFormat : FileProbe.formatVersion
  }
}
