package import CadastreModel

extension BoundComparison {
  /// Returns the conditions on elements that mean the same as the comparison of a whole list or set with
  /// constants; nil for other comparisons.
  ///
  /// - Parameter schema: The schema to which the comparison is bound.
  /// - Returns: A conjunction, or its complement.
  /// - Throws: ``QueryPredicateError`` where an element does not fit.
  package func elementwise(in schema: Schema) throws(QueryPredicateError) -> BoundPredicate? {
    guard case .property(let whole) = left, whole.isPlain, operation.isEquality,
      case .collection(let property, _) = whole.end, let elements = right.named.listed
    else { return nil }
    let path = whole.path
    var parts: [QueryPredicate] = []
    if property.isSet {
      // Two sets are equal if each includes all elements of the other.
      parts = elements.map { .comparison(Comparison(.elements(.any, path), .equal, $0)) }
      parts.append(.comparison(Comparison(.elements(.all, path), .isIn, right.named)))
    } else {
      parts = [.compareCount(of: path, .equal, .int(Int64(elements.count)))]
      parts += elements.enumerated().map { index, element in
        .comparison(Comparison(.values(at: path[index]), .equal, element))
      }
    }
    let equality = QueryPredicate.all(parts)
    return try (operation == .equal ? equality : .not(equality)).bound(to: schema, root: whole.root)
  }
}

extension Operand {
  /// The constants of a list; nil for other operands.
  fileprivate var listed: [Operand]? {
    switch self {
    case .list(let values): values.map(Operand.value)
    case .objects(let objects): objects.map { .object($0) }
    default: nil
    }
  }
}
