import CadastrePlanner

/// A question whose queryResult is read when it is needed, and again when the Realm has changed.
///
/// Membership follows the Realm; `for … in` goes through the objects that were there at its start.
/// Without a sort, objects come in the order in which they were added.
public struct Results<Element: RealmCollectionValue> {
  let queryResult: QueryResult

  init(_ queryResult: QueryResult) { self.queryResult = queryResult }

  /// At most `count` of the objects, without the first `offset`.
  public func limit(_ count: Int, offset: Int = 0) -> Results {
    guard count >= 0, offset >= 0 else {
      Misuse.stop("limit(_:offset:) takes no negative numbers, found \(count) and \(offset).")
    }
    return Results(queryResult.limited(count, offset: offset))
  }

  // MARK: Plans

  /// How the question will be answered, one line a step; the last step first.
  public func explain() -> String { queryResult.explain() }

  /// The number of objects, found without making any of them.
  public var count: Int { queryResult.count }

  /// Whether there is no object.
  public var isEmpty: Bool { queryResult.firstValue() == nil }
}

extension Results: RealmCollection {
  /// What stands behind the results.
  public var handle: CollectionHandle { CollectionHandle(queryResult) }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { count }

  /// The object at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    guard (0..<queryResult.loadedCount).contains(index) else {
      Misuse.stop("Index \(index) is out of bounds (must be less than \(count)).")
    }
    return StoredElement.make(queryResult.value(at: index), queryResult.context(at: index))
  }

  /// Goes through the objects that are there now, whatever changes on the way; those deleted on the
  /// way come as invalidated objects.
  public func makeIterator() -> AnyIterator<Element> {
    if let objects = queryResult.objects(Element.self) { return objects }
    var values = queryResult.values().enumerated().makeIterator()
    return AnyIterator {
      values.next().map { StoredElement.make($0.element, queryResult.context(at: $0.offset)) }
    }
  }

  /// Equal when they ask the same question of the same Realm.
  public static func == (first: Results, second: Results) -> Bool {
    first.queryResult.isSame(as: second.queryResult)
  }
}
