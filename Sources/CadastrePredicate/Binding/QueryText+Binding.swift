package import CadastreModel

extension QueryText {
  /// Checks the names, constants and sort keys against a schema.
  ///
  /// - Returns: The text with its predicate in the regular form of bound predicates.
  ///
  /// - Throws: ``QueryPredicateError`` at the first name or constant that does not fit, and at a
  ///   key that has no order.
  package func bound(
    to schema: Schema, root: ObjectSchema
  ) throws(QueryPredicateError) -> QueryText {
    let predicate = try predicate.bound(to: schema, root: root).named
    for ordering in orderings {
      switch ordering {
      case .sort(let terms):
        for term in terms {
          try schema.checkOrder(of: term.path, from: root, in: "SORT").check(term.collation)
        }
      case .distinct(let paths):
        for path in paths { _ = try schema.checkOrder(of: path, from: root, in: "DISTINCT") }
      case .limit: break
      }
    }
    return QueryText(predicate: predicate, orderings: orderings)
  }
}

extension Schema {
  /// Resolves the path of an order, and throws if it does not lead to a single value or to a link of each object.
  ///
  /// Links are in the order of the keys of their objects.
  fileprivate func checkOrder(
    of path: PropertyPath, from root: ObjectSchema, in word: String
  ) throws(QueryPredicateError) -> BoundPath {
    let bound = try resolve(path, from: root)
    let isOne =
      switch bound.end {
      case .collection: false
      case .object(let target): !bound.isToMany && !target.isEmbedded
      case .value: !bound.isToMany
      }
    guard isOne else {
      throw QueryPredicateError(
        .sort, "\(word) needs a single value of each object, and '\(path)' is none", span: path.span
      )
    }
    return bound
  }
}
