import CadastreModel
import CadastreSQLite

extension Restructuring {
  /// Drops the indexes that the new columns of a class do not have.
  func dropStaleIndexes(
    _ before: TableLayout, _ after: TableLayout, _ match: FieldMatch
  ) throws(StoreError) {
    for index in before.valueIndexes where !isKept(index, before, after, match) {
      try connection.run("DROP INDEX \(SQL.quoted(index.name))")
    }
    for (number, column) in before.columns.enumerated()
    where column.type == .any && sameColumn(as: number, before, after, match) == nil {
      try connection.run(
        "DROP INDEX \(SQL.quoted(MixedForm.linkIndexName(before.tableName, column)))")
    }
    for index in before.textIndexes where !isKept(index, before, after, match) {
      try connection.run("DROP TABLE \(SQL.quoted(index.name))")
    }
    for index in before.spatialIndexes where !isKept(index, before, after, match) {
      try connection.run("DROP TABLE \(SQL.quoted(index.name))")
    }
  }

  private func isKept(
    _ index: TableLayout.ValueIndex, _ before: TableLayout, _ after: TableLayout,
    _ match: FieldMatch
  ) -> Bool {
    let columns = index.columns.map { sameColumn(as: $0, before, after, match) }
    let idColumn = index.idColumn.map { sameColumn(as: $0, before, after, match) ?? -1 }
    return after.valueIndexes.contains {
      $0.name == index.name && $0.columns.map(Optional.some) == columns
        && $0.isUnique == index.isUnique && $0.idColumn == idColumn
    }
  }

  private func isKept(
    _ index: TableLayout.TextIndex, _ before: TableLayout, _ after: TableLayout,
    _ match: FieldMatch
  ) -> Bool {
    let column = sameColumn(as: index.column, before, after, match)
    return after.textIndexes.contains { $0.name == index.name && $0.column == column }
  }

  private func isKept(
    _ index: TableLayout.SpatialIndex, _ before: TableLayout, _ after: TableLayout,
    _ match: FieldMatch
  ) -> Bool {
    let columns = index.columns.map { sameColumn(as: $0, before, after, match) }
    return after.spatialIndexes.contains {
      $0.name == index.name && $0.columns.map(Optional.some) == columns
    }
  }

  /// Returns the names of the unchanged indexes.
  func keptIndexes(_ before: TableLayout?, _ after: TableLayout) -> Set<String> {
    guard let before else { return [] }
    // A table without a match is unchanged.
    let match = matches[after.schema.className]
    var names = Set(
      before.valueIndexes.filter { index in
        match.map { isKept(index, before, after, $0) } ?? true
      }.map(\.name))
    names.formUnion(
      before.textIndexes.filter { index in
        match.map { isKept(index, before, after, $0) } ?? true
      }.map(\.name))
    names.formUnion(
      before.spatialIndexes.filter { index in
        match.map { isKept(index, before, after, $0) } ?? true
      }.map(\.name))
    for (index, column) in before.columns.enumerated() where column.type == .any {
      guard match.map({ sameColumn(as: index, before, after, $0) != nil }) ?? true else { continue }
      names.insert(MixedForm.linkIndexName(after.tableName, column))
    }
    return names
  }

  /// Creates the indexes of a class that do not exist yet.
  func createMissingIndexes(
    _ before: TableLayout?, _ after: TableLayout
  ) throws(StoreError) {
    let present = keptIndexes(before, after)
    for index in after.valueIndexes where !present.contains(index.name) {
      let isDeferred = index.isUnique && defersKeys
      if isDeferred { classesWithNewKey.append(after.schema.className) }
      try after.create(index, isUnique: index.isUnique && !isDeferred, on: connection)
    }
    for column in after.columns where column.type == .any {
      guard !present.contains(MixedForm.linkIndexName(after.tableName, column)) else { continue }
      try connection.run(MixedForm.linkIndex(on: after.tableName, column).definition)
    }
    for index in after.textIndexes where !present.contains(index.name) {
      try after.create(index, on: connection)
      try TextIndexWriter(index, after, connection).build(after)
    }
    for index in after.spatialIndexes where !present.contains(index.name) {
      try after.create(index, on: connection)
      try SpatialIndexWriter(index, after, connection).build()
    }
  }
}
