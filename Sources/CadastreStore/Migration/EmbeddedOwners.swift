import CadastreModel
import CadastreSQLite

/// Queries for the owners of objects that have rows of their own and are embedded, or become embedded.
struct EmbeddedOwners {
  private let catalogue: Catalogue
  private let connection: Connection
  private let key = SQL.quoted(TableLayout.keyName)

  init(_ catalogue: Catalogue, _ connection: Connection) {
    self.catalogue = catalogue
    self.connection = connection
  }

  /// Returns the number of objects of a class whose number of owners satisfies a condition such as `> 1`.
  func count(_ layout: TableLayout, _ condition: String) throws(StoreError) -> Int64 {
    let owners = references(to: layout.schema.className) ?? "SELECT NULL AS value WHERE 0"
    return try connection.integer(
      "SELECT count(*) FROM (SELECT count(r.value) AS number FROM \(SQL.quoted(layout.tableName)) e "
        + "LEFT JOIN (\(owners)) r ON r.value = e.\(key) GROUP BY e.\(key)) "
        + "WHERE number \(condition)") ?? 0
  }

  /// Returns the objects of a class without an owner.
  func ownerless(_ layout: TableLayout) throws(StoreError) -> [ObjectKey] {
    let table = SQL.quoted(layout.tableName)
    let owners = references(to: layout.schema.className) ?? "SELECT NULL AS value WHERE 0"
    return try connection.integers(
      "SELECT \(key) FROM \(table) WHERE \(key) NOT IN "
        + "(SELECT value FROM (\(owners)) WHERE value IS NOT NULL)"
    ).map(ObjectKey.init)
  }

  /// Returns the number of links to a class in values of any type, without links inside lists and maps.
  func countOfMixedLinks(to className: String) throws(StoreError) -> Int64 {
    var count: Int64 = 0
    for source in catalogue.sourcesOfMixedLinks {
      guard let (table, column) = catalogue.storage(of: source) else { continue }
      count +=
        try connection.integer(
          "SELECT count(*) FROM \(table) WHERE \(MixedForm.isObject(column)) "
            + "AND \(column.sqlNames[1]) = ?", .string(MixedForm.objectPrefix + className)) ?? 0
    }
    return count
  }

  /// Returns a query for the links to objects of a class, with the column `value`; nil where no property
  /// links to the class.
  private func references(to className: String) -> String? {
    let queries = catalogue.sources(ofLinksTo: className).compactMap { source in
      catalogue.storage(of: source).map { "SELECT \($1.sqlNames[0]) AS value FROM \($0)" }
    }
    return queries.isEmpty ? nil : queries.joined(separator: " UNION ALL ")
  }
}
