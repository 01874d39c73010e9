import CadastreModel
import CadastreSQLite

/// Writes the elements of one collection property within one transaction.
///
/// The numbers of elements go into the owners' rows when the transaction flushes its pending entries.
final class CollectionWriter {
  let layout: CollectionLayout
  private let connection: Connection
  private let catalogue: Catalogue
  private let cache: CollectionCache
  private let table: String
  /// The numbers of elements that the owners' rows do not say yet.
  private(set) var counts: [Int64: Int] = [:]
  /// Where the last elements of lists are.
  private var last: [Int64: Int64] = [:]

  init(
    _ layout: CollectionLayout, _ catalogue: Catalogue, _ connection: Connection,
    _ cache: CollectionCache
  ) {
    self.layout = layout
    self.catalogue = catalogue
    self.connection = connection
    self.cache = cache
    table = SQL.quoted(layout.tableName)
  }

  func count(_ owner: Int64) throws(StoreError) -> Int {
    if let count = counts[owner] { return count }
    return try connection.storedCount(layout, catalogue, owner)
  }

  private func add(_ number: Int, to owner: Int64) throws(StoreError) {
    counts[owner] = try count(owner) + number
  }

  /// Hands out the numbers that the owners' rows do not say yet.
  func takeCounts() -> [Int64: Int] {
    defer { counts = [:] }
    return counts
  }

  /// Discards what is known about an owner whose row is gone.
  func discard(_ owner: Int64) {
    counts[owner] = nil
    last[owner] = nil
    cache.remove(layout, owner)
  }

  // MARK: Lists

  func append(_ values: [Value], to owner: Int64) throws(StoreError) {
    var place: Int64? = last[owner]
    if place == nil {
      place = try connection.integer(layout.sql.lastPlace, .int(owner))
      if let place, !ListPositions.range.contains(place) {
        throw StoreError(
          .corrupt("table '\(layout.tableName)' has position \(place)"), path: connection.path)
      }
    }
    var next = place.map { $0 + ListPositions.gap } ?? 0
    for value in values {
      try insert(value, at: .int(next), of: owner)
      last[owner] = next
      next += ListPositions.gap
    }
    let first = next - Int64(values.count) * ListPositions.gap
    cache.change(layout, owner) { positions in
      for number in 0..<values.count { positions.append(first + Int64(number) * ListPositions.gap) }
    }
    try add(values.count, to: owner)
  }

  func insert(_ values: [Value], at index: Int, of owner: Int64) throws(StoreError) {
    guard !values.isEmpty else { return }
    // Loaded first, so that it can be changed where it is kept.
    _ = try positions(owner, atLeast: index)
    var places: [Int64] = []
    var moves: [ListPositions.Move] = []
    cache.change(layout, owner) { (places, moves) = $0.makeRoom(for: values.count, at: index) }
    for move in moves {
      try connection.run(layout.sql.move, .int(move.to), .int(owner), .int(move.from))
    }
    for (place, value) in zip(places, values) {
      try insert(value, at: .int(place), of: owner)
    }
    last[owner] = nil
    try add(values.count, to: owner)
  }

  func remove(_ range: Range<Int>, of owner: Int64) throws(StoreError) {
    guard !range.isEmpty else { return }
    let places = try positions(owner, atLeast: range.upperBound).places
    try connection.run(
      layout.sql.rangeRemoval, .int(owner), .int(places[range.lowerBound]),
      .int(places[range.upperBound - 1]))
    cache.change(layout, owner) { $0.remove(range) }
    last[owner] = nil
    try add(-range.count, to: owner)
  }

  func replace(_ value: Value, at index: Int, of owner: Int64) throws(StoreError) {
    try update(value, at: .int(try positions(owner, atLeast: index + 1).places[index]), of: owner)
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

  private func positions(
    _ owner: Int64, atLeast count: Int
  ) throws(StoreError) -> ListPositions {
    let positions = try cache.positions(layout, owner) { () throws(StoreError) in
      try connection.storedPositions(layout, owner)
    }
    guard positions.places.count >= count else {
      throw layout.missingElement(owner, connection.path)
    }
    return positions
  }

  // MARK: Sets

  /// Adds a value that the set does not hold yet.
  func insert(_ value: Value, of owner: Int64) throws(StoreError) {
    let statement = try connection.statement(layout.sql.insertion)
    try statement.bind(.int(owner), at: 1)
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

  /// Sets the value under a key; `isNew` says whether there is none yet.
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
    counts[owner] = 0
  }

  func removeEverything() throws(StoreError) {
    try connection.run("DELETE FROM \(table)")
    cache.removeAll()
    last = [:]
    counts = [:]
  }

  /// Takes an object that is gone out of all collections: its elements go, in maps they become null.
  ///
  /// - Returns: The owners whose collections have changed.
  func unlink(_ target: ObjectAddress) throws(StoreError) -> [Int64] {
    let isMixed = layout.element.type == .any
    let condition = isMixed ? MixedForm.isLink(layout.element) : "value = ?"
    var values: [Value] = [.link(target.key)]
    if isMixed { values.append(MixedForm(.object(target)).type) }
    let search = try connection.statement("SELECT owner FROM \(table) WHERE \(condition)")
    for (place, value) in values.enumerated() { try search.bind(value, at: place + 1) }
    var owners: [Int64] = []
    while try search.step() { owners.append(search.integer(0)) }
    guard !owners.isEmpty else { return [] }
    // A value of any type becomes null where it stands.
    let keepsElement = layout.kind == .map || isMixed && layout.kind == .list
    let nulls = layout.element.sqlNames.map { "\($0) = NULL" }.joined(separator: ", ")
    let change = try connection.statement(
      keepsElement
        ? "UPDATE \(table) SET \(nulls) WHERE \(condition)"
        : "DELETE FROM \(table) WHERE \(condition)")
    for (place, value) in values.enumerated() { try change.bind(value, at: place + 1) }
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
    let statement = try connection.statement(layout.sql.insertion)
    try statement.bind(.int(owner), at: 1)
    try statement.bind(slot, at: 2)
    _ = try statement.bind(value, of: layout.element.type, at: 3)
    try statement.run()
  }
}
