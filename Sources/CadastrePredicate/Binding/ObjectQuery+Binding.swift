package import CadastreModel

extension ObjectQuery {
  /// Resolves the names of the query and converts its constants.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - allowsEmbedded: Whether an embedded class may be queried, as for elements of a collection.
  /// - Returns: The bound query.
  /// - Throws: ``QueryPredicateError`` at the first name or constant that does not fit.
  package func bound(
    to schema: Schema, allowsEmbedded: Bool = false
  ) throws(QueryPredicateError) -> BoundQuery {
    let root = try schema.queriedClass(className, allowsEmbedded: allowsEmbedded)
    var keys: [BoundSortKey] = []
    for key in order { keys.append(try key.bound(to: schema, root: root)) }
    return BoundQuery(
      className, where: try schema.bound(predicate, root), order: keys, offset: offset,
      limit: limit)
  }
}

extension Schema {
  /// The class of a given name, if it can be queried.
  ///
  /// - Throws: ``QueryPredicateError`` that suggests the nearest name where there is none.
  package func queriedClass(
    _ className: String, allowsEmbedded: Bool = false
  ) throws(QueryPredicateError) -> ObjectSchema {
    if let root = self[className], allowsEmbedded || !root.isEmbedded { return root }
    let names = objectSchema.filter { !$0.isEmbedded }.map(\.className)
    let nearest = NameSuggestion.nearest(to: className, among: names)
    throw QueryPredicateError(
      .invalidQuery,
      "there is no class '\(className)'"
        + (nearest.map { "; did you mean '\($0)'?" }
          ?? "; the store has \(names.isEmpty ? "none" : names.joined(separator: ", "))"))
  }
}

extension SortKey {
  /// Resolves the path, and checks that its end has the order that is wanted.
  ///
  /// - Throws: ``QueryPredicateError`` where there is no such property, or it has no order.
  package func bound(
    to schema: Schema, root: ObjectSchema
  ) throws(QueryPredicateError) -> BoundSortKey {
    let bound: BoundPath
    do throws(QueryPredicateError) {
      bound = try schema.resolvedPaths.path(path, from: root, in: schema)
    } catch {
      throw QueryPredicateError(.sort, "Cannot sort on key path '\(path)': \(error.message)")
    }
    switch criterion {
    case .value, .text:
      guard case .value(let type) = bound.end, type != .data, type != .geometry, !bound.isToMany
      else {
        throw QueryPredicateError(
          .sort, "Cannot sort on key path '\(path)': a \(bound.endDescription) has no order")
      }
      if case .text(let collation) = criterion { try bound.check(collation) }
    case .distance:
      guard bound.isPlace else {
        throw QueryPredicateError(
          .sort,
          "Cannot sort by the distance of '\(path)': a \(bound.endDescription) is neither a geometry "
            + "nor an embedded object in the shape of a GeoJSON point")
      }
    case .relevance:
      guard let properties = bound.properties,
        properties.last?.property.isFullTextIndexed == true,
        properties.dropLast().allSatisfy({ $0.target.contains(.inline) })
      else {
        throw QueryPredicateError(
          .sort,
          "Cannot sort by the relevance of '\(path)': it has no full-text index of the class; mark "
            + "it @Persisted(fullText: true)")
      }
    }
    return BoundSortKey(
      bound, isAscending: isAscending, by: criterion,
      nulls: bound.hasUsualNulls(nulls, isAscending: isAscending) ? nil : nulls)
  }
}

extension BoundPath {
  /// Throws where a collation cannot order the values at the end, or has options that exclude each other.
  func check(_ collation: Collation) throws(QueryPredicateError) {
    guard collation.isEmpty || end == .value(.string) else {
      throw QueryPredicateError(
        .sort,
        "Cannot sort on key path '\(path)' with \(collation.suffix), which applies to strings: it is a "
          + endDescription, span: path.span)
    }
    guard !collation.contains(.localized) || collation == .localized else {
      throw QueryPredicateError(
        .sort,
        "Cannot sort on key path '\(path)': [localized] takes no other options, because it ignores the case "
          + "and compares numbers itself", span: path.span)
    }
  }

  /// Returns whether `NULLS FIRST` or `NULLS LAST` gives the order that the path has without them.
  fileprivate func hasUsualNulls(_ nulls: NullOrder?, isAscending: Bool) -> Bool {
    guard let nulls, isNullable else { return true }
    // Without them, null and values behind a null link are at different ends.
    return hops.count == 1 && nulls == (isAscending ? .first : .last)
  }

  /// Whether the path leads to one geometry or embedded point.
  fileprivate var isPlace: Bool {
    switch end {
    case .value(.geometry): !isToMany
    case .object(let target): target.isPointShaped && !isToMany
    default: false
    }
  }
}
