import CadastreModel

/// An object of a class that is known by its name only.
///
///     for dog in realm.dynamicObjects("Dog") { print(dog["name"] as? String ?? "") }
///
/// Properties are read and set by name, as subscripts or as members. Reading gives stored types,
/// also where the Swift class maps them to others; writing takes both.
@dynamicMemberLookup
public final class DynamicObject: Object {
  /// The object as one without its Swift class; nil where no Realm manages it.
  static func sameRow(as object: Object) -> DynamicObject? {
    object.position.map { $0.row.core.dynamicObject($0.row.table, $0.row.key) }
  }

  /// The value of a property by its name.
  public subscript(dynamicMember name: String) -> Any? {
    get { self[name] }
    set { self[name] = newValue }
  }

  /// Not part of schemas: it represents objects of other classes.
  public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ObjectBase {
  /// Sets a property of an object without its Swift class; false where the value does not fit.
  func setDynamically(_ property: Int, to value: Any?) -> Bool {
    guard let row = position?.row else { return false }
    row.requireWrite("\(objectSchema.className).\(objectSchema.properties[property].name)")
    guard !classInfo.isStoredOnly else {
      ProgrammingError.stop(
        "Objects of class '\(objectSchema.className)' can only be read: add the class to objectTypes of "
          + "Realm.Configuration.")
    }
    if let stored = classInfo.storedValue(value, property) {
      setStoredValue(stored, property)
      return true
    }
    let value = row.core.inNewStore(value)
    if let object = self as? DynamicObject,
      row.core.setLinkInMigration(property, of: object, to: value)
    {
      return true
    }
    guard let typed = typedInstance else { return false }
    classInfo.set(property, of: typed, to: value)
    return true
  }

  /// An instance of the Swift class for the same object; nil for an unmanaged object.
  var typedInstance: ObjectBase? {
    position.map { classInfo.makeInstance(of: classInfo.type, at: $0) }
  }
}
