package import CadastreGeometry
package import CadastreModel

/// A query for objects of one class, with names as they were written.
package struct ObjectQuery: Hashable, Sendable {
  /// The name of the class.
  package var className: String
  /// The predicate that the objects match.
  package var predicate: QueryPredicate
  /// The order of the result; by key where this is empty.
  package var order: [SortKey]
  /// The number of objects to skip at the start.
  package var offset: Int
  /// The largest number of objects; nil for all.
  package var limit: Int?

  /// Queries objects of a class.
  package init(
    _ className: String, where predicate: QueryPredicate = .constant(true),
    order: [SortKey] = [], offset: Int = 0, limit: Int? = nil
  ) {
    self.className = className
    self.predicate = predicate
    self.order = order
    self.offset = offset
    self.limit = limit
  }
}

/// One criterion of an order, by name.
package struct SortKey: Hashable, Sendable {
  /// The path to the property.
  package var path: PropertyPath
  /// Whether the order is ascending.
  package var isAscending: Bool
  /// The criterion of the order.
  package var criterion: BoundSortKey.Criterion

  /// Orders by the value of a property.
  package init(_ path: PropertyPath, isAscending: Bool = true) {
    self.path = path
    self.isAscending = isAscending
    criterion = .value
  }

  /// Orders by the distance of an embedded point from another, nearest first; objects without a
  /// point come last.
  package init(distanceOf path: PropertyPath, from origin: GeoPoint) {
    self.path = path
    isAscending = true
    criterion = .distance(from: origin)
  }

  /// Orders by the relevance of an indexed text to some words, best first; texts without any of
  /// them come last.
  package init(relevanceOf path: PropertyPath, to words: TextPattern) {
    self.path = path
    isAscending = true
    criterion = .relevance(words)
  }
}
