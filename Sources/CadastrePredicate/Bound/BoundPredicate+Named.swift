import CadastreModel

extension BoundPredicate {
  /// The predicate by name, in the regular form that binding gave it.
  ///
  /// Binding it again gives an equal predicate.
  /// - Complexity: O(n) for n nodes.
  package var named: QueryPredicate {
    folded { (leaf) throws(Never) in
      switch leaf {
      case .constant(let value): .constant(value)
      case .comparison(let comparison): .comparison(comparison.named)
      case .geoWithin(let within): .geoWithin(within.named)
      case .relation(let relation): relation.named
      case .not(let inner): .not(inner.named)
      case .and(let parts): .and(parts.map(\.named))
      case .or(let parts): .or(parts.map(\.named))
      }
    } node: {
      QueryPredicate($0)
    }
  }
}

extension BoundPredicate: CustomStringConvertible {
  /// The predicate as text that parses back to an equal one.
  package var description: String { named.description }

  /// The text with long regions shortened, for people to read.
  package var summary: String { named.summary }
}

extension BoundComparison: CustomStringConvertible {
  /// The comparison by name.
  var named: Comparison {
    Comparison(left.named, operation, right.named, options: options)
  }

  /// The comparison as text.
  package var description: String { named.description }
}

extension BoundGeoWithin {
  /// The test by name.
  package var named: GeoWithin { GeoWithin(path.path, shape, edges: edges, quantifier: quantifier) }
}

extension BoundOperand: CustomStringConvertible {
  /// The operand by name.
  var named: Operand {
    switch self {
    case .property(let path): .property(path.path)
    // A measure of a single geometry is a single value.
    case .elements(.any, let path) where path.measured != nil: .property(path.path)
    case .elements(let quantifier, let path): .elements(quantifier, path.path)
    case .value(let value): .value(value)
    case .list(let values): .list(values)
    case .constants(let quantifier, let values): .constants(quantifier, values)
    case .object(let reference): .object(reference)
    case .objects(let references): .objects(references)
    case .expression(let expression): .value(.string(expression.pattern))
    case .words(_, let text): .value(.string(text))
    case .aggregate(let aggregate):
      .aggregate(
        Aggregate(
          aggregate.operation, of: aggregate.collection.path, member: aggregate.member?.path))
    case .subquery(let subquery):
      .subquery(Subquery(subquery.collection.path, subquery.predicate.named))
    case .arithmetic(let arithmetic):
      .arithmetic(
        Arithmetic(arithmetic.left.named, arithmetic.operation, arithmetic.right.named))
    }
  }

  /// The operand as text.
  package var description: String { named.description }
}
