import CadastreGeometry
import CadastreModel

/// A predicate that is bound once, and is used again with the arguments of other queries.
///
/// An argument replaces the bound constant if the type of the property takes it unchanged (see
/// ``PropertyType/takesUnchanged(_:)``). Otherwise its condition alone is bound again.
final class ParameterizedPredicate: Sendable {
  /// The use of an argument in a condition.
  struct Slot {
    /// The number of conditions before this one.
    let leaf: Int
    /// The index of the argument.
    let argument: Int
    /// The part of the condition that the argument is.
    let part: Part
  }

  /// A part of a condition that an argument can be.
  enum Part: Equatable {
    /// The whole right side of a comparison.
    case value
    /// The right geometry of a relation or of a distance.
    case geometry
    /// The limit of a distance in a unit; nil for radians.
    case limit(DistanceUnit?)
  }

  /// Binds a predicate to the class and the schema of the query.
  typealias Bind = (QueryPredicate) throws(QueryPredicateError) -> BoundPredicate

  /// A condition without logic.
  // A class, so that each use retains one reference.
  private final class Leaf: Sendable {
    let named: QueryPredicate
    let bound: BoundPredicate
    /// The uses of arguments.
    let slots: [Slot]
    /// The arguments that may replace the constant; nil if the condition is always bound again.
    let conversion: Conversion?

    init(_ named: QueryPredicate, _ bound: BoundPredicate, _ slots: [Slot]) {
      self.named = named
      self.bound = bound
      self.slots = slots
      conversion = ParameterizedPredicate.conversion(named, bound)
    }
  }

  /// The constants that may replace another one without a check.
  private enum Conversion {
    /// Values that a type takes unchanged.
    case value(PropertyType)
    /// Lists of values that a type takes unchanged, of any length or of `count` values.
    case list(PropertyType, count: Int?)
    /// Regions.
    case region
  }

  /// The predicate with the arguments of the first use.
  let predicate: QueryPredicate
  private let leaves: [Leaf]
  /// The arguments that are limits of distances.
  private let limits: [Slot]
  /// Whether the predicate is a conjunction of conditions without logic.
  private let isConjunction: Bool

  /// Binds a predicate condition by condition.
  ///
  /// - Parameters:
  ///   - predicate: The predicate, whose depth was checked.
  ///   - slots: The uses of arguments, in the order of the conditions.
  ///   - bind: Binds a predicate.
  /// - Throws: ``QueryPredicateError`` where the predicate does not fit the class.
  init(
    _ predicate: QueryPredicate, _ slots: [Slot], _ bind: Bind
  ) throws(QueryPredicateError) {
    self.predicate = predicate
    var leaves: [Leaf] = []
    for (index, named) in predicate.leaves.enumerated() {
      leaves.append(Leaf(named, try bind(named), slots.filter { $0.leaf == index }))
    }
    self.leaves = leaves
    limits = slots.filter { if case .limit = $0.part { true } else { false } }
    isConjunction =
      if case .and(let parts) = predicate { QueryPredicate.areLeaves(parts) } else { false }
  }

  private static func conversion(
    _ named: QueryPredicate, _ bound: BoundPredicate
  ) -> Conversion? {
    switch (named, bound) {
    case (.geoWithin, .geoWithin): return .region
    case (.comparison(let named), .comparison(let comparison)):
      // A comparison of a part of a date is bound as one of the date.
      guard named.operation == comparison.operation, !comparison.operation.takesPattern,
        case .property(let path) = comparison.left, path.isOrdinary,
        named.left.values?.1 == path.path, case .value(let type) = path.end
      else { return nil }
      switch (comparison.operation, comparison.right) {
      case (.isIn, .list): return .list(type, count: nil)
      case (.between, .list): return .list(type, count: 2)
      case (_, .value): return .value(type)
      default: return nil
      }
    default: return nil
    }
  }

  // MARK: Arguments

  /// The predicate as it was bound first.
  var firstBound: BoundPredicate {
    composed { leaves[$0].bound }
  }

  /// Returns whether each limit of a distance is a number of 0 or more.
  ///
  /// Other arguments of the same kinds are checked when they are bound.
  func takes(_ arguments: [PredicateArgument]) -> Bool {
    limits.allSatisfy { arguments[$0.argument].limit(of: $0.part) != nil }
  }

  /// The predicate with other arguments, of the same number and kinds.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, which the predicate takes.
  ///   - bind: Binds a condition whose argument needs a conversion or a check.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` where an argument does not fit.
  func bound(
    _ arguments: [PredicateArgument], _ bind: Bind
  ) throws(QueryPredicateError) -> BoundPredicate {
    try composed { (index) throws(QueryPredicateError) in
      let leaf = leaves[index]
      guard let slot = leaf.slots.first else { return leaf.bound }
      if let replaced = Self.replaced(leaf, arguments[slot.argument]) { return replaced }
      return try bind(
        leaf.slots.reduce(leaf.named) { $0.replacing($1.part, arguments[$1.argument]) })
    }
  }

  /// The bound form of a predicate of the same form.
  ///
  /// - Parameters:
  ///   - other: The predicate.
  ///   - bind: Binds a condition whose constant needs a conversion or a check.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` where a constant does not fit.
  func bound(
    _ other: QueryPredicate, _ bind: Bind
  ) throws(QueryPredicateError) -> BoundPredicate {
    let others = other.leaves
    return try composed { (index) throws(QueryPredicateError) in
      if let constant = others[index].constant,
        let replaced = Self.replaced(leaves[index], constant)
      {
        return replaced
      }
      return try bind(others[index])
    }
  }

  /// The bound condition with another constant; nil where it must be bound again.
  private static func replaced(_ leaf: Leaf, _ constant: PredicateArgument) -> BoundPredicate? {
    guard let conversion = leaf.conversion else { return nil }
    switch (conversion, constant, leaf.bound) {
    case (.value(let type), .value(let value), .comparison(var comparison)):
      guard type.takesUnchanged(value) else { return nil }
      comparison.right = .value(value)
      return .comparison(comparison)
    case (.list(let type, let count), .list(let values), .comparison(var comparison)):
      guard count ?? values.count == values.count, values.allSatisfy(type.takesUnchanged)
      else { return nil }
      comparison.right = .list(values)
      return .comparison(comparison)
    case (.region, .shape(let shape), .geoWithin(let within)):
      // A region that cannot be prepared is an error of binding.
      guard let region = try? PreparedRegions.region(shape, edges: within.edges) else { return nil }
      return .geoWithin(
        BoundGeoWithin(
          within.path, PreparedConstant(shape, region), edges: within.edges,
          quantifier: within.quantifier))
    default: return nil
    }
  }

  /// The logic of the predicate with bound conditions.
  private func composed<Failure>(
    _ bound: (Int) throws(Failure) -> BoundPredicate
  ) throws(Failure) -> BoundPredicate {
    guard isConjunction else {
      var next = 0
      return try predicate.folded { (_) throws(Failure) in
        defer { next += 1 }
        return try bound(next)
      } node: {
        BoundPredicate(binding: $0)
      }
    }
    var parts: [BoundPredicate] = []
    parts.reserveCapacity(leaves.count)
    for index in leaves.indices { parts.append(try bound(index)) }
    return .all(parts)
  }
}

extension QueryPredicate {
  /// The conditions without logic, from left to right.
  var leaves: [QueryPredicate] {
    if case .and(let parts) = self, Self.areLeaves(parts) { return parts }
    var leaves: [QueryPredicate] = []
    forEachLeaf { leaves.append($0) }
    return leaves
  }

  /// Returns whether an argument may take the place of a part.
  func isReplaceable(_ part: ParameterizedPredicate.Part) -> Bool {
    switch (self, part) {
    case (.comparison, .value), (.geoWithin, .value), (.geoWithin, .geometry): true
    case (.comparison, .geometry), (.relation, .geometry): otherGeometry?.isConstant ?? false
    case (.relation(let relation), .limit):
      if case .distance = relation.kind { true } else { false }
    default: false
    }
  }

  /// The right geometry of a relation, or of a distance on the left; nil for other conditions.
  private var otherGeometry: GeometryRelation.Side? {
    switch self {
    case .relation(let relation): return relation.right
    case .comparison(let comparison):
      guard case .distance(let distance) = comparison.left else { return nil }
      return distance.right
    case .geoWithin, .constant, .not, .and, .or: return nil
    }
  }

  /// The constant on the right; nil where there is none that can be replaced.
  fileprivate var constant: PredicateArgument? {
    switch self {
    case .comparison(let comparison):
      switch comparison.right {
      case .value(let value): .value(value)
      case .list(let values): .list(values)
      default: nil
      }
    case .geoWithin(let within): .shape(within.shape)
    case .relation, .constant, .not, .and, .or: nil
    }
  }

  /// The condition with another argument of the same kind.
  fileprivate func replacing(
    _ part: ParameterizedPredicate.Part, _ argument: PredicateArgument
  ) -> QueryPredicate {
    switch (self, part) {
    case (.geoWithin(var within), _):
      guard case .shape(let shape) = argument else { break }
      within.shape = shape
      return .geoWithin(within)
    case (.relation(var relation), .geometry):
      guard let geometry = argument.geometry else { break }
      relation.right = geometry
      return .relation(relation)
    case (.relation(var relation), .limit):
      guard case .distance(let operation, _) = relation.kind, let limit = argument.limit(of: part)
      else { break }
      relation.kind = .distance(operation, limit)
      return .relation(relation)
    case (.comparison(var comparison), .geometry):
      guard case .distance(var distance) = comparison.left, let geometry = argument.geometry
      else { break }
      distance.right = geometry
      comparison.left = .distance(distance)
      return .comparison(comparison)
    case (.comparison(var comparison), .value):
      guard let operand = argument.operand else { break }
      comparison.right = operand
      return .comparison(comparison)
    default: break
    }
    return self
  }
}

extension QueryPredicate.GeometryRelation.Side {
  /// Whether the side is a region or a geometry.
  fileprivate var isConstant: Bool {
    switch self {
    case .region, .geometry: true
    case .path, .objects: false
    }
  }
}

extension PredicateArgument {
  /// The argument as one side of a comparison.
  var side: Side {
    if case .shape(let shape) = self { return .shape(shape) }
    return .operand(operand ?? .value(.null))
  }

  /// The argument as the right side of a relation; nil for other values than geometries.
  fileprivate var geometry: GeometryRelation.Side? {
    switch self {
    case .shape(let shape): .region(shape)
    case .value(.geometry(let geometry)): .geometry(geometry)
    default: nil
    }
  }

  /// The argument as the limit of a distance; nil for other parts, and for arguments other than numbers from 0.
  fileprivate func limit(of part: ParameterizedPredicate.Part) -> Distance? {
    guard case .limit(let unit) = part, let number = value?.doubleValue else { return nil }
    return Distance.limit(number, unit)
  }
}
