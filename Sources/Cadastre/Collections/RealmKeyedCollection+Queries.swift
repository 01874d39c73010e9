public import CadastrePredicate

/// Queries of the values of managed maps, and aggregates of the values of all maps.
///
/// The values are in the order of their keys; nulls in a map of objects are omitted.
extension RealmKeyedCollection {
  /// The values as results; an unmanaged map stops the process.
  private var results: Results<Value> {
    guard let source = handle.source else {
      ProgrammingError.stop(
        "This method may only be called on maps retrieved from a Realm: add the object that has the map "
          + "first.")
    }
    return Results(QueryResult(source))
  }

  /// The values, for aggregates of managed and unmanaged maps.
  private var aggregated: AnyRealmCollection<Value> {
    guard handle.source == nil else { return AnyRealmCollection(results) }
    let list = List<Value>()
    list.append(objectsIn: values)
    return AnyRealmCollection(list)
  }

  /// Returns the objects in the map that match a predicate.
  ///
  /// A predicate with a syntax error, or one that does not fit the schema, stops the process; for text from
  /// outside see ``filter(parsing:arguments:)``.
  public func filter(_ format: String, _ arguments: Any?...) -> Results<Value> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try filter(parsing: format, arguments: arguments)
    }
  }

  /// Returns the objects in the map that match a predicate text from outside the program.
  ///
  /// - Throws: `QueryPredicateError` with the position, the text at that position, and the expected text.
  public func filter(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.filter(parsing: text, arguments: arguments)
  }

  /// Returns the objects in the map that match a type-safe condition.
  public func `where`(_ condition: (Query<Value>) -> Query<Bool>) -> Results<Value> {
    results.where(condition)
  }

  /// Returns the objects in the map that match a type-safe condition with values from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for an invalid region, pattern or value.
  @_disfavoredOverload
  public func `where`(
    checking condition: (Query<Value>) -> Query<Bool>
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.where(checking: condition)
  }

  /// Returns the objects sorted by a property, which may be reached through to-one links.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
    results.sorted(byKeyPath: keyPath, ascending: ascending)
  }

  /// Returns the objects sorted by properties, the primary criterion first.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Value> {
    results.sorted(by: descriptors)
  }

  /// Returns the objects sorted by a property whose path may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func sorted(
    checking keyPath: String, ascending: Bool = true
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.sorted(checking: keyPath, ascending: ascending)
  }

  /// Returns the objects sorted by properties whose paths may come from outside the program, the primary
  /// criterion first.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func sorted(
    checking descriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.sorted(checking: descriptors)
  }

  /// Returns the values sorted.
  public func sorted(ascending: Bool = true) -> Results<Value> {
    results.sorted(ascending: ascending)
  }

  /// Returns the smallest value of a property; nil if there is none.
  public func min<Result: MinMaxType>(ofProperty property: String) -> Result? {
    aggregated.min(ofProperty: property)
  }

  /// Returns the largest value of a property; nil if there is none.
  public func max<Result: MinMaxType>(ofProperty property: String) -> Result? {
    aggregated.max(ofProperty: property)
  }

  /// Returns the sum of a property; zero for an empty collection.
  public func sum<Result: AddableType>(ofProperty property: String) -> Result {
    aggregated.sum(ofProperty: property)
  }

  /// Returns the average of a property; nil for an empty collection.
  public func average<Result: AddableType>(ofProperty property: String) -> Result? {
    aggregated.average(ofProperty: property)
  }

  /// Returns the smallest value of a property, whose name may come from outside the program; nil if there is
  /// none.
  ///
  /// - Throws: `QueryPredicateError` for a property without a minimum.
  public func min<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregated.min(checking: property)
  }

  /// Returns the largest value of a property, whose name may come from outside the program; nil if there is
  /// none.
  ///
  /// - Throws: `QueryPredicateError` for a property without a maximum.
  public func max<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregated.max(checking: property)
  }

  /// Returns the sum of a property, whose name may come from outside the program; zero for an empty
  /// collection.
  ///
  /// - Throws: `QueryPredicateError` for a property without a sum, and for a sum that the result type cannot
  ///   represent.
  public func sum<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result {
    try aggregated.sum(checking: property)
  }

  /// Returns the average of a property, whose name may come from outside the program; nil for an empty
  /// collection.
  ///
  /// - Throws: `QueryPredicateError` for a property without an average.
  public func average<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregated.average(checking: property)
  }
}

/// Sorts and aggregates of maps of objects by key paths.
extension RealmKeyedCollection where Value: OptionalObject, Value.Wrapped: KeypathSortable {
  /// Returns the objects sorted by a property, which may be reached through to-one links.
  public func sorted<Property: Persistable>(
    by keyPath: KeyPath<Value.Wrapped, Property>, ascending: Bool = true
  ) -> Results<Value> {
    sorted(byKeyPath: Value.Wrapped.propertyName(of: keyPath), ascending: ascending)
  }

  /// Returns the smallest value of a property; nil if there is none.
  public func min<Result: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, Result>) -> Result? {
    min(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }

  /// Returns the largest value of a property; nil if there is none.
  public func max<Result: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, Result>) -> Result? {
    max(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }

  /// Returns the sum of a property; zero for an empty collection.
  public func sum<Result: AddableType>(of keyPath: KeyPath<Value.Wrapped, Result>) -> Result {
    sum(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }

  /// Returns the average of a property; nil for an empty collection.
  public func average<Property: AddableType, Result: AddableType>(
    of keyPath: KeyPath<Value.Wrapped, Property>
  ) -> Result? {
    average(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }
}

extension RealmKeyedCollection where Value: MinMaxType {
  /// Returns the smallest value; nil if there is none.
  public func min() -> Value? { min(ofProperty: "self") }

  /// Returns the largest value; nil if there is none.
  public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: AddableType {
  /// Returns the sum of the values; zero for an empty collection.
  public func sum() -> Value { sum(ofProperty: "self") }

  /// Returns the average of the values; nil for an empty collection.
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}

/// Aggregates of mapped types, computed from their stored values.
extension RealmKeyedCollection where Value: MappedPersistable, Value.StoredType: MinMaxType {
  /// Returns the smallest value; nil if there is none.
  @_disfavoredOverload
  public func min() -> Value? { aggregated.min() }

  /// Returns the largest value; nil if there is none.
  @_disfavoredOverload
  public func max() -> Value? { aggregated.max() }
}

/// Aggregates of mapped types, computed from their stored values.
extension RealmKeyedCollection where Value: MappedPersistable, Value.StoredType: AddableType {
  /// Returns the mapped sum of the stored values, as `sum()` of a `RealmCollection`.
  @_disfavoredOverload
  public func sum() -> Value { aggregated.sum() }

  /// Returns the average of the stored values; nil for an empty collection.
  @_disfavoredOverload
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}
