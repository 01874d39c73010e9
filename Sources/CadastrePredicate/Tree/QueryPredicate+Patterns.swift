package import CadastreModel

extension QueryPredicate {
  /// The constant patterns of LIKE outside of subqueries, and the locations of their properties.
  package var likePatterns: [(pattern: String, span: TextSpan?)] {
    var patterns: [(pattern: String, span: TextSpan?)] = []
    forEachLeaf { leaf in
      guard case .comparison(let comparison) = leaf, comparison.operation == .like,
        case .value(.string(let pattern)) = comparison.right
      else { return }
      patterns.append((pattern, comparison.left.values?.1.span))
    }
    return patterns
  }
}
