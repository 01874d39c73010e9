public import CadastreGeometry
import CadastreModel
import CadastrePlanner
public import CadastrePredicate
import CadastreStore

/// A question whose answer is read when it is needed, and again when the Realm has changed.
///
/// Membership follows the Realm; `for … in` goes through the objects that were there at its start.
/// Without a sort, objects come in the order in which they were added.
public struct Results<Element: Object> {
  private let answer: Answer
  private let elementType: Element.Type

  init(_ core: RealmCore, _ type: Element.Type) {
    elementType = type
    answer = Answer(core, type, ObjectQuery(core.table(type).info.schema.className))
  }

  private init(_ results: Results, _ query: ObjectQuery) {
    elementType = results.elementType
    answer = Answer(results.answer.core, results.elementType, query)
  }

  /// The Realm that is asked.
  public var realm: Realm? { Realm(core: answer.core) }

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
    var query = answer.query
    for reference in predicate.objectReferences where reference.store != nil {
      guard reference.store == answer.core.file.path else {
        Misuse.stop("Object must be from the Realm being queried: '\(reference.className)' is not.")
      }
    }
    var added = ObjectQuery(query.className, where: predicate)
    added = try QuerySession.bound(added, to: answer.core.schema)
    guard query.limit == nil, query.offset == 0 else {
      throw QueryPredicateError(.invalidQuery, "filter before limit, not after it")
    }
    query.predicate =
      query.predicate == .constant(true)
      ? added.predicate : .all(query.predicate.conjuncts + added.predicate.conjuncts)
    return Results(self, query)
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

  private func reordered(_ keys: [SortKey]) -> Results {
    var query = answer.query
    guard query.limit == nil, query.offset == 0 else {
      Misuse.stop("Cannot sort after limit(_:offset:): sort first.")
    }
    query.order = keys + query.order
    do {
      return Results(self, try QuerySession.bound(query, to: answer.core.schema))
    } catch {
      Misuse.stop("\(error)")
    }
  }

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
    var query = answer.query
    query.offset += offset
    query.limit = Swift.min(query.limit.map { Swift.max(0, $0 - offset) } ?? count, count)
    return Results(self, query)
  }

  // MARK: Plans

  /// How the question will be answered, one line a step; the last step first.
  public func explain() -> String {
    Misuse.orStop { try QuerySession(answer.core.reader).explain(answer.query) }
  }

  // MARK: Objects

  /// The number of objects, found without making any of them.
  public var count: Int { answer.count }

  /// Whether there is no object.
  public var isEmpty: Bool { answer.isEmpty }

  /// The first object; nil when there is none.
  public var first: Element? { answer.firstKey.flatMap(element) }

  /// The last object; nil when there is none.
  public var last: Element? { keys.last.flatMap(element) }

  var keys: [Int64] { answer.keys }

  private func element(_ key: Int64) -> Element? {
    answer.core.object(elementType, ObjectKey(key)) as? Element
  }
}

extension Results: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { count }

  /// The object at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    let keys = keys
    guard keys.indices.contains(index), let element = element(keys[index]) else {
      Misuse.stop("Index \(index) is out of bounds (must be less than \(keys.count)).")
    }
    return element
  }

  /// Goes through the objects that are there now, whatever changes on the way; those deleted on the
  /// way come as invalidated objects.
  public func makeIterator() -> AnyIterator<Element> {
    var keys = keys.makeIterator()
    return AnyIterator { keys.next().flatMap(element) }
  }
}

extension Results: CustomStringConvertible {
  /// The objects, a hundred at most.
  public var description: String {
    let shown = prefix(100).enumerated().map { "\t[\($0)] \($1)" }
    let rest = count > 100 ? ["\t… \(count - 100) objects skipped."] : []
    return (["Results<\(elementType.className())> ("] + shown + rest + [")"])
      .joined(separator: "\n")
  }
}
