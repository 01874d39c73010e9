import CadastreModel

/// Looks for damage in a store.
package struct StoreCheck {
  private let snapshot: Snapshot

  /// Checks what a snapshot sees.
  package init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// What is wrong, one sentence each; nothing in a sound store.
  ///
  /// SQLite's own check of pages and ordered indexes, the number of rows of each class against the
  /// catalogue, links that lead nowhere, collections against their owners' rows, embedded objects
  /// without an owner or with two, and each spatial and full-text index against its table.
  ///
  /// - Complexity: O(n log n) in the size of the store.
  package func problems() throws(StoreError) -> [String] {
    var problems = try integrityProblems()
    for layout in snapshot.catalogue.tables {
      problems += try countProblems(layout) + linkProblems(layout)
      problems += try CollectionCheck(snapshot).problems(layout)
      for index in layout.spatialIndexes {
        problems += try SpatialIndexCheck(index, layout, snapshot.connection).problemsAgainstTable()
      }
      for index in layout.textIndexes {
        problems += try TextIndexCheck(
          index: index, layout: layout, connection: snapshot.connection
        ).problems()
      }
    }
    return problems
  }

  private func integrityProblems() throws(StoreError) -> [String] {
    var problems: [String] = []
    let rows = try snapshot.connection.statement("PRAGMA integrity_check(20)")
    while try rows.step() {
      if rows.text(0) != "ok" { problems.append(rows.text(0)) }
    }
    return problems
  }

  private func countProblems(_ layout: TableLayout) throws(StoreError) -> [String] {
    let name = layout.schema.className
    let counted = try snapshot.connection.integer(
      "SELECT count(*) FROM \(SQL.quoted(layout.tableName))")
    let noted = try snapshot.rowCount(name)
    guard counted != Int64(noted) else { return [] }
    return ["class '\(name)' has \(counted ?? 0) rows, and the catalogue says \(noted)"]
  }

  private func linkProblems(_ layout: TableLayout) throws(StoreError) -> [String] {
    var problems: [String] = []
    for index in layout.valueIndexes where index.isLink {
      guard let target = snapshot.catalogue.target(of: index, in: layout) else { continue }
      let link = SQL.quoted(layout.columns[index.column].name)
      let key = SQL.quoted(TableLayout.keyName)
      let broken = try snapshot.connection.integer(
        "SELECT count(*) FROM \(SQL.quoted(layout.tableName)) WHERE \(link) IS NOT NULL "
          + "AND \(link) NOT IN (SELECT \(key) FROM \(SQL.quoted(target.tableName)))")
      if let broken, broken > 0 {
        problems.append(
          "\(broken) links '\(layout.schema.className).\(index.path)' lead to objects that are gone"
        )
      }
    }
    return problems
  }
}
