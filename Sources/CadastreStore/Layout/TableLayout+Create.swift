import CadastreModel

extension TableLayout {
  /// Makes the table of a class, with its indexes.
  func create(on connection: Connection) throws(StoreError) {
    let declarations = columns.flatMap(\.declarations)
    let key = "\(SQL.quoted(Self.keyName)) INTEGER PRIMARY KEY"
    try connection.run(
      "CREATE TABLE \(SQL.quoted(tableName))(\(([key] + declarations).joined(separator: ", ")))")
    for index in spatialIndexes { try create(index, on: connection) }
    for index in textIndexes { try create(index, on: connection) }
    for collection in collections { try collection.create(on: connection) }
    for index in storedIndexes { try connection.run(index.definition) }
  }

  func create(_ index: ValueIndex, on connection: Connection) throws(StoreError) {
    try connection.run(stored(index).definition)
  }

  func create(_ index: SpatialIndex, on connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE VIRTUAL TABLE \(SQL.quoted(index.name)) USING rtree("
        + "\"key\", min_longitude, max_longitude, min_latitude, max_latitude)")
  }

  /// A name for the table of a class that no other table has in SQLite's eyes.
  static func tableName(for className: String, used: [String]) -> String {
    let taken = Set(used.map { $0.lowercased() })
    // With a full stop in it a name could be that of a collection's table.
    let isReserved =
      className.contains(".")
      || ["sqlite_", "cadastre_", "rtree_", "fts_"].contains {
        className.lowercased().hasPrefix($0)
      }
    var candidate = isReserved ? "#" + className : className
    var count = 1
    while taken.contains(candidate.lowercased()) {
      count += 1
      candidate = "\(className)#\(count)"
    }
    return candidate
  }
}
