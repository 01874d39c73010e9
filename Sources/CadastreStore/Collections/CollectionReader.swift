package import CadastreModel
package import CadastreSQLite

/// Reads the elements of one collection property.
///
/// An owner is named by the key of its row.
package struct CollectionReader {
  private let layout: CollectionLayout
  private let reader: any StoreReader
  private var connection: Connection { reader.connection }
  private var type: PropertyType { layout.element.type }

  /// Reads a property's elements as a snapshot or a write transaction sees them.
  package init(_ layout: CollectionLayout, _ reader: any StoreReader) {
    self.layout = layout
    self.reader = reader
  }

  // MARK: All kinds

  /// The number of elements.
  ///
  /// - Complexity: O(log n) of the owners.
  package func count(_ owner: ObjectKey) throws(StoreError) -> Int {
    try reader.elementCount(layout, owner.rawValue)
  }

  /// The elements of a list in order, of a set in ascending order, of a map in the order of its keys.
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

  /// The owners of collections that hold a link to an object, once for each such element, ascending.
  ///
  /// - Complexity: O(log n + k).
  package func owners(linkingTo target: ObjectKey) throws(StoreError) -> [Int64] {
    let statement = try connection.statement(layout.sql.owners)
    try statement.bind(.link(target), at: 1)
    var owners: [Int64] = []
    while try statement.step() { owners.append(statement.integer(0)) }
    return owners
  }

  // MARK: Lists

  /// The element of a list or a set at an index, which must be there.
  ///
  /// - Complexity: O(log n) once the places of the elements are known, for which an index that is not
  ///   near the start takes O(n) the first time.
  package func value(_ owner: ObjectKey, at index: Int) throws(StoreError) -> Value {
    if layout.kind == .set {
      let elements = try reader.setElements(layout, owner.rawValue)
      guard index < elements.count else { throw layout.missingElement(owner.rawValue, reader.path) }
      return elements[index].value
    }
    if index < Self.near {
      let statement = try connection.statement(layout.sql.offset)
      try statement.bind(.int(Int64(index)), at: 2)
      return try value(statement, owner)
    }
    let places = try reader.positions(layout, owner.rawValue).places
    guard index < places.count else { throw layout.missingElement(owner.rawValue, reader.path) }
    let statement = try connection.statement(layout.sql.one)
    try statement.bind(.int(places[index]), at: 2)
    return try value(statement, owner)
  }

  /// The last element of a list that is not empty.
  package func lastValue(_ owner: ObjectKey) throws(StoreError) -> Value {
    let statement = try connection.statement(layout.sql.last)
    return try value(statement, owner)
  }

  /// Elements up to which counting from the start is cheaper than knowing all places.
  private static let near = 16

  private func value(_ statement: Statement, _ owner: ObjectKey) throws(StoreError) -> Value {
    try statement.bind(.link(owner), at: 1)
    defer { statement.reset() }
    guard try statement.step() else { throw layout.missingElement(owner.rawValue, reader.path) }
    return statement.value(0, as: type)
  }

  // MARK: Sets

  /// Whether a set holds a value, by the order of values: 1 and 1.0 are one.
  ///
  /// - Complexity: O(log n), or O(n) where decimals are among the elements.
  package func contains(_ value: Value, _ owner: ObjectKey) throws(StoreError) -> Bool {
    try row(of: value, owner) != nil
  }

  /// SQLite's key of a set's element; nil where there is none.
  func row(of value: Value, _ owner: ObjectKey) throws(StoreError) -> Int64? {
    let statement = try candidates(for: value, owner)
    defer { statement.reset() }
    while try statement.step() {
      if statement.value(1, as: type).ordering(value) == .same { return statement.integer(0) }
    }
    return nil
  }

  /// A statement for the rows among which a value must be, if it is there.
  private func candidates(for value: Value, _ owner: ObjectKey) throws(StoreError) -> Statement {
    let start = layout.sql.all
    let sql: String
    switch (type, value) {
    case (.decimal128, _), (.any, .decimal), (_, .list), (_, .map): sql = start
    // NaN is one value, however many bit patterns it has.
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

  /// Decimals are stored as text, of which SQLite does not know the size.
  private var decimals: String {
    type == .any ? " OR \(layout.element.sqlNames[1]) = 'decimal128'" : ""
  }

  // MARK: Maps

  /// The value under a key of a map; nil where there is none, `null` where it is null.
  ///
  /// - Complexity: O(log n).
  package func value(_ owner: ObjectKey, forKey key: String) throws(StoreError) -> Value? {
    let statement = try connection.statement(layout.sql.one)
    try statement.bind(.link(owner), at: 1)
    try statement.bind(.string(key), at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.value(0, as: type) : nil
  }

  /// The keys and values of a map, in the byte order of the keys.
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

/// One element of a set, with SQLite's key of its row.
package struct SetElement: Sendable {
  /// SQLite's key.
  let row: Int64
  /// The element.
  package let value: Value
}

extension Connection {
  func storedPositions(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> ListPositions {
    let statement = try statement(layout.sql.places)
    try statement.bind(.int(owner), at: 1)
    defer { statement.reset() }
    var order = AscendingKeys(of: layout.tableName, in: ListPositions.range, self)
    var places: [Int64] = []
    while try statement.step() {
      let place = statement.integer(0)
      try order.accept(place)
      places.append(place)
    }
    return ListPositions(places)
  }

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

  func storedCount(
    _ layout: CollectionLayout, _ catalogue: Catalogue, _ owner: Int64
  ) throws(StoreError) -> Int {
    guard let table = catalogue.layout(layout.ownerClass) else { return 0 }
    let count = try integer(table.countQuery(layout.countColumn), .int(owner)) ?? 0
    return try checkedCount(count, of: layout.tableName)
  }

  /// Returns a number of rows of a table that was read from the file.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the file cannot hold so many.
  func checkedCount(_ count: Int64, of table: String) throws(StoreError) -> Int {
    if (0...Self.uncheckedCount).contains(count) { return Int(count) }
    let pages = try integer("PRAGMA page_count") ?? 0
    let pageBytes = try integer("PRAGMA page_size") ?? 0
    guard count > 0, count <= pages * pageBytes / Self.leastRowBytes else {
      throw StoreError(.corrupt("table '\(table)' cannot hold \(count) rows"), path: path)
    }
    return Int(count)
  }

  /// Counts up to this one are not compared with the size of the file: the memory for so many is no problem.
  private static var uncheckedCount: Int64 { 1 << 20 }
  /// Bytes that a row takes at least in a page: two for its address, two for its head.
  private static var leastRowBytes: Int64 { 4 }
}

extension CollectionLayout {
  /// The error for an owner whose row says that it has more elements than there are.
  func missingElement(_ owner: Int64, _ path: String) -> StoreError {
    StoreError(
      .corrupt("table '\(tableName)' lacks elements of row \(owner)"), path: path)
  }
}
