package import CadastreModel
package import CadastreSQLite

/// A reader of the elements of one collection property.
///
/// An owner is identified by the key of its row.
package struct CollectionReader {
  private let layout: CollectionLayout
  private let reader: any StoreReader
  private var connection: Connection { reader.connection }
  private var type: PropertyType { layout.element.type }

  /// Reads a property's elements in a snapshot or a write transaction.
  package init(_ layout: CollectionLayout, _ reader: any StoreReader) {
    self.layout = layout
    self.reader = reader
  }

  // MARK: All kinds

  /// Returns the number of elements.
  ///
  /// - Complexity: O(log n) for n owners.
  package func count(_ owner: ObjectKey) throws(StoreError) -> Int {
    try reader.elementCount(layout, owner.rawValue)
  }

  /// Returns the elements of a list in order, of a set in ascending order, of a map in the order of its
  /// keys.
  ///
  /// - Complexity: O(k) for k elements, O(k log k) for a set.
  package func values(_ owner: ObjectKey) throws(StoreError) -> [Value] {
    if layout.kind == .set { return try reader.setElements(layout, owner.rawValue).map(\.value) }
    let statement = try connection.statement(layout.sql.all)
    try statement.bind(.link(owner), at: 1)
    var values: [Value] = []
    while try statement.step() { values.append(statement.value(0, as: type)) }
    return values
  }

  /// Returns the owners of collections that link to an object, ascending, once for each link.
  ///
  /// - Complexity: O(log n + k).
  package func owners(linkingTo target: ObjectKey) throws(StoreError) -> [Int64] {
    try connection.integers(layout.sql.owners, .link(target))
  }

  // MARK: Lists

  /// Returns the element of a list or a set at an index, which must be valid.
  ///
  /// - Throws: ``StoreError`` `corrupt` where there are fewer elements than the owner's row says.
  /// - Complexity: O(log n); the first index beyond the start of a list takes O(n) for reading the
  ///   positions.
  package func value(_ owner: ObjectKey, at index: Int) throws(StoreError) -> Value {
    if layout.kind == .set {
      let elements = try reader.setElements(layout, owner.rawValue)
      guard index < elements.count else { throw layout.missingElement(owner.rawValue, reader.path) }
      return elements[index].value
    }
    if index < Self.nearStart {
      let statement = try connection.statement(layout.sql.offset)
      try statement.bind(.int(Int64(index)), at: 2)
      return try value(statement, owner)
    }
    let positions = try reader.positions(layout, owner.rawValue).values
    guard index < positions.count else { throw layout.missingElement(owner.rawValue, reader.path) }
    let statement = try connection.statement(layout.sql.one)
    try statement.bind(.int(positions[index]), at: 2)
    return try value(statement, owner)
  }

  /// Returns the last element of a list that is not empty.
  package func lastValue(_ owner: ObjectKey) throws(StoreError) -> Value {
    let statement = try connection.statement(layout.sql.last)
    return try value(statement, owner)
  }

  /// The index up to which counting from the start is cheaper than reading all positions.
  private static let nearStart = 16

  private func value(_ statement: Statement, _ owner: ObjectKey) throws(StoreError) -> Value {
    try statement.bind(.link(owner), at: 1)
    defer { statement.reset() }
    guard try statement.step() else { throw layout.missingElement(owner.rawValue, reader.path) }
    return statement.value(0, as: type)
  }

  // MARK: Sets

  /// Returns whether a set contains a value that is equal in the order of values: 1 equals 1.0.
  ///
  /// - Complexity: O(log n), or O(n) where decimals are among the elements.
  package func contains(_ value: Value, _ owner: ObjectKey) throws(StoreError) -> Bool {
    try row(of: value, owner) != nil
  }

  /// Returns the rowid of a set's element; nil where there is none.
  func row(of value: Value, _ owner: ObjectKey) throws(StoreError) -> Int64? {
    let statement = try candidates(for: value, owner)
    defer { statement.reset() }
    while try statement.step() {
      if statement.value(1, as: type).isSame(as: value) { return statement.integer(0) }
    }
    return nil
  }

  /// Returns a statement for the rows that can contain a value.
  private func candidates(for value: Value, _ owner: ObjectKey) throws(StoreError) -> Statement {
    let start = layout.sql.all
    let sql: String
    switch (type, value) {
    case (.decimal128, _), (.any, .decimal), (_, .list), (_, .map): sql = start
    // All bit patterns of NaN are one value.
    case (_, _) where value.doubleValue?.isNaN == true:
      sql = "\(start) AND (typeof(value) = 'blob'\(decimals))"
    case (_, _) where value.doubleValue == 0:
      sql = "\(start) AND (value = 0 OR value IN (x'8000000000000000', x'80000000')\(decimals))"
    default: sql = "\(start) AND (value IS ?2\(decimals))"
    }
    let statement = try connection.statement(sql)
    try statement.bind(.link(owner), at: 1)
    if sql.contains("?2") { try statement.bind(MixedForm(value).value, at: 2) }
    return statement
  }

  /// The condition for decimals, which are stored as text that SQLite cannot compare as numbers.
  private var decimals: String {
    type == .any ? " OR \(layout.element.sqlNames[1]) = 'decimal128'" : ""
  }

  // MARK: Maps

  /// Returns the value of a key of a map; nil where the map lacks the key, `null` where the value is null.
  ///
  /// - Complexity: O(log n).
  package func value(_ owner: ObjectKey, forKey key: String) throws(StoreError) -> Value? {
    let statement = try connection.statement(layout.sql.one)
    try statement.bind(.link(owner), at: 1)
    try statement.bind(.string(key), at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.value(0, as: type) : nil
  }

  /// Returns the keys and values of a map, in the byte order of the keys.
  package func entries(
    _ owner: ObjectKey
  ) throws(StoreError) -> [(key: String, value: Value)] {
    let statement = try connection.statement(layout.sql.entries)
    try statement.bind(.link(owner), at: 1)
    var entries: [(key: String, value: Value)] = []
    while try statement.step() {
      entries.append((statement.text(0), statement.value(1, as: type)))
    }
    return entries
  }
}

/// One element of a set, with the rowid of its row.
package struct SetElement: Sendable {
  /// The rowid.
  let row: Int64
  /// The element.
  package let value: Value
}

extension Connection {
  /// Reads the positions of a list.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the positions do not ascend, or are out of range.
  func storedPositions(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> ListPositions {
    let statement = try statement(layout.sql.positions)
    try statement.bind(.int(owner), at: 1)
    defer { statement.reset() }
    var order = AscendingKeys(of: layout.tableName, in: ListPositions.range, self)
    var positions: [Int64] = []
    while try statement.step() {
      let position = statement.integer(0)
      try order.accept(position)
      positions.append(position)
    }
    return ListPositions(positions)
  }

  /// Reads the elements of a set, ascending.
  func storedSet(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> [SetElement] {
    let statement = try statement(layout.sql.all)
    try statement.bind(.int(owner), at: 1)
    var elements: [SetElement] = []
    while try statement.step() {
      elements.append(
        SetElement(
          row: statement.integer(0), value: statement.value(1, as: layout.element.type)))
    }
    return elements.sorted { $0.value.ordering($1.value) == .ascending }
  }

  /// Reads the number of elements from the owner's row.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the file is too small for this number.
  func storedCount(
    _ layout: CollectionLayout, _ catalogue: Catalogue, _ owner: Int64
  ) throws(StoreError) -> Int {
    guard let table = catalogue.layout(layout.ownerClass) else { return 0 }
    let query = try statement(table.columnQueries[layout.countColumn])
    try query.bind(integer: owner, at: 1)
    return try checkedCount(try firstInteger(of: query) ?? 0, of: layout.tableName)
  }

  /// Checks and returns a number of rows that was read from the file.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the file is too small for this number.
  func checkedCount(_ count: Int64, of table: String) throws(StoreError) -> Int {
    if (0...Self.uncheckedCount).contains(count) { return Int(count) }
    guard count > 0, count <= (try databaseBytes) / Self.leastRowBytes else {
      throw StoreError(.corrupt("table '\(table)' cannot hold \(count) rows"), path: path)
    }
    return Int(count)
  }

  /// The count up to which the size of the file is not checked.
  private static var uncheckedCount: Int64 { 1 << 20 }
  /// The minimum size of a row in a page in bytes: two for its pointer, two for its header.
  private static var leastRowBytes: Int64 { 4 }
}

extension CollectionLayout {
  /// Returns the error for an owner whose row counts more elements than the table contains.
  func missingElement(_ owner: Int64, _ path: String) -> StoreError {
    StoreError(
      .corrupt("table '\(tableName)' lacks elements of row \(owner)"), path: path)
  }
}

/// The positions of lists and the sorted elements of sets that one reader has loaded.
final class CollectionCache {
  private struct CollectionID: Hashable {
    let table: String
    let owner: Int64
  }

  private var positions: [CollectionID: ListPositions] = [:]
  private var sets: [CollectionID: [SetElement]] = [:]

  /// The maximum number of cached lists, and of cached sets.
  private static let capacity = 64

  /// Returns the positions of a list's elements.
  func positions(
    _ layout: CollectionLayout, _ owner: Int64, load: () throws(StoreError) -> ListPositions
  ) throws(StoreError) -> ListPositions {
    let id = CollectionID(table: layout.tableName, owner: owner)
    if let cached = positions[id] { return cached }
    let loaded = try load()
    if positions.count >= Self.capacity { positions = [:] }
    positions[id] = loaded
    return loaded
  }

  /// Changes the cached positions of a list; does nothing where they are not cached.
  func change(
    _ layout: CollectionLayout, _ owner: Int64, _ change: (inout ListPositions) -> Void
  ) {
    let id = CollectionID(table: layout.tableName, owner: owner)
    guard positions[id] != nil else { return }
    change(&positions[id, default: ListPositions()])
  }

  /// Returns the elements of a set, ascending.
  func set(
    _ layout: CollectionLayout, _ owner: Int64, load: () throws(StoreError) -> [SetElement]
  ) throws(StoreError) -> [SetElement] {
    let id = CollectionID(table: layout.tableName, owner: owner)
    if let cached = sets[id] { return cached }
    let loaded = try load()
    if sets.count >= Self.capacity { sets = [:] }
    sets[id] = loaded
    return loaded
  }

  func remove(_ layout: CollectionLayout, _ owner: Int64) {
    let id = CollectionID(table: layout.tableName, owner: owner)
    positions[id] = nil
    sets[id] = nil
  }

  func removeAll() {
    positions = [:]
    sets = [:]
  }
}
