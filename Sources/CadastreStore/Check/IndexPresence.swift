import CadastreModel
import CadastreSQLite

/// Compares the indexes of a class with those in SQLite's schema table.
struct IndexPresence {
  private let layout: TableLayout
  private let connection: Connection

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// Returns the ordered indexes that are missing or have another definition.
  func missingIndexes() throws(StoreError) -> [StoredIndex] {
    var missing: [StoredIndex] = []
    for index in layout.storedIndexes
    where try definition("index", index.name) != index.definition { missing.append(index) }
    return missing
  }

  /// Returns whether a virtual table and its shadow tables exist.
  func hasVirtualTable(_ name: String, _ suffixes: [String]) throws(StoreError) -> Bool {
    for name in [name] + suffixes.map({ "\(name)_\($0)" })
    where try definition("table", name) == nil { return false }
    return true
  }

  private func definition(_ type: String, _ name: String) throws(StoreError) -> String? {
    try connection.text(
      "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?", .string(type), .string(name))
  }
}

extension TableLayout.SpatialIndex {
  /// The suffixes of an R*Tree's shadow tables.
  static let shadowSuffixes = ["node", "rowid", "parent"]
}

extension TableLayout.TextIndex {
  /// The suffixes of a contentless FTS5 table's shadow tables.
  static let shadowSuffixes = ["data", "idx", "docsize", "config"]
}
