public import CadastreGeometry
import CadastreModel
public import CadastrePredicate
import CadastreQuery

/// The pairs of objects of two results whose geometries are in a relation.
///
///     let airports = realm.objects(Airport.self), countries = realm.objects(Country.self)
///     for (airport, country) in airports.joined(to: countries, where: { $0.location.geoWithin($1.border) }) {
///       print(airport.name, country.name)
///     }
///
/// The pairs are computed on the first access, and do not change. Pairs are in the order of the left results.
/// The partners of an object are in the order of the right results, or by distance in a nearest-neighbour
/// join. In a self-join no object is its own partner. Objects deleted later are invalidated.
///
/// - Complexity: O(n log m) for n left and m right objects, and an exact test for each pair with intersecting
///   bounding boxes. For few left objects, the spatial index of the right objects is searched for each of
///   them.
public struct JoinedResults<Left: ObjectBase & RealmCollectionValue, Element> {
  private let join: ResultsJoin
  private let pairs: ResultsJoin.Pairs
  private let element: (ResultsJoin.Pair) -> Element

  init(_ join: ResultsJoin, _ element: @escaping (ResultsJoin.Pair) -> Element) {
    self.join = join
    self.element = element
    pairs = ResultsJoin.Pairs(join)
  }

  /// Limits the number of pairs; the join stops at the limit.
  ///
  /// - Parameter count: The maximum number of pairs; a negative number stops the process.
  /// - Returns: The same join with a limit.
  public func limit(_ count: Int) -> JoinedResults {
    ProgrammingError.orStop { () throws(QueryPredicateError) in try limit(checking: count) }
  }

  /// Limits the number of pairs, which may come from outside the program; the join stops at the limit.
  ///
  /// - Parameter count: The maximum number of pairs.
  /// - Returns: The same join with a limit.
  /// - Throws: `QueryPredicateError` for a negative number.
  public func limit(checking count: Int) throws(QueryPredicateError) -> JoinedResults {
    guard count >= 0 else {
      throw QueryPredicateError(
        .invalidArgument, "A limit takes no negative number, found \(count)")
    }
    var limited = join
    limited.limit = Swift.min(count, join.limit ?? count)
    return JoinedResults(limited, element)
  }

  /// Returns each left object with the number of its partners, including 0, in the order of the left results.
  ///
  /// No right objects are created. A limit of the join has no effect.
  public func partnerCounts() -> [(object: Left, partnerCount: Int)] {
    join.partnerCounts().map { (join.object($0.key, join.left), $0.count) }
  }

  /// Returns the plan of the join, on one line.
  public func explain() -> String { join.explain() }
}

extension JoinedResults: RandomAccessCollection {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The number of pairs.
  public var endIndex: Int { pairs.all.count }

  /// The pair at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    let all = pairs.all
    guard all.indices.contains(index) else {
      ProgrammingError.stop("Index \(index) is out of bounds (must be less than \(all.count)).")
    }
    return element(all[index])
  }

  /// The first pair; the join stops after it.
  public var first: Element? {
    var one = join
    one.limit = Swift.min(1, join.limit ?? 1)
    return (pairs.cached ?? one.pairs()).first.map(element)
  }
}

extension Results where Element: ObjectBase {
  /// Returns the pairs of objects whose geometries are in a relation.
  ///
  ///     airports.joined(to: countries) { $0.location.geoWithin($1.border) }
  ///     roads.joined(to: schools) { $0.course.geoDistance(to: $1.location) < limit }
  ///
  /// - Parameters:
  ///   - other: The right results, of the same Realm.
  ///   - condition: A relation between a geometry of the left and a geometry of the right object. Other
  ///     conditions, `geoDisjoint` and minimum distances stop the process: filter the results instead.
  /// - Returns: The pairs.
  public func joined<Other: ObjectBase & RealmCollectionValue>(
    to other: Results<Other>, where condition: (Query<Element>, Query<Other>) -> Query<Bool>
  ) -> JoinedResults<Element, (left: Element, right: Other)> {
    let join = ResultsJoin(self, other, condition)
    return JoinedResults(join) { pair in
      (join.object(pair.left, join.left), join.object(pair.right ?? 0, join.right))
    }
  }

  /// Returns the pairs of objects whose geometries are in a relation, and each left object without a partner
  /// paired with nil.
  ///
  /// - Parameters:
  ///   - other: The right results, of the same Realm.
  ///   - condition: A relation between a geometry of the left and a geometry of the right object.
  /// - Returns: The pairs.
  public func leftJoined<Other: ObjectBase & RealmCollectionValue>(
    to other: Results<Other>, where condition: (Query<Element>, Query<Other>) -> Query<Bool>
  ) -> JoinedResults<Element, (left: Element, right: Other?)> {
    var join = ResultsJoin(self, other, condition)
    join.keepsUnmatched = true
    return JoinedResults(join) { [join] pair in
      (join.object(pair.left, join.left), pair.right.map { join.object($0, join.right) })
    }
  }

  /// Returns each object with the nearest objects of other results, nearest first.
  ///
  ///     schools.joined(toNearest: 3, of: stations) { $0.location.geoDistance(to: $1.location) }
  ///
  /// - Parameters:
  ///   - count: The maximum number of partners of an object; a negative number stops the process.
  ///   - other: The right results, of the same Realm.
  ///   - limit: The maximum distance.
  ///   - distance: The distance between a geometry of the left and a geometry of the right object.
  /// - Returns: The pairs with their distances along the sphere.
  public func joined<Other: ObjectBase & RealmCollectionValue>(
    toNearest count: Int, of other: Results<Other>, within limit: Distance? = nil,
    by distance: (Query<Element>, Query<Other>) -> GeometryDistance
  ) -> JoinedResults<Element, (left: Element, right: Other, distance: Distance)> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try joined(checkingNearest: count, of: other, within: limit, by: distance)
    }
  }

  /// Returns each object with the nearest objects of other results, nearest first; the number may
  /// come from outside the program.
  ///
  /// - Parameters:
  ///   - count: The maximum number of partners of an object.
  ///   - other: The right results, of the same Realm.
  ///   - limit: The maximum distance.
  ///   - distance: The distance between a geometry of the left and a geometry of the right object.
  /// - Returns: The pairs with their distances along the sphere.
  /// - Throws: `QueryPredicateError` for a negative number.
  public func joined<Other: ObjectBase & RealmCollectionValue>(
    checkingNearest count: Int, of other: Results<Other>, within limit: Distance? = nil,
    by distance: (Query<Element>, Query<Other>) -> GeometryDistance
  ) throws(QueryPredicateError)
    -> JoinedResults<Element, (left: Element, right: Other, distance: Distance)>
  {
    guard count >= 0 else {
      throw QueryPredicateError(
        .invalidArgument, "A join takes no negative number of objects, found \(count)")
    }
    let join = ResultsJoin(self, other, nearest: count) {
      distance($0, $1).compared(.lessOrEqual, limit ?? .greatest)
    }
    return JoinedResults(join) { pair in
      (
        join.object(pair.left, join.left), join.object(pair.right ?? 0, join.right),
        pair.distance ?? .zero
      )
    }
  }
}

/// A join of two results.
struct ResultsJoin {
  let left: QueryResult
  let right: QueryResult
  private let bound: BoundJoin
  /// Whether the join includes left objects without a partner.
  var keepsUnmatched = false
  /// The maximum number of pairs; nil for all.
  var limit: Int?

  /// The keys of a left object and of its partner.
  struct Pair {
    let left: Int64
    let right: Int64?
    var distance: Distance?
  }

  /// The lazily computed pairs.
  final class Pairs {
    private let join: ResultsJoin
    private(set) var cached: [Pair]?

    init(_ join: ResultsJoin) { self.join = join }

    var all: [Pair] {
      if let cached { return cached }
      let pairs = join.pairs()
      cached = pairs
      return pairs
    }
  }

  /// Creates a join; a condition other than a relation of two geometries stops the process.
  init<Left: ObjectBase & RealmCollectionValue, Right: ObjectBase & RealmCollectionValue>(
    _ left: Results<Left>, _ right: Results<Right>, nearest: Int? = nil,
    _ condition: (Query<Left>, Query<Right>) -> Query<Bool>
  ) {
    self.left = left.queryResult
    self.right = right.queryResult
    let core = left.queryResult.core
    guard core === right.queryResult.core else {
      ProgrammingError.stop(
        "Results of two Realms cannot be joined: take both from the same Realm, or freeze it and take "
          + "both from the frozen one.")
    }
    let names = (left: "left", right: "right")
    let predicate = condition(
      Query(.path(.side(names.left))), Query(.path(.side(names.right)))
    ).predicate
    let classes = (left.queryResult.query.className, right.queryResult.query.className)
    bound = ProgrammingError.orStop { () throws(QueryPredicateError) in
      try BoundJoin(
        JoinCondition(predicate, names: names), nearest: nearest, in: core.schema, classes)
    }
  }

  /// Computes the pairs.
  func pairs() -> [Pair] {
    var pairs: [Pair] = []
    if limit == 0 { return pairs }
    read(or: ()) { session in
      _ = try session.join(left.keys, bound, to: right.joinSource) { key, partners in
        if partners.isEmpty, keepsUnmatched { pairs.append(Pair(left: key, right: nil)) }
        for partner in partners {
          pairs.append(Pair(left: key, right: partner.key, distance: partner.distance))
        }
        return limit.map { pairs.count < $0 } ?? true
      }
    }
    if let limit, pairs.count > limit { pairs.removeSubrange(limit...) }
    return pairs
  }

  /// Counts the partners of each left object.
  func partnerCounts() -> [(key: Int64, count: Int)] {
    var counts: [(key: Int64, count: Int)] = []
    read(or: ()) { session in
      _ = try session.joinCounts(left.keys, bound, to: right.joinSource) { counts.append(($0, $1)) }
    }
    return counts
  }

  /// Returns the plan of the join.
  func explain() -> String {
    read(or: "") { session in
      session.explain(bound, leftCount: left.count, right.joinSource)
    }
  }

  /// Returns the object with a key on one side of the join.
  func object<Element: ObjectBase & RealmCollectionValue>(
    _ key: Int64, _ side: QueryResult
  ) -> Element {
    StoredElement.make(.link(ObjectKey(key)), side.context(at: 0))
  }

  private func read<Result>(
    or fallback: @autoclosure () -> Result, _ body: (QuerySession) throws -> Result
  ) -> Result {
    let core = left.core
    return core.exclusively {
      left.requireValid()
      right.requireValid()
      return core.attempt(or: fallback()) { try body(left.session()) }
    }
  }
}
