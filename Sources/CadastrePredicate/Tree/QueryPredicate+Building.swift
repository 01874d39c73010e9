package import CadastreModel

/// Trees that the type-safe builder makes.
extension QueryPredicate {
  /// Compares the property at a path with a value.
  package static func compare(
    _ path: PropertyPath, _ operation: ComparisonOperator, _ value: Value,
    options: StringOptions = []
  ) -> QueryPredicate {
    .comparison(Comparison(.values(at: path), operation, .value(value), options: options))
  }

  /// Compares the values at a path, which may lead to any number of them, with a value.
  package static func compare(
    _ quantifier: Quantifier, _ path: PropertyPath, _ operation: ComparisonOperator,
    _ value: Value, options: StringOptions = []
  ) -> QueryPredicate {
    .comparison(
      Comparison(.elements(quantifier, path), operation, .value(value), options: options))
  }

  /// Compares the number of a collection's elements with a value.
  package static func compareCount(
    of path: PropertyPath, _ operation: ComparisonOperator, _ value: Value
  ) -> QueryPredicate {
    .comparison(Comparison(.count(of: path), operation, .value(value)))
  }

  /// Compares the number of a collection's objects that match a predicate with a value.
  package static func compareCount(
    of collection: PropertyPath, where predicate: QueryPredicate,
    _ operation: ComparisonOperator, _ value: Value
  ) -> QueryPredicate {
    .comparison(
      Comparison(.subquery(Subquery(collection, predicate)), operation, .value(value)))
  }
}

extension Operand {
  /// The operand of a path without a quantifier.
  package static func values(at path: PropertyPath) -> Operand {
    path.selectsElements ? .elements(.any, path) : .property(path)
  }

  /// The number of a collection's elements.
  package static func count(of path: PropertyPath) -> Operand {
    .elements(.any, path.appending([.count]))
  }
}

extension PropertyPath {
  /// The value of the map or of the value of any type at this path, under a key.
  package subscript(key: String) -> PropertyPath { appending([.key(key)]) }

  /// The element of the list or of the value of any type at this path, by its index from 0.
  package subscript(index: Int) -> PropertyPath { appending([.index(index)]) }

  /// The keys of the map at this path.
  package var keys: PropertyPath { appending([.keys]) }

  /// Every element or value of the value of any type at this path.
  package var every: PropertyPath { appending([.every]) }
}
