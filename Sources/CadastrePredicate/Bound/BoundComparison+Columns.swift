extension BoundComparison {
  /// The paths of a comparison that can be evaluated on columns and indexes; nil for others.
  ///
  /// Such a comparison is of a plain property with a constant, constants, an object or another
  /// plain property, whose path is then on the right.
  package var columnComparison: (left: BoundPath, right: BoundPath?)? {
    guard case .property(let path) = left, path.isPlain else { return nil }
    switch right {
    case .property(let other): return other.isPlain ? (path, other) : nil
    case .value, .list, .object: return (path, nil)
    case .objects, .elements, .constants, .aggregate, .subquery, .arithmetic, .expression, .words:
      return nil
    }
  }
}
