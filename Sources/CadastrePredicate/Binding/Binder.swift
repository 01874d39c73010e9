import CadastreGeometry
package import CadastreModel
import Foundation

extension QueryPredicate {
  /// The largest number of nested levels of logic, predicates on other objects and arithmetic; bounds the stack of
  /// all recursive functions on trees.
  package static let maximumDepth = 500

  /// Resolves the names of the predicate, and converts its constants to the types of the properties
  /// that they are compared with.
  ///
  /// - Parameters:
  ///   - schema: All classes that paths may lead to.
  ///   - root: The queried class.
  /// - Returns: An equivalent bound predicate, with properties on the left of comparisons.
  /// - Throws: ``QueryPredicateError`` at the first name or constant that does not fit.
  package func bound(
    to schema: Schema, root: ObjectSchema
  ) throws(QueryPredicateError) -> BoundPredicate {
    try checkDepth()
    return try Binder(schema: schema, root: root).bind(self)
  }

  /// Throws where the predicate has too many nested levels.
  func checkDepth() throws(QueryPredicateError) {
    guard depth(limit: Self.maximumDepth + 1) <= Self.maximumDepth else {
      throw QueryPredicateError(
        .invalidQuery, "more than \(Self.maximumDepth) nested levels of logic")
    }
  }
}

/// Checks a predicate against a schema and brings its constants to the right types.
struct Binder {
  let schema: Schema
  let root: ObjectSchema
  let paths: ResolvedPaths
  /// The value of `now()` in all parts of the predicate: the time at which it is bound.
  let now: Date
  /// The binders of the predicates around a subquery, the innermost last.
  let enclosing: [Binder]

  /// The largest number of subqueries around a property of an outer object.
  static let maximumOuterDepth = 3

  init(schema: Schema, root: ObjectSchema, at now: Date = Date(), within enclosing: [Binder] = []) {
    self.schema = schema
    self.root = root
    paths = schema.resolvedPaths
    self.now = now
    self.enclosing = enclosing
  }

  func bind(_ predicate: QueryPredicate) throws(QueryPredicateError) -> BoundPredicate {
    if case .and(let parts) = predicate, QueryPredicate.areLeaves(parts) {
      var conditions: [BoundPredicate] = []
      for part in parts { conditions.append(try bind(leaf: part)) }
      // A condition may be bound as several: that on a year becomes two bounds of its dates.
      return .all(conditions)
    }
    return try predicate.folded { (leaf) throws(QueryPredicateError) in
      try bind(leaf: leaf)
    } node: {
      BoundPredicate(binding: $0)
    }
  }

  private func bind(leaf: QueryPredicate) throws(QueryPredicateError) -> BoundPredicate {
    switch leaf {
    case .constant(let value): .constant(value)
    case .comparison(let comparison): try bind(comparison)
    case .geoWithin(let within): try bind(within)
    case .relation(let relation): try bind(relation)
    case .not, .and, .or: try bind(leaf)
    }
  }

  /// Resolves a path from the queried class.
  func resolve(_ path: PropertyPath) throws(QueryPredicateError) -> BoundPath {
    try paths.path(path, from: root, in: schema)
  }

  // MARK: Geography

  private func bind(
    _ within: GeoWithin
  ) throws(QueryPredicateError) -> BoundPredicate {
    let path = try resolve(within.path)
    if case .value(.geometry) = path.entered.end {
      return try bind(
        GeometryRelation(
          .path(within.path), .within, .region(within.shape), edges: within.edges,
          quantifier: within.quantifier))
    }
    let comparand = Comparand(path.entered, span: within.path.span)
    guard case .object(let target) = path.entered.end else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(within.path)' is of type '\(comparand.typeDescription)'; GEOWITHIN needs a geometry or "
          + "an embedded object in the shape of a GeoJSON point", span: within.path.span)
    }
    guard target.isEmbedded else {
      throw QueryPredicateError(
        .invalidQuery,
        "A GEOWITHIN query can only operate on a link to an embedded class but "
          + "'\(target.className)' is at the top level", span: within.path.span)
    }
    guard target.isPointShaped else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(within.path)' links to data in the wrong format for a geoWithin query: "
          + "'\(target.className)' needs `type: String` and `coordinates: List<Double>`",
        span: within.path.span)
    }
    guard within.quantifier == .any || comparand.isToMany else {
      throw Self.quantifierError(within.path)
    }
    do throws(RegionError) {
      return .geoWithin(
        BoundGeoWithin(
          path,
          PreparedConstant(
            within.shape, try PreparedRegions.region(within.shape, edges: within.edges)),
          edges: within.edges, quantifier: within.quantifier))
    } catch {
      throw QueryPredicateError(.invalidArgument, error.description, span: within.path.span)
    }
  }

  static func quantifierError(_ path: PropertyPath) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery,
      "ANY, ALL and NONE can only be used on key paths that include a collection property, and '\(path)' "
        + "leads to one value", span: path.span)
  }
}

extension BoundPredicate {
  /// Creates the predicate with the logic of a named tree, whose parts are bound.
  init(binding logic: Logic<BoundPredicate>) {
    // A part may be bound as the complement of another condition; `negated` removes double negation.
    self = if case .not(let part) = logic { part.negated } else { BoundPredicate(logic) }
  }
}
