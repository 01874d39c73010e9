import CadastreModel
import CadastrePlanner
public import CadastrePredicate
public import Foundation

/// Queries of managed collections, which return live `Results`.
extension RealmCollection {
  /// The elements as the result of a query; an unmanaged collection stops the process.
  var queryResult: QueryResult {
    guard let source = handle.source else {
      ProgrammingError.stop(
        "This method may only be called on collections retrieved from a Realm: add the object that has "
          + "the collection first.")
    }
    if let links = source as? LinkSearch, links.hasObjectsWithoutRow {
      ProgrammingError.stop(
        "LinkingObjects<\(Element.self)> cannot be filtered, sorted or summed up: these embedded "
          + "objects are stored in their owners, so query the owners instead.")
    }
    return (source as? QueryResult) ?? QueryResult(source)
  }

  /// Those of the objects that match a predicate.
  ///
  ///     airports.filter("location GEOWITHIN %@ AND elevation > %@", circle, 300)
  ///
  /// A predicate that cannot be read, or does not fit the schema, stops the process; for text from
  /// outside see ``filter(parsing:arguments:)``.
  public func filter(_ format: String, _ arguments: Any?...) -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try filter(parsing: format, arguments: arguments)
    }
  }

  /// Returns the objects that match a predicate text from outside the program.
  ///
  /// - Parameters:
  ///   - text: The predicate, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The matching objects, live.
  /// - Throws: `QueryPredicateError` that says where, what was found and what was expected.
  public func filter(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Element> {
    let values = try PredicateArgument.arguments(arguments)
    do throws(QueryPredicateError) {
      return Results(try queryResult.narrowed(parsing: text, values))
    } catch {
      throw error.found(in: text)
    }
  }

  /// Returns the objects that match a predicate tree.
  ///
  /// - Throws: `QueryPredicateError` where the predicate does not fit the schema.
  public func filter(_ predicate: QueryPredicate) throws(QueryPredicateError) -> Results<Element> {
    try narrowed(predicate)
  }

  /// Returns the objects that match a type-safe condition.
  ///
  ///     airports.where { $0.country == "FR" && $0.location.geoWithin(circle) }
  public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try narrowed(condition(Query()).predicate)
    }
  }

  /// Returns the objects that match a type-safe condition with values from outside the program.
  ///
  ///     let found = try airports.where(checking: { $0.location.geoWithin(region) })
  ///
  /// - Throws: `QueryPredicateError` for a region, a pattern or a value that a condition cannot have.
  @_disfavoredOverload
  public func `where`(
    checking condition: (Query<Element>) -> Query<Bool>
  ) throws(QueryPredicateError) -> Results<Element> {
    try narrowed(condition(Query()).predicate)
  }

  private func narrowed(_ predicate: QueryPredicate) throws(QueryPredicateError) -> Results<Element>
  {
    Results(try queryResult.narrowed(predicate))
  }

  // MARK: Order and number

  /// Returns the objects in the order of a property, which may be behind to-one links.
  ///
  /// A path that does not fit the class stops the process; for text from outside see
  /// ``sorted(checking:ascending:)``.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// Returns the objects in the order of some properties, the first criterion first; ties keep the
  /// order of an earlier sort.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try sorted(checking: descriptors)
    }
  }

  /// Returns the objects in the order of a property, whose path may come from outside the program.
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

  /// Returns the objects in the order of some properties, whose paths may come from outside the
  /// program; the first criterion is the first.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func sorted(
    checking descriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> Results<Element> {
    Results(try queryResult.sorted(descriptors.map(\.sortKey)))
  }

  /// The values in order.
  public func sorted(ascending: Bool = true) -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      Results(
        try queryResult.sorted([SortKey(BoundPath.itself.path, isAscending: ascending)]))
    }
  }

  /// Returns the first object of each combination of values of some properties.
  ///
  /// Objects behind a null link are left out; null at the end of a path is a value. A path that does
  /// not fit the class stops the process; for text from outside see ``distinct(checking:)``.
  public func distinct<Paths: Sequence>(by keyPaths: Paths) -> Results<Element>
  where Paths.Element == String {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try distinct(checking: keyPaths)
    }
  }

  /// Returns the first object of each combination of values of some properties, whose paths may come
  /// from outside the program.
  ///
  /// Objects behind a null link are left out; null at the end of a path is a value.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func distinct<Paths: Sequence>(
    checking keyPaths: Paths
  ) throws(QueryPredicateError) -> Results<Element> where Paths.Element == String {
    Results(try queryResult.distinct(keyPaths.map { PropertyPath($0) }))
  }

  /// The first of the values that are equal.
  public func distinct() -> Results<Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      Results(try queryResult.distinct([BoundPath.itself.path]))
    }
  }

  // MARK: Positions

  /// The index of the first element that matches a predicate; nil where none does.
  ///
  /// Of a collection that no Realm manages, each element is evaluated by itself.
  ///
  /// A predicate that cannot be read, or does not fit the schema, stops the process; for text from
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
  /// - Returns: The index; nil where no element matches.
  /// - Throws: `QueryPredicateError` that says where, what was found and what was expected.
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

  /// The index of the first element for which a type-safe condition holds; nil where there is none.
  public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try index(checking: condition)
    }
  }

  /// Returns the index of the first element for which a type-safe condition with values from outside
  /// the program holds; nil where there is none.
  ///
  /// - Throws: `QueryPredicateError` for a region, a pattern or a value that a condition cannot have.
  @_disfavoredOverload
  public func index(
    checking condition: (Query<Element>) -> Query<Bool>
  ) throws(QueryPredicateError) -> Int? {
    try index(matching: condition(Query()).predicate)
  }

  private func index(matching predicate: QueryPredicate) throws(QueryPredicateError) -> Int? {
    guard handle.source != nil else { return try unmanagedIndex(matching: predicate) }
    return try narrowed(predicate).queryResult.firstValue().flatMap(index(ofStored:))
  }

  /// The index of an element; nil where it is not among them.
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
      if (source as? LinkSearch)?.hasObjectsWithoutRow == true {
        return firstIndex { ($0 as? ObjectBase)?.position?.isSameObject(as: position) == true }
      }
      let row = position.row
      // Among values of any type a link names its class.
      return index(ofStored: source.table == nil ? .object(row.address) : .link(row.key))
    case .elements, .entries: return firstIndex { $0 == element }
    }
  }

  private func index(ofStored value: Value) -> Int? {
    handle.source?.values().firstIndex { $0.isSame(as: value) }
  }

  /// The elements at some indexes, in ascending order of these.
  public func objects(at indexes: IndexSet) -> [Element] {
    guard indexes.last.map({ $0 < count }) ?? true else {
      ProgrammingError.stop("Indexes for collection are out of bounds: \(indexes.map(\.self)).")
    }
    return indexes.map { self[$0] }
  }
}

extension RealmCollection where Element: KeypathSortable {
  /// Returns the objects in the order of a property, which may be behind to-one links.
  public func sorted<Value: Persistable>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> {
    sorted(byKeyPath: Element.propertyName(of: keyPath), ascending: ascending)
  }

  /// Returns the first object of each combination of values of some properties.
  ///
  /// Objects behind a null link are left out; null at the end of a path is a value.
  public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
    distinct(by: keyPaths.map { Element.propertyName(of: $0) })
  }
}

extension RealmCollection {
  /// Returns the objects of a query text: a predicate followed by SORT, DISTINCT and LIMIT.
  ///
  ///     try airports.query(parsing: "elevation > %@ SORT(elevation DESC) LIMIT(10)", arguments: [300])
  ///
  /// The steps are applied in the order in which they are written; of adjacent sorts the last one
  /// is the first criterion. The text may come from outside the program: it cannot stop the
  /// process.
  ///
  /// - Parameters:
  ///   - text: The query, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The results, live.
  /// - Throws: `QueryPredicateError` that says where, what was found and what was expected.
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
  /// The predicate is translated and runs in the store: texts compare by their bytes, and the empty
  /// text is contained in none. A comparison of a forced value is false where the value is nil.
  ///
  /// - Throws: `QueryPredicateError` that names an expression that has no translation.
  public func filter(
    _ predicate: Foundation.Predicate<Element>
  ) throws(QueryPredicateError) -> Results<Element> {
    try filter(PredicateTranslation.predicate(predicate))
  }
}

extension RealmCollection {
  /// The index of the first element of an unmanaged collection that matches a predicate.
  func unmanagedIndex(
    matching predicate: QueryPredicate
  ) throws(QueryPredicateError) -> Int? {
    guard let type = Element.propertyShape.objectType else {
      throw QueryPredicateError(
        .invalidQuery, "Querying is currently only implemented for arrays of Realm Objects")
    }
    let info = ClassInfo.of(type)
    let schema = Schema(info.reachableSchemas)
    let bound = try predicate.bound(to: schema, root: info.schema).named
    let evaluator = ReferenceEvaluator(schema: schema, root: info.schema)
    for (index, element) in enumerated() {
      guard case .object(let object) = Element.content(of: element) else { continue }
      if try evaluator.matches(UnmanagedSubject(object: object), bound) { return index }
    }
    return nil
  }
}

/// The adapter of an object in memory for the reference evaluator.
private struct UnmanagedSubject: PredicateSubject {
  let object: ObjectBase

  var identity: Value { object.position.map { .object($0.row.address) } ?? .bool(true) }

  func value(of property: Property) -> Value { object.content(of: property.name)?.value ?? .null }

  func object(at property: Property) -> (any PredicateSubject)? {
    guard case .object(let target) = object.content(of: property.name) else { return nil }
    return UnmanagedSubject(object: target)
  }

  func elements(of property: Property) -> [Value] { contents(of: property).compactMap(\.value) }

  func objects(in property: Property) -> [(any PredicateSubject)?] {
    contents(of: property).map { content in
      guard case .object(let object) = content else { return nil }
      return UnmanagedSubject(object: object)
    }
  }

  func keys(of property: Property) -> [String] {
    guard case .entries(let entries) = object.content(of: property.name) else { return [] }
    return entries.map(\.key).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func contents(of property: Property) -> [PropertyContent] {
    switch object.content(of: property.name) {
    case .elements(let elements): elements
    case .entries(let entries):
      entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.content)
    case .value, .object, nil: []
    }
  }
}
