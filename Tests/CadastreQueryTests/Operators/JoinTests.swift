import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Property: a join has the partners that the reference evaluator finds for each left object, with each algorithm.
@Suite struct JoinTests {
  /// A relation between the geometries of two classes.
  struct Relation: Sendable, CustomTestStringConvertible {
    let left: (className: String, path: String)
    let kind: GeometryRelation.Kind
    let right: (className: String, path: String)
    /// The condition and the order of the right objects.
    var text = "TRUEPREDICATE"
    var order: [SortKey] = []

    var testDescription: String {
      "\(left.className).\(left.path) \(kind) \(right.className).\(right.path) where \(text)"
    }
  }

  private static let near = Distance.kilometers(180) ?? .zero

  private static let relations = [
    Relation(left: ("Keeper", "seat"), kind: .within, right: ("Plot", "border")),
    Relation(
      left: ("Keeper", "seat"), kind: .intersects, right: ("Plot", "border"), text: "count >= 0",
      order: [SortKey(PropertyPath("id"), isAscending: false)]),
    Relation(
      left: ("Keeper", "seat"), kind: .distance(.lessOrEqual, near), right: ("Plot", "border")),
    Relation(
      left: ("Keeper", "seat"), kind: .distance(.less, near), right: ("Plot", "place"),
      text: "kind == 'a' OR size == 0"),
    Relation(left: ("Plot", "border"), kind: .contains, right: ("Keeper", "seat")),
    Relation(left: ("Plot", "border"), kind: .intersects, right: ("Plot", "border")),
    Relation(
      left: ("Plot", "place"), kind: .distance(.lessOrEqual, near), right: ("Plot", "place"),
      text: "count < 2"),
  ]

  // MARK: The expected partners

  /// The point of a plain object; nil where it has no valid position.
  private static func point(_ member: Member?) -> GeoPoint? {
    guard case .embedded(let spot)? = member, case .value(.string(let type))? = spot["type"],
      case .list(let coordinates)? = spot["coordinates"],
      let place = PointShape.location(
        type: type, coordinates: coordinates.compactMap(\.doubleValue))
    else { return nil }
    return GeoPoint(latitude: place.latitude, longitude: place.longitude)
  }

  private static func geometry(_ member: Member?) -> Geometry? {
    if case .value(.geometry(let geometry))? = member { return geometry }
    return point(member).map { Geometry($0) }
  }

  private static func bound(_ relation: Relation) throws -> BoundQuery {
    try ObjectQuery(
      relation.right.className, where: QueryPredicate(parsing: relation.text), order: relation.order
    ).bound(to: OperatorRows.schema)
  }

  private static func join(_ relation: Relation) throws -> BoundJoin {
    try BoundJoin(
      JoinCondition(
        PropertyPath(relation.left.path), relation.kind, PropertyPath(relation.right.path)),
      in: OperatorRows.schema, (relation.left.className, relation.right.className))
  }

  /// A join, and the partners of each left object: the right objects in the relation to its geometry as a constant.
  private struct ExpectedResult {
    typealias Partners = (key: Int64, partners: [Int64])

    let relation: Relation
    let query: BoundQuery
    /// The right objects in their order.
    let right: [Int64]
    let partners: [Partners]

    init(_ relation: Relation, _ objects: PlainObjects) throws {
      let oracle = ScanOracle(objects)
      let (left, right) = (relation.left, relation.right)
      let query = try bound(relation)
      let rightKeys = try oracle.keys(query)
      self.relation = relation
      self.query = query
      self.right = rightKeys
      partners = try objects.keys(left.className).map { key in
        guard let geometry = geometry(objects.object(left.className, key)?[left.path]) else {
          return (key, [])
        }
        let condition = QueryPredicate.relation(
          GeometryRelation(
            .path(PropertyPath(right.path)), relation.kind.exchanged, .geometry(geometry)))
        let found = try oracle.matching(rightKeys, of: right.className, condition)
        return (key, found.filter { left.className != right.className || $0 != key })
      }
    }
  }

  // MARK: Joins

  private func check(
    _ expected: ExpectedResult, _ reader: any StoreReader, _ comment: String
  ) throws {
    let relation = expected.relation
    let session = QuerySession(reader, schema: OperatorRows.schema)
    let join = try Self.join(relation)
    let keys = expected.partners.map(\.key)
    for source in [JoinSource.query(expected.query), .keys(expected.right)] {
      // One left object is searched, many are joined in memory.
      for part in [keys[...], keys.prefix(1), keys.suffix(2)] {
        let wanted = expected.partners.filter { part.contains($0.key) }
        var found: [ExpectedResult.Partners] = []
        let statistics = try session.join(Array(part), join, to: source) { key, partners in
          found.append((key, partners.map(\.key)))
          return true
        }
        let plan = session.explain(join, leftCount: part.count, source)
        #expect(
          found.elementsEqual(wanted) { $0.key == $1.key && $0.partners == $1.partners },
          "\(comment): \(plan)\nfound \(found)\nexpected \(wanted)")
        #expect(
          plan.hasPrefix("Join of \(part.count) objects by \(statistics.algorithm.rawValue): "),
          "\(plan)")
        if case .keys = source { #expect(statistics.algorithm == .tree) }
        var counts: [(Int64, Int)] = []
        _ = try session.joinCounts(Array(part), join, to: source) { counts.append(($0, $1)) }
        #expect(
          counts.elementsEqual(wanted) { $0.0 == $1.key && $0.1 == $1.partners.count },
          "\(comment): \(plan)\ncounted \(counts)")
      }
    }
    // A closure ends a join.
    var calls = 0
    _ = try session.join(keys, join, to: .query(expected.query)) { _, _ in
      calls += 1
      return calls < 2
    }
    #expect(calls == min(2, keys.count), "\(comment)")
  }

  private static let objects = OperatorRows.objects(plots: 60, seed: 431)
  private static let stores = Result {
    try [ColumnCache.defaultBudget, 4000, 0].map {
      try OperatorRows.store(holding: objects, budget: $0)
    }
  }

  @Test(arguments: relations)
  func `partners by the index and by a tree, with each cache`(relation: Relation) throws {
    let expected = try ExpectedResult(relation, Self.objects)
    for (number, file) in try Self.stores.get().enumerated() {
      try check(expected, file.snapshot(), "store \(number)")
    }
    guard relation.right.path == "border" else { return }
    let session = QuerySession(try Self.stores.get()[0].snapshot(), schema: OperatorRows.schema)
    let join = try Self.join(relation)
    let plans = [1, 1000].map { session.explain(join, leftCount: $0, .query(expected.query)) }
    #expect(plans[0].hasPrefix("Join of 1 objects by index search: "), "\(plans[0])")
    #expect(plans[1].hasPrefix("Join of 1000 objects by tree in memory: "), "\(plans[1])")
  }

  @Test(arguments: relations)
  func `empty tables and one row`(relation: Relation) throws {
    for (plots, keepers) in [(0, 0), (1, 1), (0, 3), (20, 0)] {
      let objects = OperatorRows.objects(plots: plots, keepers: keepers, seed: 432)
      let file = try OperatorRows.store(holding: objects)
      try check(
        ExpectedResult(relation, objects), file.snapshot(), "\(plots) plots, \(keepers) keepers")
    }
  }

  @Test(arguments: relations)
  func `a transaction sees its changes, and a frozen snapshot never does`(
    relation: Relation
  ) throws {
    let objects = OperatorRows.objects(plots: 40, seed: 433)
    var changed = objects
    let file = try OperatorRows.store(holding: objects)
    let frozen = try file.snapshot()
    let transaction = try file.beginWrite()
    try OperatorRows.change(transaction, &changed, seed: 434)
    let (before, after) = (
      try ExpectedResult(relation, objects), try ExpectedResult(relation, changed)
    )
    try check(after, transaction.flush(.indexes), "in the transaction")
    try transaction.commit()
    try check(before, frozen, "frozen")
    try check(after, file.snapshot(), "after the commit")
  }

  // MARK: Nearest

  @Test(arguments: [1, 3, 500, .max])
  func `the nearest objects within a distance, by the index and by a tree`(count: Int) throws {
    // An index of points is searched where there are more than a hundred for each left object.
    let objects = OperatorRows.objects(plots: 110, seed: 435)
    let snapshot = try OperatorRows.store(holding: objects).snapshot()
    let session = QuerySession(snapshot, schema: OperatorRows.schema)
    let limit = Distance.kilometers(500) ?? .zero
    for left in [("Keeper", "seat"), ("Plot", "place")] {
      let join = try BoundJoin(
        JoinCondition(
          PropertyPath(left.1), .distance(.lessOrEqual, limit), PropertyPath("place")),
        nearest: count, in: OperatorRows.schema, (left.0, "Plot"))
      func place(_ className: String, _ key: Int64, _ path: String) -> GeoPoint? {
        Self.point(objects.object(className, key)?[path])
      }
      let places = objects.keys("Plot").compactMap { key in
        place("Plot", key, "place").map { (key: key, place: $0) }
      }
      for part in [objects.keys(left.0), Array(objects.keys(left.0).prefix(1))] {
        var found: [[Int64]] = []
        let statistics = try session.join(part, join, to: .query(BoundQuery("Plot"))) {
          found.append($1.map(\.key))
          return true
        }
        #expect(statistics.algorithm == (part.count == 1 ? .search : .tree))
        let expected = part.map { key -> [Int64] in
          guard let origin = place(left.0, key, left.1) else { return [] }
          let near = places.filter { left.0 != "Plot" || $0.key != key }.map { other in
            (distance: origin.distance(to: other.place), key: other.key)
          }.filter { $0.distance <= limit }
          return near.sorted { ($0.distance, $0.key) < ($1.distance, $1.key) }.prefix(count)
            .map(\.key)
        }
        #expect(found == expected, "\(left), \(part.count) objects by \(statistics.algorithm)")
      }
    }
  }
}
