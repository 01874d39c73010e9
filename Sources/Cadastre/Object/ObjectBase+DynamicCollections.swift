import CadastreModel

extension ObjectBase {
  /// A list of objects by its name, the objects without their Swift class.
  ///
  /// A name of something else, or an object that no Realm manages, stops the process.
  public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
    guard let source = dynamicSource(propertyName, .list) as? any MutableElementSource else {
      stopForKind(propertyName, "list")
    }
    return List(source)
  }

  /// A set of objects by its name, the objects without their Swift class.
  ///
  /// A name of something else, or an object that no Realm manages, stops the process.
  public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    guard let source = dynamicSource(propertyName, .set) as? StoredSet else {
      stopForKind(propertyName, "set")
    }
    return MutableSet(source)
  }

  /// A map to objects by its name, the objects without their Swift class.
  ///
  /// A name of something else, or an object that no Realm manages, stops the process.
  public func dynamicMap<Key: MapKeyType>(_ propertyName: String) -> Map<Key, DynamicObject?> {
    guard let source = dynamicSource(propertyName, .map) as? any MapSource else {
      stopForKind(propertyName, "map")
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

  private func stopForKind(_ name: String, _ kind: String) -> Never {
    ProgrammingError.stop("'\(objectSchema.className)' has no \(kind) of objects called '\(name)'.")
  }
}
