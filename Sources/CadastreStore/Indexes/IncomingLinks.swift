import CadastreModel
package import CadastreSQLite

/// Counts of the links to objects, including links in values of any type.
///
/// The first count of a class counts the links to all objects of the class. The counts are valid as long as
/// the store does not change.
package final class IncomingLinks {
  private let reader: any StoreReader
  private var counts: [String: [Int64: Int]] = [:]
  private var nested: [ObjectAddress: Int]?

  /// Prepares to count the links that a reader sees.
  package init(_ reader: any StoreReader) { self.reader = reader }

  /// Returns the number of links to an object.
  ///
  /// - Complexity: O(n) in the links to the class for its first object, O(1) for the others.
  package func count(_ className: String, _ key: Int64) throws(StoreError) -> Int {
    let address = ObjectAddress(className: className, key: ObjectKey(key))
    let inValues = try nestedLinks()[address] ?? 0
    if let counted = counts[className] { return counted[key, default: 0] + inValues }
    let counted = try count(className)
    counts[className] = counted
    return counted[key, default: 0] + inValues
  }

  private func count(_ className: String) throws(StoreError) -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    for source in reader.catalogue.sources(ofLinksTo: className) {
      guard let (table, column) = reader.catalogue.storage(of: source) else { continue }
      let name = column.sqlNames[0]
      try add(
        "SELECT \(name), count(*) FROM \(table) WHERE \(name) IS NOT NULL GROUP BY \(name)", nil,
        to: &counts)
    }
    for source in reader.catalogue.sourcesOfMixedLinks {
      guard let (table, column) = reader.catalogue.storage(of: source) else { continue }
      let names = column.sqlNames
      try add(
        "SELECT \(names[0]), count(*) FROM \(table) WHERE \(names[1]) = ? "
          + "AND \(MixedForm.isObject(column)) GROUP BY \(names[0])",
        .string(MixedForm.objectPrefix + className), to: &counts)
    }
    return counts
  }

  private func add(
    _ sql: String, _ argument: Value?, to counts: inout [Int64: Int]
  ) throws(StoreError) {
    let statement = try reader.connection.statement(sql)
    if let argument { try statement.bind(argument, at: 1) }
    while try statement.step() {
      counts[statement.integer(0), default: 0] += Int(statement.integer(1))
    }
  }

  /// Returns the links in lists and maps of values of any type, which are stored as text.
  private func nestedLinks() throws(StoreError) -> [ObjectAddress: Int] {
    if let nested { return nested }
    var links: [ObjectAddress: Int] = [:]
    for source in reader.catalogue.sourcesOfMixedLinks {
      guard let (table, column) = reader.catalogue.storage(of: source) else { continue }
      let names = column.sqlNames
      let statement = try reader.connection.statement(
        "SELECT \(names.joined(separator: ", ")) FROM \(table) "
          + "WHERE \(names[1]) IN ('\(MixedForm.listName)', '\(MixedForm.mapName)')")
      while try statement.step() { statement.mixedValue(0).addLinks(to: &links) }
    }
    nested = links
    return links
  }
}

extension Value {
  fileprivate func addLinks(to links: inout [ObjectAddress: Int]) {
    switch self {
    case .object(let address): links[address, default: 0] += 1
    case .list(let values): for value in values { value.addLinks(to: &links) }
    case .map(let map): for entry in map.entries { entry.value.addLinks(to: &links) }
    default: break
    }
  }
}

/// Queries for the owners of objects that have separate rows and are embedded, or become embedded.
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
