package import CadastreModel

/// The predicates that queries of a schema bound last, by their text or by their tree.
///
/// Queries that differ in their arguments only are bound once. Another schema, such as one with another index, has
/// predicates of its own. Nothing is parsed or bound while a lock is held, so that threads do not wait for each other.
package final class BoundPredicates: Sendable {
  private struct TextKey: Hashable {
    let text: String
    let className: String
    /// The kinds of the arguments.
    let kinds: UInt64

    static func == (first: TextKey, second: TextKey) -> Bool {
      first.kinds == second.kinds && first.text.hasSameBytes(as: second.text)
        && first.className == second.className
    }

    func hash(into hasher: inout Hasher) {
      text.hashBytes(into: &hasher)
      hasher.combine(kinds)
    }
  }

  private let texts = Guarded(
    BoundedCache<TextKey, ParameterizedPredicate>(maximumCount: 256, maximumCost: 1 << 20))
  private let trees = Guarded(
    BoundedCache<PredicateForm, ParameterizedPredicate>(maximumCount: 256, maximumCost: 1 << 20))

  /// The size in bytes of the largest predicate that is cached.
  private static let largestCost = 1 << 17

  /// Creates an empty cache.
  package init() {}

  /// Parses and binds a predicate, or inserts arguments into a text that was bound before.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - arguments: The arguments.
  ///   - className: The queried class.
  ///   - bind: Binds a predicate that was not bound before, or whose arguments need a check.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  package func bound(
    parsing text: String, arguments: [PredicateArgument], to className: String,
    _ bind: (QueryPredicate) throws(QueryPredicateError) -> BoundPredicate
  ) throws(QueryPredicateError) -> BoundPredicate {
    guard let kinds = PredicateArgument.kinds(of: arguments) else {
      return try bind(QueryPredicate(parsing: text, arguments: arguments))
    }
    let key = TextKey(text: text, className: className, kinds: kinds)
    if let known = texts.withLock({ $0.value(for: key) }) {
      return try known.bound(arguments, bind)
    }
    let (predicate, slots) = try QueryPredicate.parsed(text, arguments)
    let cost = text.utf8.count + predicate.parameterizedByteCount
    guard let slots, cost <= Self.largestCost else { return try bind(predicate) }
    let made = try ParameterizedPredicate(predicate, slots, bind)
    texts.withLock { $0.insert(made, for: key, cost: cost) }
    return made.firstBound
  }

  /// Binds a predicate, or inserts its constants into one of the same form that was bound before.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - className: The queried class.
  ///   - bind: Binds a predicate that was not bound before, or whose constants need a check.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` at the first name or constant that does not fit.
  package func bound(
    _ predicate: QueryPredicate, to className: String,
    _ bind: (QueryPredicate) throws(QueryPredicateError) -> BoundPredicate
  ) throws(QueryPredicateError) -> BoundPredicate {
    guard let form = PredicateForm(predicate, of: className) else { return try bind(predicate) }
    if let known = trees.withLock({ $0.value(for: form) }) {
      return try known.bound(predicate, bind)
    }
    let cost = predicate.parameterizedByteCount
    guard cost <= Self.largestCost else { return try bind(predicate) }
    let made = try ParameterizedPredicate(predicate, [], bind)
    trees.withLock { $0.insert(made, for: form, cost: cost) }
    return made.firstBound
  }
}

extension Schema {
  /// The predicates that queries of this schema bound last.
  package var boundPredicates: BoundPredicates { derived { BoundPredicates() } }

  /// Binds a predicate, or inserts its constants into one of the same form that was bound before.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - root: The queried class.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` at the first name or constant that does not fit.
  package func bound(
    _ predicate: QueryPredicate, _ root: ObjectSchema
  ) throws(QueryPredicateError) -> BoundPredicate {
    try boundPredicates.bound(predicate, to: root.className) {
      (predicate) throws(QueryPredicateError) in try predicate.bound(to: self, root: root)
    }
  }
}

extension QueryPredicate {
  /// Parses a text.
  ///
  /// - Returns: The predicate; and the uses of arguments, if each is the whole right side of a
  ///   comparison, or its region, outside of subqueries.
  fileprivate static func parsed(
    _ text: String, _ arguments: [PredicateArgument]
  ) throws(QueryPredicateError) -> (QueryPredicate, [ParameterizedPredicate.Slot]?) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: arguments)
      let predicate = try parser.wholePredicate()
      guard let slots = parser.replaceableArguments else { return (predicate, nil) }
      let leaves = predicate.leaves
      return (predicate, slots.allSatisfy { leaves[$0.leaf].isReplaceable } ? slots : nil)
    } catch {
      throw error.found(in: text)
    }
  }
}

extension PredicateArgument {
  /// The kinds of some arguments and their number as one number, by which texts are told apart; nil
  /// where there are too many.
  fileprivate static func kinds(of arguments: [PredicateArgument]) -> UInt64? {
    guard arguments.count <= 16 else { return nil }
    // Four bits for each argument; none of the kinds is 0.
    return arguments.reduce(0) { $0 << 4 | $1.kind }
  }

  private var kind: UInt64 {
    switch self {
    case .value: 1
    case .list: 2
    case .shape: 3
    case .object: 4
    case .objects: 5
    case .members: 6
    }
  }
}
