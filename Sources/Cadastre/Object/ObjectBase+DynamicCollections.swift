import CadastreModel
public import CadastrePredicate

extension ObjectBase {
  /// A list of objects by its name, the objects without their Swift class.
  ///
  /// A name of something else, or an object that no Realm manages, stops the process; for names from
  /// outside see ``dynamicList(checking:)``.
  public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try dynamicList(checking: propertyName)
    }
  }

  /// A set of objects by its name, the objects without their Swift class.
  ///
  /// A name of something else, or an object that no Realm manages, stops the process; for names from
  /// outside see ``dynamicMutableSet(checking:)``.
  public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try dynamicMutableSet(checking: propertyName)
    }
  }

  /// A map to objects by its name, the objects without their Swift class.
  ///
  /// A name of something else, or an object that no Realm manages, stops the process; for names from
  /// outside see ``dynamicMap(checking:)``.
  public func dynamicMap<Key: MapKeyType>(_ propertyName: String) -> Map<Key, DynamicObject?> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try dynamicMap(checking: propertyName)
    }
  }

  /// Returns a list of objects by its name, which may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a name of something else.
  public func dynamicList(
    checking propertyName: String
  ) throws(QueryPredicateError) -> List<DynamicObject> {
    guard let source = dynamicSource(propertyName, .list) as? any MutableElementSource else {
      throw unknownCollection(propertyName, "list")
    }
    return List(source)
  }

  /// Returns a set of objects by its name, which may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a name of something else.
  public func dynamicMutableSet(
    checking propertyName: String
  ) throws(QueryPredicateError) -> MutableSet<DynamicObject> {
    guard let source = dynamicSource(propertyName, .set) as? StoredSet else {
      throw unknownCollection(propertyName, "set")
    }
    return MutableSet(source)
  }

  /// Returns a map to objects by its name, which may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a name of something else.
  public func dynamicMap<Key: MapKeyType>(
    checking propertyName: String
  ) throws(QueryPredicateError) -> Map<Key, DynamicObject?> {
    guard let source = dynamicSource(propertyName, .map) as? any MapSource else {
      throw unknownCollection(propertyName, "map")
    }
    return Map(source)
  }

  private func dynamicSource(_ name: String, _ kind: CollectionKind) -> (any ElementSource)? {
    let schema = objectSchema
    guard let index = schema.index(of: name), schema.properties[index].collection == kind,
      schema.properties[index].type == .object
    else { return nil }
    guard let position else {
      ProgrammingError.stop(
        "'\(schema.className).\(name)' can be read without its Swift class only once a Realm manages "
          + "the object.")
    }
    return position.elementSource(index)
  }

  private func unknownCollection(_ name: String, _ kind: String) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery, "'\(objectSchema.className)' has no \(kind) of objects called '\(name)'")
  }
}
