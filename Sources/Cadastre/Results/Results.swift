import CadastrePlanner
public import CadastrePredicate

/// The live results of a query, computed when they are read, and updated when the Realm changes.
///
///     let airports = realm.objects(Airport.self).where { $0.country == "FR" }
///     print(airports.count, airports.first?.name ?? "none")
///
/// `for … in` iterates over the objects that matched when the loop began. Without a sort, objects
/// are in the order in which they were added.
public struct Results<Element: RealmCollectionValue> {
  let queryResult: QueryResult

  init(_ queryResult: QueryResult) { self.queryResult = queryResult }

  /// Returns at most `count` of the objects, without the first `offset`.
  ///
  /// A negative number stops the process; for numbers from outside see ``limit(checking:offset:)``.
  public func limit(_ count: Int, offset: Int = 0) -> Results {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try limit(checking: count, offset: offset)
    }
  }

  /// Returns at most `count` of the objects, without the first `offset`; the numbers may come from
  /// outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a negative number.
  public func limit(checking count: Int, offset: Int = 0) throws(QueryPredicateError) -> Results {
    Results(try queryResult.limited(count, offset: offset))
  }

  // MARK: Plans

  /// Returns the plan of the query, one line per step, the last step first.
  public func explain() -> String { queryResult.explain() }

  /// The number of objects, counted without making any of them.
  public var count: Int { queryResult.count }

  /// Whether there is no object.
  public var isEmpty: Bool { queryResult.firstValue() == nil }
}

extension Results: RealmCollection {
  /// The source of the elements.
  @_documentation(visibility: internal)
  public var handle: CollectionHandle { CollectionHandle(queryResult) }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { count }

  /// The object at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    // After a read error there are fewer elements than were counted; the others have no values.
    guard
      (0..<queryResult.loadedCount).contains(index)
        || queryResult.isCounted(index)
        || (queryResult.core.hasReadError && (0..<count).contains(index))
    else {
      ProgrammingError.stop("Index \(index) is out of bounds (must be less than \(count)).")
    }
    return StoredElement.make(queryResult.value(at: index), queryResult.context(at: index))
  }

  /// Iterates over the current objects; objects deleted during the iteration are invalidated.
  public func makeIterator() -> AnyIterator<Element> {
    if let objects = queryResult.objects(Element.self) { return objects }
    var values = queryResult.countedValues().enumerated().makeIterator()
    return AnyIterator {
      values.next().map { StoredElement.make($0.element, queryResult.context(at: $0.offset)) }
    }
  }

  /// Two results are equal when they are of the same query in the same Realm.
  public static func == (first: Results, second: Results) -> Bool {
    first.queryResult.isSame(as: second.queryResult)
  }
}
