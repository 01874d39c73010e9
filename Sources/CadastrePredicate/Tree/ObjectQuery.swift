package import CadastreGeometry
package import CadastreModel
package import CadastrePredicate

/// A question about the objects of one class, bound to its schema.
package struct ObjectQuery: Hashable, Sendable {
  /// The class.
  package var className: String
  /// Which of its objects.
  package var predicate: QueryPredicate
  /// In which order; by key where this is empty or says nothing.
  package var order: [SortKey]
  /// How many of them to leave out at the start.
  package var offset: Int
  /// How many of them at most; nil for all.
  package var limit: Int?

  /// Asks for objects of a class.
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

extension ObjectQuery {
  /// How many objects must be known before the answer can be cut from them; nil for all.
  package var rowsNeeded: Int? {
    guard let limit else { return nil }
    let (sum, overflow) = limit.addingReportingOverflow(offset)
    return overflow ? nil : sum
  }
}

/// One property to sort by.
package struct SortKey: Hashable, Sendable, CustomStringConvertible {
  /// The way to the property.
  package var path: PropertyPath
  /// Whether small values come first.
  package var isAscending: Bool
  /// Where distances are measured from, when an embedded point is sorted by its distance.
  package var origin: GeoPoint?
  /// The words that texts are sorted by, those that suit them best first.
  package var words: TextPattern?

  /// Sorts by a property.
  package init(_ path: PropertyPath, isAscending: Bool = true) {
    self.path = path
    self.isAscending = isAscending
  }

  /// Sorts by the distance of an embedded point from a place; what is at no place comes last.
  package init(distanceOf path: PropertyPath, from origin: GeoPoint) {
    self.path = path
    isAscending = true
    self.origin = origin
  }

  /// Sorts by how well an indexed text suits some words; what has none of them comes last.
  package init(relevanceOf path: PropertyPath, to words: TextPattern) {
    self.path = path
    isAscending = true
    self.words = words
  }

  package var description: String {
    if let words { return "relevance of \(path) to \(words)" }
    let direction = isAscending ? "ascending" : "descending"
    guard let origin else { return "\(path) \(direction)" }
    return "distance of \(path) from [\(origin.longitude), \(origin.latitude)] \(direction)"
  }
}
