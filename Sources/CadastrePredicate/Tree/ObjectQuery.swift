package import CadastreGeometry

/// A query for objects of one class, with names as they were written.
package typealias ObjectQuery = QueryPredicate.ObjectQuery
/// A query for objects of one class, resolved against a schema.
package typealias BoundQuery = BoundPredicate.ObjectQuery
/// One criterion of an order, by name.
package typealias SortKey = QueryPredicate.SortKey
/// One criterion of an order, resolved against a schema.
package typealias BoundSortKey = BoundPredicate.SortKey

extension PredicateTree {
  /// A query for objects of one class.
  package struct ObjectQuery: Hashable, Sendable {
    /// The name of the class.
    package var className: String
    /// The predicate that the objects match.
    package var predicate: PredicateTree
    /// The order of the result; ties, and all objects where it is empty, are in order of key.
    package var order: [SortKey]
    /// The number of objects to skip at the start.
    package var offset: Int
    /// The largest number of objects; nil for all.
    package var limit: Int?
    /// The values that the query yields for each object.
    package var output = QueryOutput.keys

    /// Queries objects of a class.
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    package init(
      _ className: String, where predicate: PredicateTree = .constant(true),
      order: [SortKey] = [], offset: Int = 0, limit: Int? = nil
    ) {
      self.className = className
      self.predicate = predicate
      self.order = order
      self.offset = offset
      self.limit = limit
    }
  }

  /// The values that a query yields for each matching object.
  package enum QueryOutput: Hashable, Sendable {
    /// The key of the object.
    case keys
    /// The key of the object, and the columns at the ends of some paths.
    case columns([Phase.Path])
    /// Only the number of objects.
    case count
  }

  /// One criterion of an order.
  package struct SortKey: Hashable, Sendable {
    /// The path to the property.
    package var path: Phase.Path
    /// Whether the order is ascending.
    package var isAscending: Bool
    /// The criterion of the order.
    package var criterion: SortCriterion
    /// The position of null and of values behind a null link; nil for the default, see ``SortRule``.
    package var nulls: NullOrder?

    /// Orders by a criterion of a property.
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    package init(
      _ path: Phase.Path, isAscending: Bool = true, by criterion: SortCriterion = .value,
      nulls: NullOrder? = nil
    ) {
      self.path = path
      self.isAscending = isAscending
      self.criterion = criterion
      self.nulls = nulls
    }

    /// Orders by the values of a property, where a collation compares texts.
    package init(
      _ path: Phase.Path, isAscending: Bool, collation: Collation, nulls: NullOrder?
    ) {
      self.init(
        path, isAscending: isAscending, by: collation.isEmpty ? .value : .text(collation),
        nulls: nulls)
    }

    /// The comparison of the values.
    package var rule: SortRule {
      var collation: Collation = []
      if case .text(let options) = criterion { collation = options }
      return SortRule(isAscending: isAscending, collation: collation, nulls: nulls)
    }

    /// Whether the order is that of an ordered index, or its reverse.
    package var isIndexOrder: Bool { criterion == .value && nulls == nil }
  }
}

/// What objects are ordered by.
// Indirect, so that a copy of a sort key is two references.
package indirect enum SortCriterion: Hashable, Sendable {
  /// The value of the property.
  case value
  /// The text of the property in a collation.
  case text(Collation)
  /// The distance of the geometry or embedded point from a point; objects without one come last.
  case distance(from: GeoPoint)
  /// The relevance of the indexed text to some words, best first; texts without any of them come
  /// last.
  case relevance(TextPattern)
}

extension SortCriterion {
  /// Whether the criterion depends on the values of the object only, so that other objects keep their order
  /// when one changes.
  package var isOfValues: Bool {
    switch self {
    case .value, .text: true
    case .distance, .relevance: false
    }
  }
}

extension BoundQuery {
  /// Returns the query with another output.
  package func yielding(_ output: BoundPredicate.QueryOutput) -> BoundQuery {
    var query = self
    query.output = output
    return query
  }

  /// Whether the query yields columns, also an empty list of them.
  package var yieldsColumns: Bool {
    if case .columns = output { true } else { false }
  }

  /// The paths of the columns that the query yields.
  package var outputPaths: [BoundPath] {
    if case .columns(let paths) = output { paths } else { [] }
  }

  /// The number of matching objects, in order, from which the result is cut; nil for all.
  package var rowsNeeded: Int? {
    guard let limit else { return nil }
    let (sum, overflow) = limit.addingReportingOverflow(offset)
    return overflow ? nil : sum
  }

  /// Returns the elements of a result within offset and limit.
  package func range<Element>(of elements: [Element]) -> [Element] {
    if offset == 0, limit ?? .max >= elements.count { return elements }
    let start = min(elements.count, offset)
    let end = limit.map { start + min($0, elements.count - start) } ?? elements.count
    return Array(elements[start..<end])
  }
}

extension BoundSortKey: CustomStringConvertible {
  /// The criterion as a plan prints it.
  package var description: String {
    switch criterion {
    case .relevance(let words): "relevance of \(path) to \(words)"
    case .value: "\(path) \(direction)\(place)"
    case .text(let collation): "\(path) \(direction)\(collation.suffix)\(place)"
    case .distance(let origin):
      "distance of \(path) from [\(origin.longitude), \(origin.latitude)] \(direction)"
    }
  }

  private var direction: String { isAscending ? "ascending" : "descending" }

  private var place: String { nulls.map { " nulls \($0.rawValue.lowercased())" } ?? "" }
}
