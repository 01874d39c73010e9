import CadastreModel
public import CadastrePredicate
import CadastreQuery
public import Foundation

/// Queries of managed collections.
extension RealmCollection {
  /// The elements as the result of a query; an unmanaged collection stops the process.
  var queryResult: QueryResult {
    guard let source = handle.source else {
      ProgrammingError.stop(
        "This method may only be called on collections retrieved from a Realm: add the object that has "
          + "the collection first.")
    }
    if let result = source as? QueryResult { return result }
    if let links = source as? LinkSearch, links.hasObjectsWithoutRow,
      let type = Element.propertyShape.objectType
    {
      return QueryResult(EmbeddedLinks(links, type))
    }
    return QueryResult(source)
  }

  /// Returns the objects that match a predicate.
  ///
  ///     airports.filter("location GEOWITHIN %@ AND elevation > %@", circle, 300)
  ///
  /// A predicate with a syntax error, or one that does not fit the schema, stops the process; for text from
  /// outside see ``filter(parsing:arguments:)``.
  public func filter(_ format: String, _ arguments: Any?...) -> Results<Element> {
    Results(
      ProgrammingError.orStop { () throws(QueryPredicateError) in
        try queryResult.narrowed(parsing: format, arguments)
      })
  }

  /// Returns the objects that match a predicate text from outside the program.
  ///
  /// - Parameters:
  ///   - text: The predicate, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The matching objects, live.
  /// - Throws: `QueryPredicateError` with the position, the text at that position, and the expected text.
  public func filter(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Element> {
    Results(try queryResult.narrowed(parsing: text, arguments))
  }

  /// Returns the objects that match a predicate tree.
  ///
  /// - Throws: `QueryPredicateError` if the predicate does not fit the schema.
  public func filter(_ predicate: QueryPredicate) throws(QueryPredicateError) -> Results<Element> {
    Results(try queryResult.narrowed(predicate))
  }

  /// Returns the objects that match a type-safe condition.
  ///
  ///     airports.where { $0.country == "FR" && $0.location.geoWithin(circle) }
  public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    Results(
      ProgrammingError.orStop { () throws(QueryPredicateError) in
        try queryResult.narrowed(condition(Query()).predicate)
      })
  }

  /// Returns the objects that match a type-safe condition with values from outside the program.
  ///
  ///     let found = try airports.where(checking: { $0.location.geoWithin(region) })
  ///
  /// - Throws: `QueryPredicateError` for an invalid region, pattern or value.
  @_disfavoredOverload
  public func `where`(
    checking condition: (Query<Element>) -> Query<Bool>
  ) throws(QueryPredicateError) -> Results<Element> {
    Results(try queryResult.narrowed(condition(Query()).predicate))
  }

  // MARK: Order and number

  /// Returns the objects sorted by a property, which may be reached through to-one links.
  ///
  /// A path that does not fit the class stops the process; for text from outside see
  /// ``sorted(checking:ascending:)``.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Returns the objects sorted by properties, the primary criterion first; equal objects keep their order.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try sorted(checking: descriptors)
    }
  }

  /// Returns the objects sorted by a property whose path may come from outside the program.
  ///
  /// - Parameters:
  ///   - keyPath: The path to the property, names joined by dots.
  ///   - ascending: Whether the order is ascending.
  /// - Returns: The objects, live.
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func sorted(
    checking keyPath: String, ascending: Bool = true
  ) throws(QueryPredicateError) -> Results<Element> {
    try sorted(checking: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Returns the objects sorted by properties whose paths may come from outside the program, the primary
  /// criterion first.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func sorted(
    checking descriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> Results<Element> {
    Results(try queryResult.sorted(descriptors.map(\.sortKey)))
  }

  /// Returns the values sorted.
  public func sorted(ascending: Bool = true) -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      Results(
        try queryResult.sorted([SortKey(BoundPath.itself.path, isAscending: ascending)]))
    }
  }

  /// Returns the first object for each distinct combination of property values.
  ///
  /// Objects with a null link in a path are omitted; null at the end of a path is a value. A path that does
  /// not fit the class stops the process; for text from outside see ``distinct(checking:)``.
  public func distinct<Paths: Sequence>(by keyPaths: Paths) -> Results<Element>
  where Paths.Element == String {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try distinct(checking: keyPaths)
    }
  }

  /// Returns the first object for each distinct combination of property values; the paths may come from
  /// outside the program.
  ///
  /// Objects with a null link in a path are omitted; null at the end of a path is a value.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func distinct<Paths: Sequence>(
    checking keyPaths: Paths
  ) throws(QueryPredicateError) -> Results<Element> where Paths.Element == String {
    Results(try queryResult.distinct(keyPaths.map { PropertyPath($0) }))
  }

  /// Returns the distinct values.
  public func distinct() -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      Results(try queryResult.distinct([BoundPath.itself.path]))
    }
  }

  // MARK: Positions

  /// Returns the index of the first element that matches a predicate; nil if none does.
  ///
  /// The elements of an unmanaged collection are tested one by one. There, a path enters an object in a value of any type
  /// only if other properties also lead from the elements to objects of its class.
  ///
  /// A predicate with a syntax error, or one that does not fit the schema, stops the process; for text from
  /// outside see ``index(parsing:arguments:)``.
  public func index(matching format: String, _ arguments: Any?...) -> Int? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try index(parsing: format, arguments: arguments)
    }
  }

  /// Returns the index of the first element that matches a predicate text from outside the program.
  ///
  /// - Parameters:
  ///   - text: The predicate, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The index; nil if no element matches.
  /// - Throws: `QueryPredicateError` with the position, the text at that position, and the expected text.
  public func index(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Int? {
    let values = try PredicateArgument.arguments(arguments)
    do throws(QueryPredicateError) {
      return try index(matching: QueryPredicate(parsing: text, arguments: values))
    } catch {
      throw error.found(in: text)
    }
  }

  /// Returns the index of the first element that matches a type-safe condition; nil if none does.
  public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try index(checking: condition)
    }
  }

  /// Returns the index of the first element that matches a type-safe condition with values from outside the
  /// program; nil if none does.
  ///
  /// - Throws: `QueryPredicateError` for an invalid region, pattern or value.
  @_disfavoredOverload
  public func index(
    checking condition: (Query<Element>) -> Query<Bool>
  ) throws(QueryPredicateError) -> Int? {
    try index(matching: condition(Query()).predicate)
  }

  private func index(matching predicate: QueryPredicate) throws(QueryPredicateError) -> Int? {
    guard handle.source != nil else { return try unmanagedIndex(matching: predicate) }
    let queryResult = queryResult
    if let embedded = queryResult.embedded {
      let found = try embedded.adding(.filter(predicate)).objects.first?.position
      return found.flatMap { found in
        embedded.objects.firstIndex { $0.position?.isSameObject(as: found) == true }
      }
    }
    return try queryResult.narrowed(predicate).firstValue().flatMap(index(ofStored:))
  }

  /// Returns the index of an element; nil if the collection does not contain it.
  public func index(of element: Element) -> Int? {
    switch Element.content(of: element) {
    case .value(let value):
      guard handle.source == nil else { return index(ofStored: value) }
      return firstIndex { Element.content(of: $0).value?.isSame(as: value) == true }
    case _ where handle.source == nil: return firstIndex { $0 == element }
    case .object(let object):
      guard let source = handle.source, let position = object.position,
        position.row.core === source.core
      else { return nil }
      if (source as? LinkSearch)?.hasObjectsWithoutRow == true
        || (source as? QueryResult)?.embedded != nil
      {
        return firstIndex { ($0 as? ObjectBase)?.position?.isSameObject(as: position) == true }
      }
      let row = position.row
      // In a collection of values of any type, a link includes the class name.
      return index(ofStored: source.table == nil ? .object(row.address) : .link(row.key))
    case .elements, .entries: return firstIndex { $0 == element }
    }
  }

  private func index(ofStored value: Value) -> Int? {
    handle.source?.values().firstIndex { $0.isSame(as: value) }
  }

  /// Returns the elements at indexes, in ascending order of the indexes.
  public func objects(at indexes: IndexSet) -> [Element] {
    guard indexes.last.map({ $0 < count }) ?? true else {
      ProgrammingError.stop("Indexes for collection are out of bounds: \(indexes.map(\.self)).")
    }
    return indexes.map { self[$0] }
  }
}

extension RealmCollection where Element: KeypathSortable {
  /// Returns the objects sorted by a property, which may be reached through to-one links.
  public func sorted<Value: Persistable>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> {
    sorted(byKeyPath: Element.propertyName(of: keyPath), ascending: ascending)
  }

  /// Returns the first object for each distinct combination of property values.
  ///
  /// Objects with a null link in a path are omitted; null at the end of a path is a value.
  public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
    distinct(by: keyPaths.map { Element.propertyName(of: $0) })
  }
}

extension RealmCollection {
  /// Returns the result of a query text: a predicate followed by SORT, DISTINCT and LIMIT.
  ///
  ///     try airports.query(parsing: "elevation > %@ SORT(elevation DESC) LIMIT(10)", arguments: [300])
  ///
  /// The steps run in the order of the text; the last of several adjacent sorts is the primary criterion. The
  /// text may come from outside the program: it cannot stop the process.
  ///
  /// - Parameters:
  ///   - text: The query, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The results, live.
  /// - Throws: `QueryPredicateError` with the position, the text at that position, and the expected text.
  public func query(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Element> {
    let queryText = try QueryText(
      parsing: text, arguments: PredicateArgument.arguments(arguments))
    do throws(QueryPredicateError) {
      return Results(try queryResult.narrowed(queryText))
    } catch {
      throw error.found(in: text)
    }
  }
}

extension RealmCollection {
  /// Returns the objects that match a predicate of Foundation.
  ///
  ///     try dogs.filter(#Predicate { $0.age > 3 && $0.name.starts(with: "F") })
  ///
  /// The predicate is translated and evaluated by the store: texts compare by their bytes, and no text
  /// contains the empty text. A comparison with a force-unwrapped nil is false.
  ///
  /// - Throws: `QueryPredicateError` with the name of an expression that cannot be translated.
  public func filter(
    _ predicate: Foundation.Predicate<Element>
  ) throws(QueryPredicateError) -> Results<Element> {
    Results(try queryResult.narrowed(PredicateTranslation.predicate(predicate)))
  }
}

extension RealmCollection {
  /// Returns the index of the first element of an unmanaged collection that matches a predicate.
  func unmanagedIndex(
    matching predicate: QueryPredicate
  ) throws(QueryPredicateError) -> Int? {
    guard let type = Element.propertyShape.objectType else {
      let rows = ValueRows(map { Element.content(of: $0) }, Element.propertyShape)
      return try rows.firstMatch(predicate, of: rows.schema, indices) { Int64($0) }
    }
    let info = ClassInfo.of(type)
    let rows = UnmanagedRows(info.unmanagedCatalogue)
    return try rows.firstMatch(predicate, of: info.schema, indices) { index in
      guard case .object(let object) = Element.content(of: self[index]) else { return nil }
      return rows.key(of: object, info.schema.className)
    }
  }
}
