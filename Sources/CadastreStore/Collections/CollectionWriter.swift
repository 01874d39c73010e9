import CadastreModel
import CadastreSQLite

/// A writer of the elements of one collection property within one transaction.
///
/// The elements are written at once, the numbers of elements to the buffer of the owners' table.
final class CollectionWriter {
  let layout: CollectionLayout
  private let connection: Connection
  private let catalogue: Catalogue
  private let cache: CollectionCache
  private let table: String
  /// The writer of the owners' table.
  private let owners: TableWriter
  private let bufferCapacity: Int
  /// The positions of the last elements of lists.
  private var last: [Int64: Int64] = [:]
  /// The prepared insertion of an element, after its first use.
  @exclusivity(unchecked) private var insertion: Statement?
  /// The prepared insertion of several elements, after its first use.
  @exclusivity(unchecked) private var jointInsertion: Statement?

  init(
    _ layout: CollectionLayout, _ catalogue: Catalogue, _ owners: TableWriter,
    _ connection: Connection, _ cache: CollectionCache, _ bufferCapacity: Int
  ) {
    self.layout = layout
    self.catalogue = catalogue
    self.owners = owners
    self.bufferCapacity = bufferCapacity
    self.connection = connection
    self.cache = cache
    table = SQL.quoted(layout.tableName)
  }

  func count(_ owner: Int64) throws(StoreError) -> Int {
    if let count = owners.bufferedCount(owner, layout) { return count }
    return try connection.storedCount(layout, catalogue, owner)
  }

  private func add(_ number: Int, to owner: Int64) throws(StoreError) {
    try setCount(try count(owner) + number, owner)
  }

  private func setCount(_ count: Int, _ owner: Int64) throws(StoreError) {
    try owners.setElementCount(count, owner, layout.countColumn, bufferCapacity)
  }

  /// Discards the state of an owner whose row was deleted.
  func discard(_ owner: Int64) {
    last[owner] = nil
    cache.remove(layout, owner)
  }

  // MARK: Lists

  func append(_ values: [Value], to owner: Int64) throws(StoreError) {
    var end: Int64? = last[owner]
    if end == nil {
      end = try connection.integer(layout.sql.lastPosition, .int(owner))
      if let end, !ListPositions.range.contains(end) {
        throw StoreError(
          .corrupt("table '\(layout.tableName)' has position \(end)"), path: connection.path)
      }
    }
    let first = end.map { $0 + ListPositions.gap } ?? 0
    try insert(values, from: first, of: owner)
    if !values.isEmpty { last[owner] = first + Int64(values.count - 1) * ListPositions.gap }
    cache.change(layout, owner) { positions in
      for number in 0..<values.count { positions.append(first + Int64(number) * ListPositions.gap) }
    }
    try add(values.count, to: owner)
  }

  /// Stores the elements of a list of a new object, whose row already contains their number.
  func fill(_ values: [Value], of owner: Int64) throws(StoreError) {
    try insert(values, from: 0, of: owner)
  }

  /// Inserts elements one after the other from a position on, several with one statement.
  private func insert(
    _ values: [Value], from first: Int64, of owner: Int64
  ) throws(StoreError) {
    var position = first
    var rest = values[...]
    while rest.count >= CollectionSQL.jointRows {
      let part = rest.prefix(CollectionSQL.jointRows)
      // A statement keeps its bound values in memory.
      guard part.allSatisfy({ $0.byteCount ?? 0 <= Self.mostJointBytes }) else { break }
      let statement = try prepared(&jointInsertion, layout.sql.jointInsertion)
      var index = 1
      for value in part {
        index = try bind(value, at: .int(position), of: owner, to: statement, from: index)
        position += ListPositions.gap
      }
      try statement.run()
      rest = rest.dropFirst(part.count)
    }
    for value in rest {
      try insert(value, at: .int(position), of: owner)
      position += ListPositions.gap
    }
  }

  /// The size in bytes up to which an element is inserted together with others.
  private static let mostJointBytes = 4096

  func insert(_ values: [Value], at index: Int, of owner: Int64) throws(StoreError) {
    guard !values.isEmpty else { return }
    // Loads the positions into the cache, so that they can be changed there.
    _ = try positions(owner, atLeast: index)
    var new: [Int64] = []
    var moves: [ListPositions.Move] = []
    cache.change(layout, owner) { (new, moves) = $0.insert(values.count, at: index) }
    for move in moves {
      try connection.run(layout.sql.move, .int(move.to), .int(owner), .int(move.from))
    }
    for (position, value) in zip(new, values) {
      try insert(value, at: .int(position), of: owner)
    }
    last[owner] = nil
    try add(values.count, to: owner)
  }

  func remove(_ range: Range<Int>, of owner: Int64) throws(StoreError) {
    guard !range.isEmpty else { return }
    let positions = try positions(owner, atLeast: range.upperBound).values
    try connection.run(
      layout.sql.rangeRemoval, .int(owner), .int(positions[range.lowerBound]),
      .int(positions[range.upperBound - 1]))
    cache.change(layout, owner) { $0.remove(range) }
    last[owner] = nil
    try add(-range.count, to: owner)
  }

  func replace(_ value: Value, at index: Int, of owner: Int64) throws(StoreError) {
    try update(value, at: .int(try positions(owner, atLeast: index + 1).values[index]), of: owner)
  }

  private func update(
    _ value: Value, at slot: Value, of owner: Int64
  ) throws(StoreError) {
    let statement = try connection.statement(layout.sql.update)
    let next = try statement.bind(value, of: layout.element.type, at: 1)
    try statement.bind(.int(owner), at: next)
    try statement.bind(slot, at: next + 1)
    try statement.run()
  }

  /// Returns the positions of a list.
  ///
  /// - Throws: ``StoreError`` `corrupt` where there are fewer positions than expected.
  private func positions(
    _ owner: Int64, atLeast count: Int
  ) throws(StoreError) -> ListPositions {
    let positions = try cache.positions(layout, owner) { () throws(StoreError) in
      try connection.storedPositions(layout, owner)
    }
    guard positions.values.count >= count else {
      throw layout.missingElement(owner, connection.path)
    }
    return positions
  }

  // MARK: Sets

  /// Adds a value that the set does not contain yet.
  func insert(_ value: Value, of owner: Int64) throws(StoreError) {
    let statement = try prepared(&insertion, layout.sql.insertion)
    try statement.bind(integer: owner, at: 1)
    _ = try statement.bind(value, of: layout.element.type, at: 2)
    try statement.run()
    cache.remove(layout, owner)
    try add(1, to: owner)
  }

  func remove(row: Int64, of owner: Int64) throws(StoreError) {
    try connection.run(layout.sql.removal, .int(owner), .int(row))
    cache.remove(layout, owner)
    try add(-1, to: owner)
  }

  // MARK: Maps

  /// Sets the value of a key; `isNew` is true if the map lacks the key.
  func set(
    _ value: Value, forKey key: String, of owner: Int64, isNew: Bool
  ) throws(StoreError) {
    if isNew {
      try insert(value, at: .string(key), of: owner)
      try add(1, to: owner)
    } else {
      try update(value, at: .string(key), of: owner)
    }
  }

  func remove(key: String, of owner: Int64) throws(StoreError) {
    try connection.run(layout.sql.removal, .int(owner), .string(key))
    try add(-1, to: owner)
  }

  // MARK: All kinds

  func removeAll(of owner: Int64) throws(StoreError) {
    try connection.run(layout.sql.clearing, .int(owner))
    cache.remove(layout, owner)
    last[owner] = nil
    try setCount(0, owner)
  }

  func removeEverything() throws(StoreError) {
    try connection.run("DELETE FROM \(table)")
    cache.removeAll()
    last = [:]
  }

  /// Removes the links to a deleted object: deletes the elements that link to it, or sets them to null in
  /// maps.
  ///
  /// - Returns: The owners whose collections have changed.
  /// - Throws: ``StoreError`` when reading or writing fails.
  func unlink(_ target: ObjectAddress) throws(StoreError) -> [Int64] {
    let isMixed = layout.element.type == .any
    let condition = isMixed ? MixedForm.isLink(layout.element) : "value = ?"
    var values: [Value] = [.link(target.key)]
    if isMixed { values.append(MixedForm(.object(target)).type) }
    let search = try connection.statement("SELECT owner FROM \(table) WHERE \(condition)")
    for (index, value) in values.enumerated() { try search.bind(value, at: index + 1) }
    var owners: [Int64] = []
    while try search.step() { owners.append(search.integer(0)) }
    guard !owners.isEmpty else { return [] }
    // In a list, an element of any type becomes null.
    let keepsElement = layout.kind == .map || isMixed && layout.kind == .list
    let nulls = layout.element.sqlNames.map { "\($0) = NULL" }.joined(separator: ", ")
    let change = try connection.statement(
      keepsElement
        ? "UPDATE \(table) SET \(nulls) WHERE \(condition)"
        : "DELETE FROM \(table) WHERE \(condition)")
    for (index, value) in values.enumerated() { try change.bind(value, at: index + 1) }
    try change.run()
    for owner in owners {
      if !keepsElement { try add(-1, to: owner) }
      cache.remove(layout, owner)
      last[owner] = nil
    }
    return Array(Set(owners))
  }

  private func insert(
    _ value: Value, at slot: Value, of owner: Int64
  ) throws(StoreError) {
    let statement = try prepared(&insertion, layout.sql.insertion)
    _ = try bind(value, at: slot, of: owner, to: statement, from: 1)
    try statement.run()
  }

  private func prepared(
    _ prepared: inout Statement?, _ sql: String
  ) throws(StoreError) -> Statement {
    if let prepared { return prepared }
    let statement = try connection.statement(sql)
    prepared = statement
    return statement
  }

  /// Binds an element to parameters from an index on; returns the next index.
  private func bind(
    _ value: Value, at slot: Value, of owner: Int64, to statement: Statement, from index: Int
  ) throws(StoreError) -> Int {
    try statement.bind(integer: owner, at: index)
    try statement.bind(slot, at: index + 1)
    return try statement.bind(value, of: layout.element.type, at: index + 2)
  }
}
