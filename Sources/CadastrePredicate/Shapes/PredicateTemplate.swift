import CadastreGeometry
import CadastreModel

/// A parsed text whose arguments can be replaced by others of the same kinds.
final class PredicateTemplate: Sendable {
  /// The use of an argument as the whole right side of a comparison, or as its region.
  struct Slot {
    /// The number of comparisons and constants before this one in the text.
    let leaf: Int
    /// The index of the argument.
    let argument: Int
    /// How the edges of a region run that is not known yet; nil for other uses.
    var edges: EdgeModel?
  }

  /// The predicate with the arguments of the first use, or with null where there was none.
  let predicate: QueryPredicate
  /// The uses of arguments, in the order of the text.
  let slots: [Slot]
  /// The predicate as it was bound last; nil where it must be bound for each use.
  private let boundTemplate = Guarded<BoundTemplate?>(nil)

  init(_ predicate: QueryPredicate, _ slots: [Slot]) {
    self.predicate = predicate
    self.slots = slots
  }

  /// About the size in bytes of a template for each byte of its text.
  static let bytesPerCharacter = 16

  /// Parses a text.
  ///
  /// - Returns: The predicate; and the template, if each argument is the whole right side of a
  ///   comparison, or its region, outside of subqueries.
  static func parsed(
    _ text: String, _ arguments: [PredicateArgument]
  ) throws(QueryPredicateError) -> (QueryPredicate, PredicateTemplate?) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: arguments)
      let predicate = try parser.wholePredicate()
      guard let slots = parser.replaceableArguments else { return (predicate, nil) }
      return (predicate, PredicateTemplate(predicate, slots))
    } catch {
      throw error.found(in: text)
    }
  }

  /// The predicate with other arguments, of the same number and kinds, bound to a schema.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - className: The queried class.
  ///   - shapes: What the queries of the schema have in common.
  ///   - bind: Binds a predicate that was not bound before, or whose arguments need a check.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` where an argument does not fit.
  func bound(
    _ arguments: [PredicateArgument], to className: String, in shapes: QueryShapes,
    _ bind: (QueryPredicate) throws(QueryPredicateError) -> BoundPredicate
  ) throws(QueryPredicateError) -> BoundPredicate {
    if let known = boundTemplate.withLock({ $0 })?.filled(arguments, in: shapes, className) {
      return known
    }
    let bound = try bind(filled(arguments))
    if let made = BoundTemplate(bound, of: self, in: shapes, className) {
      boundTemplate.withLock { $0 = made }
    }
    return bound
  }

  /// The predicate with other arguments, of the same number and kinds.
  ///
  /// - Throws: ``QueryPredicateError`` where an argument is no region but must be one, or is one.
  func filled(_ arguments: [PredicateArgument]) throws(QueryPredicateError) -> QueryPredicate {
    guard !slots.isEmpty else { return predicate }
    var leaves = 0
    var next = slots[...]
    return try predicate.folded { (leaf) throws(QueryPredicateError) in
      defer { leaves += 1 }
      guard let slot = next.first, slot.leaf == leaves else { return leaf }
      next.removeFirst()
      return try leaf.replacing(slot, arguments[slot.argument])
    } node: {
      QueryPredicate($0)
    }
  }
}

extension QueryPredicate {
  /// The comparison with another constant on its right, or with another region.
  fileprivate func replacing(
    _ slot: PredicateTemplate.Slot, _ argument: PredicateArgument
  ) throws(QueryPredicateError) -> QueryPredicate {
    switch (self, argument.side) {
    case (.geoWithin(var within), .shape(let shape)):
      within.shape = shape
      return .geoWithin(within)
    case (.comparison(let comparison), .shape(let shape)):
      guard comparison.operation == .isIn, let (quantifier, path) = comparison.left.values else {
        throw QueryPredicateError(
          .invalidArgument,
          "argument \(slot.argument), counted from 0, is a region, which operator "
            + "'\(comparison.operation.rawValue)' cannot compare")
      }
      return .geoWithin(
        GeoWithin(path, shape, edges: slot.edges ?? .spherical, quantifier: quantifier))
    case (.comparison(var comparison), .operand(let operand)) where slot.edges == nil:
      comparison.right = operand
      return .comparison(comparison)
    default:
      throw QueryPredicateError(
        .invalidArgument,
        "argument \(slot.argument), counted from 0, must be a region for GEOWITHIN, found "
          + "\(argument.side.description)")
    }
  }
}

extension PredicateArgument {
  /// The argument as one side of a comparison.
  var side: Side {
    switch self {
    case .value(let value): .operand(.value(value))
    case .list(let values): .operand(.list(values))
    case .object(let reference): .operand(.object(reference))
    case .objects(let objects): .operand(objects.isEmpty ? .list([]) : .objects(objects))
    case .members(let members): .operand(.members(members))
    case .shape(let shape): .shape(shape)
    }
  }

  /// The kinds of some arguments and their number as one number, by which texts are told apart; nil
  /// where there are too many.
  static func kinds(of arguments: [PredicateArgument]) -> UInt64? {
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

extension Side: CustomStringConvertible {
  /// The side as text.
  var description: String {
    switch self {
    case .operand(let operand): "\(operand)"
    case .shape(let shape): shape.summary
    }
  }
}
