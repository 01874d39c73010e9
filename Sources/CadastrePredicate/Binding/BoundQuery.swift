package import CadastreGeometry

/// A query for objects of one class, resolved against a schema.
package struct BoundQuery: Hashable, Sendable {
  /// The class.
  package var className: String
  /// The predicate that the objects match.
  package var predicate: BoundPredicate
  /// The order of the result; ties, and all objects where it is empty, are in order of key.
  package var order: [BoundSortKey]
  /// The number of objects to skip at the start.
  package var offset: Int
  /// The largest number of objects; nil for all.
  package var limit: Int?

  /// Queries objects of a class.
  package init(
    _ className: String, where predicate: BoundPredicate = .constant(true),
    order: [BoundSortKey] = [], offset: Int = 0, limit: Int? = nil
  ) {
    self.className = className
    self.predicate = predicate
    self.order = order
    self.offset = offset
    self.limit = limit
  }

  /// The number of matching objects, in order, from which the result is cut; nil for all.
  package var rowsNeeded: Int? {
    guard let limit else { return nil }
    let (sum, overflow) = limit.addingReportingOverflow(offset)
    return overflow ? nil : sum
  }
}

/// One criterion of an order.
package struct BoundSortKey: Hashable, Sendable {
  /// The criterion of the order.
  package enum Criterion: Hashable, Sendable {
    /// The value of the property.
    case value
    /// The distance of the embedded point from another; objects without a point come last.
    case distance(from: GeoPoint)
    /// The relevance of the indexed text to some words, best first; texts without any of them come
    /// last.
    case relevance(TextPattern)
  }

  /// The path to the property.
  package var path: BoundPath
  /// Whether the order is ascending.
  package var isAscending: Bool
  /// The criterion of the order.
  package var criterion: Criterion

  /// Orders by a criterion of a property.
  package init(_ path: BoundPath, isAscending: Bool = true, by criterion: Criterion = .value) {
    self.path = path
    self.isAscending = isAscending
    self.criterion = criterion
  }
}

extension BoundSortKey: CustomStringConvertible {
  /// The criterion as a plan prints it.
  package var description: String {
    switch criterion {
    case .relevance(let words): "relevance of \(path) to \(words)"
    case .value: "\(path) \(direction)"
    case .distance(let origin):
      "distance of \(path) from [\(origin.longitude), \(origin.latitude)] \(direction)"
    }
  }

  private var direction: String { isAscending ? "ascending" : "descending" }
}
