package import CadastreModel

/// A property path whose names are known to be properties of a schema's classes.
package struct ResolvedPath: Hashable, Sendable {
  /// The properties along the way, first to last.
  package let properties: [Property]
  /// The path as it was written.
  package let path: PropertyPath

  /// The property at the end.
  package var leaf: Property { properties[properties.count - 1] }

  /// Whether the end may be null: it is optional itself, or lies behind a link or an embedded object.
  package var isNullable: Bool { leaf.isOptional || properties.count > 1 }
}

extension Schema {
  /// Follows names through links and embedded objects from a class.
  ///
  /// - Throws: ``QueryPredicateError`` at the path where it does not fit, and where it leads through a
  ///   collection or has other steps than names.
  package func resolve(
    _ path: PropertyPath, from start: ObjectSchema
  ) throws(QueryPredicateError) -> ResolvedPath {
    let route = try route(path, from: start)
    var properties: [Property] = []
    for hop in route.hops {
      guard case .property(let property) = hop else {
        throw QueryPredicateError(
          .invalidQuery, "'\(path)' leads through more than links and embedded objects",
          span: path.span)
      }
      properties.append(property)
    }
    return ResolvedPath(properties: properties, path: path)
  }
}
