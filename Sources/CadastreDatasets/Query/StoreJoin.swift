package import CadastreGeometry
import CadastreModel
package import CadastrePredicate
import CadastreQuery
import CadastreStore

/// A join of the objects of two classes of a store by their geometries, or by equal values.
///
/// Each pair is the record of the left object, with the right object as a member. The name of the
/// member is the name of the right class, or `other` for a join of a class with itself.
package struct StoreJoin {
  /// The condition by which objects are paired.
  package struct Condition: Sendable {
    /// One relation between a geometry of each class, or the equality of two fields, `code == fips`; nil for the only
    /// geometries of the classes.
    package var relation: String?
    /// The number of nearest objects; nil for all in the relation.
    package var nearest: Int?
    /// The greatest distance; nil without one.
    package var limit: Distance?
    /// Whether two objects of one class are one pair in either order, and no object is a pair with itself.
    package var pairsOnce: Bool

    /// Creates a condition.
    package init(
      relation: String? = nil, nearest: Int? = nil, limit: Distance? = nil, pairsOnce: Bool = false
    ) {
      self.relation = relation
      self.nearest = nearest
      self.limit = limit
      self.pairsOnce = pairsOnce
    }
  }

  private let left: StoreQuery
  private let right: StoreQuery
  private let criterion: Criterion
  /// The name of the member with the right object.
  private let rightName: String
  /// Whether two objects are one pair in either order.
  private let pairsOnce: Bool

  /// The condition by which objects are paired.
  private enum Criterion {
    case geometries(BoundJoin)
    case values(AttributeJoin)
  }

  private static let distanceColumn = OutputColumn("distance", type: .double)
  private static let countColumn = OutputColumn("count", type: .int)

  /// Joins the objects of two queries of the same version of a store.
  ///
  /// - Parameters:
  ///   - left: The left objects.
  ///   - right: The right objects.
  ///   - condition: The condition by which objects are paired.
  /// - Throws: ``QueryPredicateError``, with the location in the text of the relation if it has one.
  package init(_ left: StoreQuery, _ right: StoreQuery, _ condition: Condition) throws {
    self.left = left
    self.right = right
    pairsOnce = condition.pairsOnce
    let classes = (left: left.className, right: right.className)
    rightName = AttributeJoin.rightName(left.layout.schema, classes.right)
    if let text = condition.relation,
      let values = try AttributeJoin(text, rightName: rightName),
      try !Self.areGeometries(values, left, right)
    {
      guard condition.nearest == nil else {
        throw QueryPredicateError(
          .invalidQuery, "nearest partners need geometries, not equal values")
      }
      criterion = .values(values)
      return
    }
    let schema = left.snapshot.catalogue.schema
    do throws(QueryPredicateError) {
      criterion = .geometries(
        try BoundJoin(
          Self.condition(condition, left, right, (classes.left, rightName)),
          nearest: condition.nearest, in: schema, classes))
    } catch {
      guard let text = condition.relation, error.span != nil else { throw error }
      throw error.found(in: text)
    }
  }

  /// Returns whether a condition compares geometries, which is a relation; throws for unknown fields.
  private static func areGeometries(
    _ join: AttributeJoin, _ left: StoreQuery, _ right: StoreQuery
  ) throws(QueryPredicateError) -> Bool {
    func isGeometry(_ path: PropertyPath, _ query: StoreQuery) throws(QueryPredicateError) -> Bool {
      let property = try query.schema.property(at: path, from: query.root)
      return property.type == .geometry || query.schema.isPoint(property)
    }
    let isLeft = try isGeometry(join.left, left)
    return try isGeometry(join.right, right) || isLeft
  }

  private static func condition(
    _ condition: Condition, _ left: StoreQuery, _ right: StoreQuery,
    _ names: (left: String, right: String)
  ) throws(QueryPredicateError) -> JoinCondition {
    guard let text = condition.relation else {
      let distance = condition.limit ?? (condition.nearest == nil ? nil : Distance.greatest)
      return JoinCondition(
        try left.onlyGeometry(), distance.map { .distance(.lessOrEqual, $0) } ?? .intersects,
        try right.onlyGeometry())
    }
    return try JoinCondition(QueryPredicate(parsing: text, arguments: []), names: names)
  }

  // MARK: Columns

  /// Returns the columns of pairs.
  ///
  /// - Parameter named: Paths separated by commas; a path of a right object begins with the name of
  ///   its class; nil for all properties of both.
  /// - Returns: The columns, followed by the distance in metres in a join of nearest objects.
  /// - Throws: ``QueryPredicateError`` for an unknown path.
  package func columns(_ named: String?) throws(QueryPredicateError) -> [OutputColumn] {
    let isNearest =
      if case .geometries(let bound) = criterion, case .nearest = bound.criterion { true } else {
        false
      }
    let distance = isNearest ? [Self.distanceColumn] : []
    guard let named else {
      return try left.columns(nil) + right.columns(nil).map(prefixed) + distance
    }
    var columns: [OutputColumn] = []
    for name in ListText.parts(named) {
      let name = String(name.trimmingBlanks())
      if name.hasPrefix(rightName + ".") {
        columns += try right.columns(String(name.dropFirst(rightName.utf8.count + 1))).map(prefixed)
      } else {
        columns += try left.columns(name)
      }
    }
    columns += distance
    try ClassColumns.requireDistinctNames(columns)
    return columns
  }

  private func prefixed(_ column: OutputColumn) -> OutputColumn {
    var prefixed =
      column.expression.map {
        OutputColumn(rightName + "." + column.path.description, $0.inMember(rightName))
      }
      ?? OutputColumn(
        PropertyPath([rightName] + column.path.names), type: column.type, isPoint: column.isPoint)
    (prefixed.isDay, prefixed.alias) = (column.isDay, column.alias)
    return prefixed
  }

  /// Returns the columns of left objects with the number of their partners.
  ///
  /// - Parameter named: Paths separated by commas; nil for all properties.
  /// - Returns: The columns, followed by the count.
  /// - Throws: ``QueryPredicateError`` for an unknown path.
  package func countColumns(_ named: String?) throws(QueryPredicateError) -> [OutputColumn] {
    let columns = try left.columns(named) + [Self.countColumn]
    try ClassColumns.requireDistinctNames(columns)
    return columns
  }

  // MARK: Records

  /// Calls a closure with the record of each pair, in the order of the left objects.
  ///
  /// - Parameters:
  ///   - keepsUnmatched: Whether left objects without a partner are included, with null as partner.
  ///   - limit: The greatest number of pairs; nil for all.
  ///   - body: The closure.
  /// - Throws: `StoreError`, or the error of the closure.
  package func forEachRecord(
    keepsUnmatched: Bool, limit: Int?, _ body: (StoredRecord) throws -> Void
  ) throws {
    var partners = RecordCache(right)
    var pairs = pairsOnce ? UnorderedPairs() : nil
    var rest = limit ?? .max
    guard rest > 0 else { return }
    /// Passes on the pairs of a left object; returns whether there may be more.
    func pass(_ record: StoredRecord, _ found: [(key: Int64, distance: Distance?)]) throws -> Bool {
      guard !found.isEmpty || keepsUnmatched else { return true }
      for partner in found.isEmpty ? [nil] : found.map(Optional.some) {
        try body(
          pair(record, partner?.distance, try partner.flatMap { try partners.record($0.key) }))
        rest -= 1
        if rest == 0 { return false }
      }
      return true
    }
    switch criterion {
    case .geometries(let bound):
      _ = try left.session.join(left.keys(), bound, to: .query(right.bound)) { key, all in
        let found = pairsOnce ? all.filter { pairs?.insert(key, $0.key) == true } : all
        guard !found.isEmpty || keepsUnmatched, let record = try left.record(key) else {
          return true
        }
        return try pass(record, found.map { ($0.key, $0.distance) })
      }
    case .values(let values):
      try forEachMatch(values) { key, record, matches in
        let all = matches.partners
        let found = pairsOnce ? all.filter { pairs?.insert(key, $0) == true } : all
        return try pass(record, found.map { ($0, nil) })
      }
    }
  }

  /// The objects of the right class with a value.
  private struct Matches {
    /// Their keys, among them that of the left object if its own value is equal.
    let all: [Int64]
    /// The key of the left object if it is among them, as in a join of a class with itself.
    let own: Int64?

    /// The number of partners; no object is its own partner.
    var count: Int { own == nil ? all.count : all.count - 1 }

    /// The keys of the partners.
    var partners: [Int64] { own.map { own in all.filter { $0 != own } } ?? all }
  }

  /// Calls a closure with each left object and its partners by equal values, until it returns false.
  private func forEachMatch(
    _ values: AttributeJoin, _ body: (Int64, StoredRecord, Matches) throws -> Bool
  ) throws {
    try values.check(
      left.valueType(at: values.left, for: "join"), right.valueType(at: values.right, for: "join"))
    let table = try AttributeJoin.table(right, values.right)
    var ownValues: [Int64: ValueKey] = [:]
    if left.className == right.className {
      for (value, keys) in table { for key in keys { ownValues[key] = value } }
    }
    for key in try left.keys() {
      guard let record = try left.record(key) else { continue }
      let value = AttributeJoin.key(record.value(at: values.left))
      let isOwn = value != nil && ownValues[key] == value
      let found = Matches(all: value.flatMap { table[$0] } ?? [], own: isOwn ? key : nil)
      if try !body(key, record, found) { return }
    }
  }

  private func pair(
    _ left: StoredRecord, _ distance: Distance?, _ right: StoredRecord?
  ) -> StoredRecord {
    var pair = left
    pair.fields.append((rightName, right.map { .record($0) } ?? .value(.null)))
    if let distance {
      pair.fields.append(("distance", .value(.double(distance.asMeters()))))
    }
    return pair
  }

  /// Calls a closure with the record of each left object and the number of its partners.
  ///
  /// - Parameter body: The closure.
  /// - Throws: `StoreError`, or the error of the closure.
  package func forEachCount(_ body: (StoredRecord) throws -> Void) throws {
    func pass(_ record: StoredRecord, _ count: Int) throws {
      var record = record
      record.fields.append(("count", .value(.int(Int64(count)))))
      try body(record)
    }
    switch criterion {
    case .geometries(let bound):
      _ = try left.session.joinCounts(left.keys(), bound, to: .query(right.bound)) { key, count in
        if let record = try left.record(key) { try pass(record, count) }
      }
    case .values(let values):
      try forEachMatch(values) { _, record, found in
        try pass(record, found.count)
        return true
      }
    }
  }

  /// Returns the number of pairs.
  ///
  /// - Parameter keepsUnmatched: Whether left objects without a partner are counted.
  /// - Returns: The number.
  /// - Throws: `StoreError`.
  package func count(keepsUnmatched: Bool) throws -> Int {
    var total = 0
    if pairsOnce {
      try forEachRecord(keepsUnmatched: keepsUnmatched, limit: nil) { _ in total += 1 }
      return total
    }
    func add(_ count: Int) { total += keepsUnmatched ? max(count, 1) : count }
    switch criterion {
    case .geometries(let bound):
      _ = try left.session.joinCounts(left.keys(), bound, to: .query(right.bound)) { add($1) }
    case .values(let values):
      try forEachMatch(values) { _, _, found in
        add(found.count)
        return true
      }
    }
    return total
  }

  /// Returns the plan of the join, on one line.
  package func explain() throws -> String {
    let once = pairsOnce ? ", each pair once" : ""
    return try plan() + once
  }

  private func plan() throws -> String {
    switch criterion {
    case .geometries(let bound):
      left.session.explain(bound, leftCount: try left.count(), .query(right.bound))
    case .values(let values):
      "\(left.className).\(values.left) == \(right.className).\(values.right), by a table of the values of "
        + right.className
    }
  }
}

/// The pairs of different objects that were found in one order and not yet in the other one.
private struct UnorderedPairs {
  private struct Pair: Hashable {
    let first: Int64
    let second: Int64
  }

  private var waiting: Set<Pair> = []

  /// Returns whether a pair of different objects is met for the first time, in either order.
  mutating func insert(_ first: Int64, _ second: Int64) -> Bool {
    guard first != second else { return false }
    // A pair is met at most twice.
    if waiting.remove(Pair(first: second, second: first)) != nil { return false }
    waiting.insert(Pair(first: first, second: second))
    return true
  }
}

/// The records that were read last.
private struct RecordCache {
  private let query: StoreQuery
  private var records: [Int64: StoredRecord] = [:]

  init(_ query: StoreQuery) { self.query = query }

  mutating func record(_ key: Int64) throws -> StoredRecord? {
    if let record = records[key] { return record }
    if records.count >= 1024 { records.removeAll(keepingCapacity: true) }
    let record = try query.record(key)
    records[key] = record
    return record
  }
}

extension StoreQuery {
  /// The path of the only geometry or point of the class.
  fileprivate func onlyGeometry() throws(QueryPredicateError) -> PropertyPath {
    let schema = snapshot.catalogue.schema
    let names = layout.schema.properties.filter {
      $0.collection == nil && ($0.type == .geometry || schema.isPoint($0))
    }.map(\.name)
    guard let name = names.first, names.count == 1 else {
      throw QueryPredicateError(
        .invalidQuery,
        "class '\(className)' has \(names.isEmpty ? "no geometry" : "several geometries: \(names.joined(separator: ", "))")"
          + "; a join needs a relation such as 'location GEOWITHIN border'")
    }
    return PropertyPath([name])
  }
}
