public import CadastrePredicate

/// What is asked of the values of a managed map becomes `Results` of them, which follow it.
extension RealmKeyedCollection {
  /// The values as results; a map that no Realm manages stops the process.
  private var results: Results<Value> {
    guard let source = handle.source else {
      Misuse.stop(
        "This method may only be called on maps retrieved from a Realm: add the object that has the map "
          + "first.")
    }
    return Results(Answer(source))
  }

  /// Those of the objects under the keys that match a predicate.
  ///
  /// A predicate that cannot be read, or does not fit the schema, stops the process; for text from
  /// outside see ``filter(parsing:arguments:)``.
  public func filter(_ format: String, _ arguments: Any?...) -> Results<Value> {
    do {
      return try filter(parsing: format, arguments: arguments)
    } catch {
      Misuse.stop("\(error)")
    }
  }

  /// Those of the objects under the keys that match a predicate from outside.
  ///
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  public func filter(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> Results<Value> {
    try results.filter(parsing: text, arguments: arguments)
  }

  /// Those of the objects under the keys for which a type-safe condition holds.
  public func `where`(_ condition: (Query<Value>) -> Query<Bool>) -> Results<Value> {
    results.where(condition)
  }
}
