import CadastreGeometry
package import CadastreModel
import Foundation

extension QueryPredicate {
  /// Levels of logic, subqueries and arithmetic inside each other that can be asked; bounds the stack
  /// used by everything that walks a tree.
  package static let maximumDepth = 1000

  /// The predicate with its names found in the schema and its constants brought to the types of the
  /// properties beside them, properties on the left.
  ///
  /// - Parameters:
  ///   - schema: All classes that paths may lead to.
  ///   - root: The class whose objects are asked about.
  /// - Returns: A predicate that means the same and is known to fit.
  /// - Throws: ``QueryPredicateError`` at the first name or constant that does not fit.
  package func bound(
    to schema: Schema, root: ObjectSchema
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard depth(limit: Self.maximumDepth + 1) <= Self.maximumDepth else {
      throw QueryPredicateError(
        .invalidQuery, "more than \(Self.maximumDepth) levels of logic inside each other")
    }
    return try Binder(schema: schema, root: root).bind(self)
  }
}

/// Checks a predicate against a schema and brings its constants to the right types.
struct Binder {
  let schema: Schema
  let root: ObjectSchema

  func bind(_ predicate: QueryPredicate) throws(QueryPredicateError) -> QueryPredicate {
    switch predicate {
    case .constant: return predicate
    case .not(let inner):
      let bound = try bind(inner)
      if case .not(let innermost) = bound { return innermost }
      return .not(bound)
    case .and(let parts): return .and(try bind(parts))
    case .or(let parts): return .or(try bind(parts))
    case .comparison(let comparison): return try bind(comparison)
    case .geoWithin(let within): return .geoWithin(try bind(within))
    }
  }

  private func bind(_ parts: [QueryPredicate]) throws(QueryPredicateError) -> [QueryPredicate] {
    var bound: [QueryPredicate] = []
    bound.reserveCapacity(parts.count)
    for part in parts { bound.append(try bind(part)) }
    return bound
  }

  // MARK: Geography

  private func bind(_ within: GeoWithin) throws(QueryPredicateError) -> GeoWithin {
    let route = try schema.route(within.path, from: root)
    let comparand = Comparand(route.entered, schema)
    guard case .object(let target) = route.entered.end else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(within.path)' is of type '\(comparand.typeDescription)'; GEOWITHIN needs an embedded "
          + "object in the shape of a GeoJSON point", span: within.path.span)
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
      _ = try PreparedRegion(within.shape, edges: within.edges)
    } catch {
      throw QueryPredicateError(.invalidArgument, error.description, span: within.path.span)
    }
    return within
  }

  static func quantifierError(_ path: PropertyPath) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery,
      "ANY, ALL and NONE can only be used on key paths that include a collection property, and '\(path)' "
        + "leads to one value", span: path.span)
  }
}

extension Schema {
  /// Whether a property holds an embedded object.
  package func isEmbedded(_ property: Property) -> Bool {
    target(of: property)?.isEmbedded == true
  }
}
