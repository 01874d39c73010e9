package import CadastreModel

/// A cache of the predicates that queries of a schema bound last, by their text or by their tree.
///
/// Queries that differ in their arguments only are bound once. Each schema has a cache of its own, also one that differs
/// in an index only. Nothing is parsed or bound while a lock is held, so that threads do not wait for each other.
package final class BoundPredicates: Sendable {
  private struct TextKey: Sendable {
    let text: String
    let className: String
    /// The kinds of the arguments.
    let kinds: UInt64

    func isSame(as other: TextKey) -> Bool {
      kinds == other.kinds && text.hasSameBytes(as: other.text) && className == other.className
    }

    var hash: Int {
      var hash = FormHash()
      hash.append(text)
      hash.append(className)
      hash.append(kinds)
      return hash.value
    }
  }

  private final class Cached<Key: Sendable>: Sendable {
    let key: Key
    let predicate: ParameterizedPredicate

    init(_ key: Key, _ predicate: ParameterizedPredicate) {
      self.key = key
      self.predicate = predicate
    }
  }

  // Invariant: the objects of `texts` are of the class `Cached<TextKey>`, those of `trees` of `Cached<PredicateForm>`.
  private let texts = ObjectCache(maximumCount: 256, maximumCost: 1 << 20)
  private let trees = ObjectCache(maximumCount: 256, maximumCost: 1 << 20)

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
    let hash = key.hash
    if let object = texts.object(hash) {
      let cached = unsafeDowncast(object, to: Cached<TextKey>.self)
      if cached.key.isSame(as: key), cached.predicate.takes(arguments) {
        return try cached.predicate.bound(arguments, bind)
      }
    }
    let (predicate, slots) = try QueryPredicate.parsed(text, arguments)
    try predicate.checkDepth()
    let cost = text.utf8.count + predicate.parameterizedByteCount
    // `now()` is the same time in all conditions, which is that of binding.
    guard let slots, cost <= Self.largestCost, !predicate.readsClock else {
      return try bind(predicate)
    }
    let made = try ParameterizedPredicate(predicate, slots, bind)
    texts.insert(Cached(key, made), hash, cost: cost)
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
    if let object = trees.object(form.hash) {
      let cached = unsafeDowncast(object, to: Cached<PredicateForm>.self)
      if cached.key == form { return try cached.predicate.bound(predicate, bind) }
    }
    try predicate.checkDepth()
    let cost = predicate.parameterizedByteCount
    guard cost <= Self.largestCost else { return try bind(predicate) }
    let made = try ParameterizedPredicate(predicate, [], bind)
    trees.insert(Cached(form, made), form.hash, cost: cost)
    return made.firstBound
  }
}

extension Schema {
  /// The cache of bound predicates.
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
  /// - Returns: The predicate; and the uses of arguments, if each is a part of a condition
  ///   outside of subqueries.
  fileprivate static func parsed(
    _ text: String, _ arguments: [PredicateArgument]
  ) throws(QueryPredicateError) -> (QueryPredicate, [ParameterizedPredicate.Slot]?) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: arguments)
      let predicate = try parser.wholePredicate()
      guard let slots = parser.replaceableArguments else { return (predicate, nil) }
      let leaves = predicate.leaves
      return (predicate, slots.allSatisfy { leaves[$0.leaf].isReplaceable($0.part) } ? slots : nil)
    } catch {
      throw error.found(in: text)
    }
  }
}

extension PredicateArgument {
  /// Returns the kinds of some arguments as one number, which is a part of the key of a text; nil for too many
  /// arguments.
  fileprivate static func kinds(of arguments: [PredicateArgument]) -> UInt64? {
    guard arguments.count <= 16 else { return nil }
    // Four bits for each argument; none of the kinds is 0.
    return arguments.reduce(0) { $0 << 4 | $1.kind }
  }

  private var kind: UInt64 {
    switch self {
    // A geometry may be a side of a relation, where other values are parsed in another way.
    case .value(.geometry): 9
    case .value: 1
    case .list: 2
    case .shape: 3
    case .object: 4
    case .objects: 5
    case .members: 6
    case .elements: 7
    case .entries: 8
    }
  }
}
