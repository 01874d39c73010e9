public import CadastreGeometry
import CadastreModel
import CadastrePlanner
public import CadastrePredicate
import CadastreStore

/// A question whose answer is read when it is needed, and again when the Realm has changed.
///
/// Membership follows the Realm; `for … in` goes through the objects that were there at its start.
/// Without a sort, objects come in the order in which they were added.
public struct Results<Element: RealmCollectionValue> {
  let answer: Answer

  init(_ answer: Answer) { self.answer = answer }

  // MARK: Narrowing

  /// Those of the objects that match a predicate.
  ///
  ///     airports.filter("location GEOWITHIN %@ AND elevation > %@", circle, 300)
  ///
  /// A predicate that cannot be read, or does not fit the schema, stops the process; for text from
  /// outside see ``filter(parsing:arguments:)``.
  public func filter(_ format: String, _ arguments: Any?...) -> Results {
    do {
      return try filter(parsing: format, arguments: arguments)
    } catch {
      Misuse.stop("\(error)")
    }
  }

  /// Those of the objects that match a predicate from outside.
  ///
  /// - Parameters:
  ///   - text: The predicate, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The same question with one condition more.
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  public func filter(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results {
    var values: [PredicateArgument] = []
    for argument in arguments { values.append(try PredicateArgument(dynamic: argument)) }
    do throws(QueryPredicateError) {
      return try narrowed(QueryPredicate(parsing: text, arguments: values))
    } catch {
      throw error.found(in: text)
    }
  }

  /// Those of the objects that match a predicate tree.
  ///
  /// - Throws: ``QueryPredicateError`` where the predicate does not fit the schema.
  public func filter(_ predicate: QueryPredicate) throws(QueryPredicateError) -> Results {
    try narrowed(predicate)
  }

  /// Those of the objects for which a type-safe condition holds.
  ///
  ///     airports.where { $0.country == "FR" && $0.location.geoWithin(circle) }
  public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results {
    do {
      return try narrowed(condition(Query()).predicate)
    } catch {
      Misuse.stop("\(error)")
    }
  }

  private func narrowed(_ predicate: QueryPredicate) throws(QueryPredicateError) -> Results {
    try Results(answer.narrowed(predicate))
  }

  // MARK: Order and number

  /// The objects in the order of a property, which may lie behind to-one links.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// The objects in the order of a property.
  public func sorted<Value: Persistable>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results {
    sorted(byKeyPath: PropertyNames.name(of: keyPath), ascending: ascending)
  }

  /// The objects in the order of some properties, the first deciding first; among objects that are
  /// level, an earlier sort stays.
  public func sorted(by descriptors: [SortDescriptor]) -> Results {
    reordered(descriptors.map(\.sortKey))
  }

  private func reordered(_ keys: [SortKey]) -> Results { Results(answer.sorted(keys)) }

  /// The objects by their distance from a place, nearest first; those at no place come last.
  ///
  /// - Parameters:
  ///   - point: Where distances are measured from, on the sphere.
  ///   - keyPath: The embedded object in the shape of a GeoJSON point.
  /// - Returns: The same objects; with a limit, found through the spatial index.
  public func sorted<Point: EmbeddedObject>(
    byDistanceFrom point: GeoPoint, of keyPath: KeyPath<Element, Point?>
  ) -> Results {
    sorted(byDistanceFrom: point, path: PropertyPath([PropertyNames.name(of: keyPath)]))
  }

  /// The objects by their distance from a place, for a class with one property that is a place.
  public func sorted(byDistanceFrom point: GeoPoint) -> Results {
    let schema = answer.core.schema
    let places = schema[answer.query.className]?.properties.filter(schema.isPoint) ?? []
    guard let place = places.first, places.count == 1 else {
      Misuse.stop(
        "'\(answer.query.className)' has \(places.count) properties that are places: name one, as in "
          + "sorted(byDistanceFrom: point, of: \\.location).")
    }
    return sorted(byDistanceFrom: point, path: PropertyPath([place.name]))
  }

  /// The objects nearest to a place, nearest first.
  ///
  /// - Complexity: O(log n) an object through the spatial index, as long as most objects match.
  public func nearest(_ count: Int, to point: GeoPoint) -> Results {
    sorted(byDistanceFrom: point).limit(count)
  }

  private func sorted(byDistanceFrom point: GeoPoint, path: PropertyPath) -> Results {
    reordered([SortKey(distanceOf: path, from: point)])
  }

  /// At most `count` of the objects, without the first `offset`.
  public func limit(_ count: Int, offset: Int = 0) -> Results {
    guard count >= 0, offset >= 0 else {
      Misuse.stop("limit(_:offset:) takes no negative numbers, found \(count) and \(offset).")
    }
    return Results(
      answer.changed { query, _ in
        query.offset += offset
        query.limit = Swift.min(query.limit.map { Swift.max(0, $0 - offset) } ?? count, count)
      })
  }

  // MARK: Plans

  /// How the question will be answered, one line a step; the last step first.
  public func explain() -> String { answer.explain() }

  /// The number of objects, found without making any of them.
  public var count: Int { answer.count }

  /// Whether there is no object.
  public var isEmpty: Bool { answer.firstValue() == nil }
}

extension Results: RealmCollection {
  /// What stands behind the results.
  public var handle: CollectionHandle { CollectionHandle(answer) }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { count }

  /// The object at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    guard (0..<answer.values().count).contains(index) else {
      Misuse.stop("Index \(index) is out of bounds (must be less than \(count)).")
    }
    return Elements.make(answer.value(at: index), answer.context(at: index))
  }

  /// Goes through the objects that are there now, whatever changes on the way; those deleted on the
  /// way come as invalidated objects.
  public func makeIterator() -> AnyIterator<Element> {
    var values = answer.values().enumerated().makeIterator()
    return AnyIterator {
      values.next().map { Elements.make($0.element, answer.context(at: $0.offset)) }
    }
  }

  /// Equal when they ask the same question of the same Realm.
  public static func == (first: Results, second: Results) -> Bool {
    first.answer.isSame(as: second.answer)
  }
}
