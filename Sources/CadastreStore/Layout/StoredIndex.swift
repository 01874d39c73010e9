import CadastreModel
import CadastreSQLite

/// An ordered SQLite index: its name, and the statement that creates it.
struct StoredIndex: Hashable, Sendable {
  let name: String
  let definition: String

  /// Describes an index.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - table: The name of the table.
  ///   - terms: The ordering terms, as SQL.
  ///   - isUnique: Whether equal rows are refused.
  ///   - condition: The condition of a partial index, as SQL; nil for an index of all rows.
  init(
    _ name: String, on table: String, _ terms: String, isUnique: Bool = false,
    where condition: String? = nil
  ) {
    self.name = name
    definition =
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQL.quoted(name)) ON \(SQL.quoted(table))(\(terms))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}

extension TableLayout {
  /// The ordered indexes of the class's table and of the tables of its collections.
  var storedIndexes: [StoredIndex] {
    let links = columns.filter { $0.type == .any }.map { MixedForm.linkIndex(on: tableName, $0) }
    return valueIndexes.map { stored($0, isUnique: $0.isUnique) } + links
      + collections.flatMap(\.storedIndexes)
  }

  func stored(_ index: ValueIndex, isUnique: Bool) -> StoredIndex {
    StoredIndex(
      index.name, on: tableName, SQL.quoted(columns[index.column].name), isUnique: isUnique)
  }
}

extension CollectionLayout {
  /// The ordered indexes of the collection's table.
  var storedIndexes: [StoredIndex] {
    var indexes: [StoredIndex] = []
    if kind == .set {
      indexes.append(StoredIndex("index_\(tableName).owner", on: tableName, "owner, value"))
    }
    if target != nil {
      indexes.append(StoredIndex("index_\(tableName).value", on: tableName, "value"))
    } else if element.type == .any {
      indexes.append(MixedForm.linkIndex(on: tableName, element))
    }
    return indexes
  }
}
