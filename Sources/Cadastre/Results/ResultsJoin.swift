import CadastreEngine
import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// A join of two results.
struct ResultsJoin {
  let left: QueryResult
  let right: QueryResult
  private let bound: BoundJoin
  /// Whether left objects without a partner are kept.
  var keepsUnmatched = false
  /// The greatest number of pairs; nil for all.
  var limit: Int?

  /// The keys of a left object and of its partner.
  struct Pair {
    let left: Int64
    let right: Int64?
    var distance: Distance?
  }

  /// The pairs, once they are found.
  final class Pairs {
    private let join: ResultsJoin
    private(set) var known: [Pair]?

    init(_ join: ResultsJoin) { self.join = join }

    var all: [Pair] {
      if let known { return known }
      let pairs = join.pairs()
      known = pairs
      return pairs
    }
  }

  /// Joins results; a condition that is no relation of two geometries stops the process.
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
      Query(.way(.side(names.left))), Query(.way(.side(names.right)))
    ).predicate
    let classes = (left.queryResult.query.className, right.queryResult.query.className)
    bound = ProgrammingError.orStop { () throws(QueryPredicateError) in
      try BoundJoin(
        JoinCondition(predicate, names: names), nearest: nearest, in: core.schema, classes)
    }
  }

  /// Finds the pairs.
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
  func counts() -> [(key: Int64, count: Int)] {
    var counts: [(key: Int64, count: Int)] = []
    read(or: ()) { session in
      _ = try session.joinCounts(left.keys, bound, to: right.joinSource) { counts.append(($0, $1)) }
    }
    return counts
  }

  /// How the partners are found.
  func explain() -> String {
    read(or: "") { session in
      session.explain(bound, leftCount: left.count, right.joinSource)
    }
  }

  /// The object with a key, of one side.
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
