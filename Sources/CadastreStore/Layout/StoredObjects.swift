import CadastreSQLite

/// The tables, views and triggers of a file, as SQLite's schema table lists them.
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

  /// The tables that describe a store.
  private static let catalogueTables = ["cadastre_state", "cadastre_class", "cadastre_property"]

  init(reading connection: Connection) throws(StoreError) {
    self.connection = connection
    let rows = try connection.statement(
      "SELECT type, name, tbl_name, rootpage FROM sqlite_schema WHERE type <> 'index' ORDER BY name"
    )
    while try rows.step() {
      let name = rows.text(1)
      switch rows.text(0) {
      // Virtual tables have no page of their own.
      case "table" where rows.integer(3) == 0: virtualTables.insert(name)
      case "table": tables.insert(name)
      case "view": views.append(name)
      case "trigger": triggers.append(Trigger(name: name, table: rows.text(2)))
      default: break
      }
    }
  }

  /// Checks that the tables which describe the store are tables.
  ///
  /// - Throws: ``StoreError`` `corrupt`.
  func requireCatalogueTables() throws(StoreError) {
    for name in Self.catalogueTables { try requireTable(name) }
  }

  /// Checks that the names of classes' and collections' tables are those of tables.
  ///
  /// - Throws: ``StoreError`` `corrupt`.
  func requireTables(_ layouts: [TableLayout]) throws(StoreError) {
    for layout in layouts {
      try requireTable(layout.tableName)
      for collection in layout.collections { try requireTable(collection.tableName) }
    }
  }

  private func requireTable(_ name: String) throws(StoreError) {
    guard !tables.contains(name) else { return }
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

  /// The views and triggers, one sentence each; Cadastre creates none.
  var foreignParts: [String] {
    views.map { "the view '\($0)' is of another program, and is ignored" }
      + triggers.map {
        "the trigger '\($0.name)' on '\($0.table)' is of another program, and does not run"
      }
  }
}
