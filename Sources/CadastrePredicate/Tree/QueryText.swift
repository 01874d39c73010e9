package import CadastreModel

/// A predicate with the order and limit that follow it in a query text.
///
///     crew >= 3 SORT(name ASC) DISTINCT(berth.name) LIMIT(10)
package struct QueryText: Hashable, Sendable {
  /// A step that orders or limits the matching objects.
  package enum Ordering: Hashable, Sendable {
    /// Sorts by several keys, the first criterion first; ties keep their order.
    case sort([SortTerm])
    /// Only the first object of each combination of values; none whose path crosses a null link.
    case distinct([PropertyPath])
    /// At most so many objects from the beginning.
    case limit(Int)
  }

  /// Which objects are meant.
  package var predicate: QueryPredicate
  /// The steps, in the order in which they are taken.
  package var orderings: [Ordering]

  /// A predicate, and the steps that follow.
  package init(predicate: QueryPredicate, orderings: [Ordering] = []) {
    self.predicate = predicate
    self.orderings = orderings
  }

  /// Reads a predicate with SORT, DISTINCT and LIMIT after it.
  ///
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  package init(
    parsing text: String, arguments: [PredicateArgument] = []
  ) throws(QueryPredicateError) {
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: arguments)
      self = try parser.wholeText()
    } catch {
      throw error.found(in: text)
    }
  }
}

/// A property to sort by, the direction, the collation and the position of null.
package struct SortTerm: Hashable, Sendable {
  /// The path to the property.
  package var path: PropertyPath
  /// Whether the order is ascending.
  package var isAscending: Bool
  /// How texts are compared.
  package var collation: Collation
  /// The position of null; nil for the default.
  package var nulls: NullOrder?

  /// Sorts by a property.
  package init(
    _ path: PropertyPath, isAscending: Bool = true, collation: Collation = [],
    nulls: NullOrder? = nil
  ) {
    self.path = path
    self.isAscending = isAscending
    self.collation = collation
    self.nulls = nulls
  }

  /// The sort key.
  package var key: SortKey {
    SortKey(path, isAscending: isAscending, collation: collation, nulls: nulls)
  }
}

extension QueryText: CustomStringConvertible {
  /// Text that parses back to an equal query text.
  package var description: String {
    ([predicate.description] + orderings.map(\.description)).joined(separator: " ")
  }
}

extension QueryText.Ordering: CustomStringConvertible {
  /// The step as text.
  package var description: String {
    switch self {
    case .sort(let terms):
      "SORT(\(terms.map(\.description).joined(separator: ", ")))"
    case .distinct(let paths):
      "DISTINCT(\(paths.map { PredicateText.path($0) }.joined(separator: ", ")))"
    case .limit(let count): "LIMIT(\(count))"
    }
  }
}

extension SortTerm: CustomStringConvertible {
  /// The property, its direction and options.
  package var description: String {
    "\(PredicateText.path(path)) \(isAscending ? "ASC" : "DESC")\(collation.suffix)"
      + (nulls.map { " NULLS \($0.rawValue)" } ?? "")
  }
}
