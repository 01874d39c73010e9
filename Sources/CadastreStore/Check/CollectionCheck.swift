import CadastreModel
import CadastreSQLite

/// A check of the data outside of the rows of objects: collections, embedded objects with separate rows,
/// and links in values of any type.
struct CollectionCheck {
  private let reader: any StoreReader
  private var connection: Connection { reader.connection }
  private let key = SQL.quoted(TableLayout.keyName)

  init(_ reader: any StoreReader) { self.reader = reader }

  /// Returns the problems of a class's data, one sentence each.
  func problems(_ layout: TableLayout) throws(StoreError) -> [String] {
    var problems: [String] = []
    for collection in layout.collections { problems += try self.problems(collection, layout) }
    for column in layout.columns where column.type == .any {
      problems += try mixedProblems(
        layout.tableName, column, "\(layout.schema.className).\(column.name)")
    }
    if layout.schema.isEmbedded { problems += try ownerProblems(layout) }
    return problems
  }

  // MARK: Collections

  private func problems(
    _ collection: CollectionLayout, _ owner: TableLayout
  ) throws(StoreError) -> [String] {
    let name = "\(collection.ownerClass).\(collection.path)"
    let table = SQL.quoted(collection.tableName)
    let owners = SQL.quoted(owner.tableName)
    let storedCount = SQL.quoted(owner.columns[collection.countColumn].name)
    var problems: [String] = []
    let miscounted = try count(
      "FROM \(owners) o LEFT JOIN (SELECT owner, count(*) AS number FROM \(table) GROUP BY owner) c "
        + "ON c.owner = o.\(key) WHERE coalesce(o.\(storedCount), 0) <> coalesce(c.number, 0)")
    if miscounted > 0 {
      problems.append(
        "\(miscounted) collections '\(name)' have another number of elements than their owners' rows say"
      )
    }
    let ownerless = try count("FROM \(table) WHERE owner NOT IN (SELECT \(key) FROM \(owners))")
    if ownerless > 0 {
      problems.append("\(ownerless) elements of '\(name)' belong to missing objects")
    }
    if let target = collection.target.flatMap(reader.catalogue.layout) {
      let isMissing =
        "value IS NOT NULL AND value NOT IN (SELECT \(key) FROM \(SQL.quoted(target.tableName)))"
      let broken = try count(
        "FROM \(table) WHERE (\(isMissing))\(collection.kind == .map ? "" : " OR value IS NULL")")
      if broken > 0 {
        problems.append("\(broken) elements of '\(name)' refer to missing objects")
      }
    } else if collection.element.type == .any {
      problems += try mixedProblems(collection.tableName, collection.element, name)
    }
    return problems
  }

  // MARK: Values of any type

  /// Returns the problems of links to missing objects.
  ///
  /// Links inside lists and maps are not checked: a link to a missing object reads as no link there.
  private func mixedProblems(
    _ tableName: String, _ column: Column, _ name: String
  ) throws(StoreError) -> [String] {
    let table = SQL.quoted(tableName)
    let condition = MixedForm.isObject(column)
    var types: [String] = []
    let rows = try connection.statement(
      "SELECT DISTINCT \(column.sqlNames[1]) FROM \(table) WHERE \(condition) ORDER BY 1")
    while try rows.step() { types.append(rows.text(0)) }
    var problems: [String] = []
    for type in types {
      let target = reader.catalogue.layout(String(type.dropFirst(MixedForm.objectPrefix.count)))
      let isMissing =
        target.map {
          "\(column.sqlNames[0]) NOT IN (SELECT \(key) FROM \(SQL.quoted($0.tableName)))"
        } ?? "1"
      let broken = try count(
        "FROM \(table) WHERE \(condition) AND \(column.sqlNames[1]) = ? AND \(isMissing)",
        .string(type))
      guard broken > 0 else { continue }
      problems.append("\(broken) links '\(name)' refer to missing objects")
    }
    return problems
  }

  // MARK: Embedded objects

  private func ownerProblems(_ layout: TableLayout) throws(StoreError) -> [String] {
    let name = layout.schema.className
    let owners = EmbeddedOwners(reader.catalogue, connection)
    var problems: [String] = []
    for (condition, sentence) in [("= 0", "have no owner"), ("> 1", "have more than one owner")] {
      let number = try owners.count(layout, condition)
      if number > 0 { problems.append("\(number) embedded objects '\(name)' \(sentence)") }
    }
    return problems
  }

  private func count(_ rest: String, _ value: Value? = nil) throws(StoreError) -> Int64 {
    let sql = "SELECT count(*) \(rest)"
    if let value { return try connection.integer(sql, value) ?? 0 }
    return try connection.integer(sql) ?? 0
  }
}
