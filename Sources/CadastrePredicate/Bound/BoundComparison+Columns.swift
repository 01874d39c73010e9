extension BoundComparison {
  /// The path on the left, and the one on the right where a property stands there, if the comparison can be
  /// evaluated on columns and indexes: a plain property beside a constant, constants, an object or
  /// another plain property. Nil for other comparisons.
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
