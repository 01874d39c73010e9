package import CadastreModel

/// A predicate and what its text says about order and number after it.
///
///     crew >= 3 SORT(name ASC) DISTINCT(berth.name) LIMIT(10)
package struct QueryText: Hashable, Sendable {
  /// A step that orders or thins out what was found.
  package enum Ordering: Hashable, Sendable {
    /// By several keys, the first of them deciding first; what is level keeps its order.
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

/// A property to sort by, and the direction.
package struct SortTerm: Hashable, Sendable {
  /// The way to the property.
  package var path: PropertyPath
  /// Whether small values come first.
  package var isAscending: Bool

  /// Sorts by a property.
  package init(_ path: PropertyPath, isAscending: Bool = true) {
    self.path = path
    self.isAscending = isAscending
  }
}

extension QueryText: CustomStringConvertible {
  /// Text that parses back to an equal query text.
  package var description: String {
    ([predicate.description] + orderings.map(\.description)).joined(separator: " ")
  }
}

extension QueryText.Ordering: CustomStringConvertible {
  /// The step as it stands in a text.
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
  /// The property and its direction.
  package var description: String {
    "\(PredicateText.path(path)) \(isAscending ? "ASC" : "DESC")"
  }
}
