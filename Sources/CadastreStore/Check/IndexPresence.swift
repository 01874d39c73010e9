import CadastreModel
import CadastreSQLite

/// Looks for the indexes that a class should have in what SQLite says of the file.
struct IndexPresence {
  private let layout: TableLayout
  private let connection: Connection

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// The ordered indexes that are not there, or are others of the same name.
  func missingIndexes() throws(StoreError) -> [StoredIndex] {
    var missing: [StoredIndex] = []
    for index in layout.storedIndexes
    where try definition("index", index.name) != index.definition { missing.append(index) }
    return missing
  }

  /// Whether a virtual table and SQLite's own tables behind it are there.
  func hasVirtualTable(_ name: String, _ parts: [String]) throws(StoreError) -> Bool {
    for name in [name] + parts.map({ "\(name)_\($0)" })
    where try definition("table", name) == nil { return false }
    return true
  }

  private func definition(_ type: String, _ name: String) throws(StoreError) -> String? {
    try connection.text(
      "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?", .string(type), .string(name))
  }
}

extension TableLayout.SpatialIndex {
  /// What follows the name in the names of the tables in which SQLite keeps an R*Tree.
  static let parts = ["node", "rowid", "parent"]
}

extension TableLayout.TextIndex {
  /// What follows the name in the names of the tables in which FTS5 keeps an index without texts.
  static let parts = ["data", "idx", "docsize", "config"]
}
