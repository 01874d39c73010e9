public import CadastrePredicate

/// Queries of the values of managed maps, which return live `Results`, and aggregates of all maps.
///
/// The values are in the order of their keys; nulls in a map of objects are left out.
extension RealmKeyedCollection {
  /// The values as results; a map that no Realm manages stops the process.
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

  /// Those of the objects under the keys that match a predicate.
  ///
  /// A predicate that cannot be read, or does not fit the schema, stops the process; for text from
  /// outside see ``filter(parsing:arguments:)``.
  public func filter(_ format: String, _ arguments: Any?...) -> Results<Value> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try filter(parsing: format, arguments: arguments)
    }
  }

  /// Returns the objects in the map that match a predicate text from outside the program.
  ///
  /// - Throws: `QueryPredicateError` that says where, what was found and what was expected.
  public func filter(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.filter(parsing: text, arguments: arguments)
  }

  /// Those of the objects under the keys for which a type-safe condition holds.
  public func `where`(_ condition: (Query<Value>) -> Query<Bool>) -> Results<Value> {
    results.where(condition)
  }

  /// Returns the objects in the map for which a type-safe condition with values from outside the
  /// program holds.
  ///
  /// - Throws: `QueryPredicateError` for a region, a pattern or a value that a condition cannot have.
  @_disfavoredOverload
  public func `where`(
    checking condition: (Query<Value>) -> Query<Bool>
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.where(checking: condition)
  }

  /// The objects in the order of a property, which may lie behind to-one links.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
    results.sorted(byKeyPath: keyPath, ascending: ascending)
  }

  /// The objects in the order of some properties, the first deciding first.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Value> {
    results.sorted(by: descriptors)
  }

  /// Returns the objects in the order of a property, whose path may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func sorted(
    checking keyPath: String, ascending: Bool = true
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.sorted(checking: keyPath, ascending: ascending)
  }

  /// Returns the objects in the order of some properties, whose paths may come from outside the
  /// program; the first criterion is the first.
  ///
  /// - Throws: `QueryPredicateError` for a path that does not fit the class.
  public func sorted(
    checking descriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.sorted(checking: descriptors)
  }

  /// The values in order.
  public func sorted(ascending: Bool = true) -> Results<Value> {
    results.sorted(ascending: ascending)
  }

  /// The smallest value of a property; nil where there is none.
  public func min<Result: MinMaxType>(ofProperty property: String) -> Result? {
    aggregated.min(ofProperty: property)
  }

  /// The largest value of a property; nil where there is none.
  public func max<Result: MinMaxType>(ofProperty property: String) -> Result? {
    aggregated.max(ofProperty: property)
  }

  /// The sum of a property; zero of nothing.
  public func sum<Result: AddableType>(ofProperty property: String) -> Result {
    aggregated.sum(ofProperty: property)
  }

  /// The average of a property; nil of nothing.
  public func average<Result: AddableType>(ofProperty property: String) -> Result? {
    aggregated.average(ofProperty: property)
  }

  /// Returns the smallest value of a property, whose name may come from outside the program; nil where
  /// there is none.
  ///
  /// - Throws: `QueryPredicateError` for a property that has no smallest value.
  public func min<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregated.min(checking: property)
  }

  /// Returns the largest value of a property, whose name may come from outside the program; nil where
  /// there is none.
  ///
  /// - Throws: `QueryPredicateError` for a property that has no largest value.
  public func max<Result: MinMaxType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregated.max(checking: property)
  }

  /// Returns the sum of a property, whose name may come from outside the program; zero of nothing.
  ///
  /// - Throws: `QueryPredicateError` for a property that has no sum, and for a sum that does not fit the
  ///   result.
  public func sum<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result {
    try aggregated.sum(checking: property)
  }

  /// Returns the average of a property, whose name may come from outside the program; nil of nothing.
  ///
  /// - Throws: `QueryPredicateError` for a property that has no average.
  public func average<Result: AddableType>(
    checking property: String
  ) throws(QueryPredicateError) -> Result? {
    try aggregated.average(checking: property)
  }
}

/// Maps of objects, whose properties key paths name.
extension RealmKeyedCollection where Value: OptionalObject, Value.Wrapped: KeypathSortable {
  /// The objects in the order of a property, which may be behind to-one links.
  public func sorted<Property: Persistable>(
    by keyPath: KeyPath<Value.Wrapped, Property>, ascending: Bool = true
  ) -> Results<Value> {
    sorted(byKeyPath: Value.Wrapped.propertyName(of: keyPath), ascending: ascending)
  }

  /// The smallest value of a property; nil where there is none.
  public func min<Result: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, Result>) -> Result? {
    min(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }

  /// The largest value of a property; nil where there is none.
  public func max<Result: MinMaxType>(of keyPath: KeyPath<Value.Wrapped, Result>) -> Result? {
    max(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }

  /// The sum of a property; zero of nothing.
  public func sum<Result: AddableType>(of keyPath: KeyPath<Value.Wrapped, Result>) -> Result {
    sum(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }

  /// The average of a property; nil of nothing.
  public func average<Property: AddableType, Result: AddableType>(
    of keyPath: KeyPath<Value.Wrapped, Property>
  ) -> Result? {
    average(ofProperty: Value.Wrapped.propertyName(of: keyPath))
  }
}

extension RealmKeyedCollection where Value: MinMaxType {
  /// The smallest value; nil where there is none.
  public func min() -> Value? { min(ofProperty: "self") }

  /// The largest value; nil where there is none.
  public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: AddableType {
  /// The sum of the values; zero of nothing.
  public func sum() -> Value { sum(ofProperty: "self") }

  /// The average of the values; nil of nothing.
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}
