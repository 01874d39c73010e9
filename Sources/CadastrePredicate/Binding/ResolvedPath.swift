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
  /// Follows a path from a class, name by name.
  ///
  /// - Throws: ``QueryPredicateError`` at the path, naming the class and suggesting the nearest property.
  package func resolve(
    _ path: PropertyPath, from start: ObjectSchema
  ) throws(QueryPredicateError) -> ResolvedPath {
    var properties: [Property] = []
    var owner: ObjectSchema? = start
    for (index, name) in path.names.enumerated() {
      guard let current = owner else {
        let scalar = properties[properties.count - 1]
        throw QueryPredicateError(
          .invalidQuery,
          "'\(scalar.name)' is of type '\(scalar.typeDescription)' and has no property '\(name)'; only "
            + "links and embedded objects lead on", span: path.span(ofName: index))
      }
      guard let property = current[name] else {
        let nearest = NameSuggestion.nearest(to: name, among: current.properties.map(\.name))
        throw QueryPredicateError(
          .invalidQuery,
          "Property '\(name)' not found in object of type '\(current.className)'"
            + (nearest.map { "; did you mean '\($0)'?" } ?? ""), span: path.span(ofName: index))
      }
      properties.append(property)
      owner = property.collection == nil ? target(of: property) : nil
    }
    return ResolvedPath(properties: properties, path: path)
  }
}

extension PropertyPath {
  /// Where one of the names stands in the text, as far as names were written without escapes.
  func span(ofName index: Int) -> TextSpan? {
    guard let span else { return nil }
    let lengths = names.map(\.unicodeScalars.count)
    guard lengths.reduce(names.count - 1, +) == span.count else { return span }
    let before = lengths[..<index].reduce(index, +)
    return TextSpan(offset: span.offset + before, count: lengths[index])
  }
}
