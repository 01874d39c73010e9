package import CadastreGeometry
package import CadastreModel

/// A predicate whose names are resolved and whose constants have the types of the properties that
/// they are compared with.
///
/// `QueryPredicate.bound(to:root:)` makes it; planner and executor take nothing else. In a bound
/// comparison the left side is a property wherever one side is a property.
package indirect enum BoundPredicate: Sendable {
  /// Matches every object, or none.
  case constant(Bool)
  /// Matches the objects that the other predicate does not match.
  case not(BoundPredicate)
  /// Matches the objects that match all parts; all objects when there are no parts.
  case and([BoundPredicate])
  /// Matches the objects that match some part; no objects when there are no parts.
  case or([BoundPredicate])
  /// Compares two operands.
  case comparison(BoundComparison)
  /// Tests whether a point lies in a region.
  case geoWithin(BoundGeoWithin)
  /// Tests the relation of geometries to others.
  case relation(BoundRelation)
}

/// A comparison of resolved operands.
package struct BoundComparison: Hashable, Sendable {
  /// The left side: a property wherever one side is a property.
  package var left: BoundOperand
  /// The operator.
  package var operation: ComparisonOperator
  /// How strings are compared.
  package var options: StringOptions
  /// The right side.
  package var right: BoundOperand

  /// Compares two operands.
  package init(
    _ left: BoundOperand, _ operation: ComparisonOperator, _ right: BoundOperand,
    options: StringOptions = []
  ) {
    self.left = left
    self.operation = operation
    self.options = options
    self.right = right
  }
}

/// One side of a bound comparison.
package enum BoundOperand: Hashable, Sendable {
  /// The single value at the end of an ordinary path, or a whole list or set compared with a
  /// `list`.
  case property(BoundPath)
  /// The values at the end of a path that leads to any number of them: through collections, to an
  /// element or entry that may be missing, or to a count, length or type.
  case elements(Quantifier, BoundPath)
  /// A constant.
  case value(Value)
  /// Several constants: the right side of IN and BETWEEN, or a whole collection to be equal to.
  case list([Value])
  /// Several constants, of which some or all must match.
  case constants(Quantifier, [Value])
  /// An object, to compare a link with.
  // Large and rare cases are indirect, which keeps the others, and the stack, small.
  indirect case object(ObjectReference)
  /// Several objects, for a link IN them.
  case objects([ObjectReference])
  /// A regular expression, the right side of MATCHES.
  case expression(RegularExpression)
  /// Words, the right side of TEXT, and the text they were read from.
  case words(TextPattern, text: String)
  /// One value computed from a collection.
  indirect case aggregate(BoundAggregate)
  /// The number of a collection's objects that match a predicate of their own.
  indirect case subquery(BoundSubquery)
  /// A number computed from two others.
  indirect case arithmetic(BoundArithmetic)
}

/// One value computed from the elements of a collection; nulls and NaN among them do not count.
package struct BoundAggregate: Hashable, Sendable {
  /// The function.
  package var operation: Aggregate.Operation
  /// The path to the collection.
  package var collection: BoundPath
  /// The property of each object; nil in a collection of values.
  package var member: BoundPath?
}

/// The number of a collection's objects that match a predicate.
package struct BoundSubquery: Hashable, Sendable {
  /// The path to the collection.
  package var collection: BoundPath
  /// The class of its objects.
  package var target: ObjectSchema
  /// The predicate; its paths begin at the object.
  package var predicate: BoundPredicate
}

/// A number computed from two others.
package struct BoundArithmetic: Hashable, Sendable {
  /// The left operand.
  package var left: BoundOperand
  /// The operation.
  package var operation: Arithmetic.Operation
  /// The right operand.
  package var right: BoundOperand
}

/// Tests whether the point at the end of a path lies in a region.
package struct BoundGeoWithin: Sendable {
  /// The path to an embedded object of the GeoJSON point shape, or to several.
  package var path: BoundPath
  /// How many points must lie in the region where the path leads to several.
  package let quantifier: Quantifier
  /// The region, prepared.
  package let region: PreparedRegion
  /// The region as it was written.
  package let shape: GeoShape
  /// How the edges of boxes and polygons run between their corners.
  package let edges: EdgeModel
}

extension BoundGeoWithin: Hashable {
  /// The same path, region and quantifier.
  package static func == (first: BoundGeoWithin, second: BoundGeoWithin) -> Bool {
    guard first.path == second.path, first.edges == second.edges,
      first.quantifier == second.quantifier
    else { return false }
    return first.region === second.region || first.shape == second.shape
  }

  /// Hashes what equality compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(shape)
    hasher.combine(edges)
    hasher.combine(quantifier)
  }
}

extension BoundPredicate {
  /// The conjunction of the parts, without nesting and without a wrapper around a single one.
  package static func all(_ parts: [BoundPredicate]) -> BoundPredicate {
    let flat = parts.flatMap(\.conjuncts)
    if flat.isEmpty { return .constant(true) }
    return flat.count == 1 ? flat[0] : .and(flat)
  }

  /// The disjunction of the parts, without nesting and without a wrapper around a single one.
  package static func any(_ parts: [BoundPredicate]) -> BoundPredicate {
    let flat = parts.flatMap { part in
      if case .or(let inner) = part { inner } else { [part] }
    }
    if flat.isEmpty { return .constant(false) }
    return flat.count == 1 ? flat[0] : .or(flat)
  }

  /// Whether the predicate is a constant.
  package func isConstant(_ value: Bool) -> Bool {
    if case .constant(value) = self { true } else { false }
  }

  /// The parts of a conjunction, or the predicate itself as its only part.
  package var conjuncts: [BoundPredicate] {
    if case .and(let parts) = self { parts } else { [self] }
  }

  /// The paths that are read, from left to right; those inside subqueries and of aggregate members,
  /// which begin elsewhere, are left out.
  package var paths: [BoundPath] {
    var paths: [BoundPath] = []
    forEachLeaf { leaf in
      switch leaf {
      case .comparison(let comparison): paths += comparison.left.paths + comparison.right.paths
      case .geoWithin(let within): paths.append(within.path)
      case .relation(let relation): paths += relation.paths
      case .constant, .not, .and, .or: break
      }
    }
    return paths
  }
}

extension BoundOperand {
  /// The constant, or the constants; nil for anything else.
  package var constants: [Value]? {
    switch self {
    case .value(let value): [value]
    case .list(let values): values
    default: nil
    }
  }

  /// Whether this is one or several named objects.
  package var namesObjects: Bool {
    switch self {
    case .object, .objects: true
    default: false
    }
  }

  fileprivate var paths: [BoundPath] {
    switch self {
    case .property(let path), .elements(_, let path): [path]
    case .aggregate(let aggregate): [aggregate.collection]
    case .subquery(let subquery): [subquery.collection]
    case .arithmetic(let arithmetic): arithmetic.left.paths + arithmetic.right.paths
    case .value, .list, .constants, .object, .objects, .expression, .words: []
    }
  }
}
