import CadastreModel
public import CadastrePredicate
import CadastreStore
import Foundation

/// An object without its Swift class, accessed by the names of its properties.
///
///     for dog in realm.dynamicObjects("Dog") { print(dog["name"] as? String ?? "") }
///
/// Subscripts and dynamic members read and set properties by name. Reading returns the stored type, even if
/// the Swift class maps it; writing accepts both.
@dynamicMemberLookup
public final class DynamicObject: Object {
  /// Returns the dynamic object of the same row; nil for an unmanaged object.
  static func sameRow(as object: Object) -> DynamicObject? {
    object.position.map { $0.row.core.dynamicObject($0.row.table, $0.row.key) }
  }

  /// The value of a property by its name.
  public subscript(dynamicMember name: String) -> Any? {
    get { self[name] }
    set { self[name] = newValue }
  }

  /// Returns false: dynamic objects represent objects of other classes.
  public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ObjectBase {
  /// Sets a property of a dynamic object; returns false for a value that does not fit.
  func setDynamically(_ property: Int, to value: Any?) -> Bool {
    guard let row = position?.row else { return false }
    row.requireWrite(classInfo.name(of: property))
    guard !classInfo.isStoredOnly else {
      ProgrammingError.stop(
        "Objects of class '\(objectSchema.className)' can only be read: add the class to objectTypes of "
          + "Realm.Configuration.")
    }
    if let stored = classInfo.storedValue(value, property) {
      setStoredValue(stored, property)
      return true
    }
    var value = value
    if let migrating = row.core as? MigratingCore {
      value = migrating.inNewStore(value)
      if let object = self as? DynamicObject,
        migrating.setLink(property, of: object, to: value)
      {
        return true
      }
    }
    guard let typed = typedInstance else { return false }
    classInfo.set(property, of: typed, to: value)
    return true
  }

  /// An instance of the Swift class for the same row; nil for an unmanaged object.
  var typedInstance: ObjectBase? {
    position.map { classInfo.makeInstance(of: classInfo.type, at: $0) }
  }
}

extension ObjectBase {
  /// Returns the value of a property in its stored type; nil for null.
  func dynamicValue(_ property: Int) -> Any? {
    guard let position else {
      return classInfo.fields[property].value(of: self)
    }
    let description = classInfo.schema.properties[property]
    if let collection = description.collection {
      if !(self is DynamicObject), !classInfo.fields[property].property.hasMappedElements {
        return classInfo.fields[property].swiftValue(of: self)
      }
      return StoredPropertyType(description, isDynamic: self is DynamicObject)
        .collection(collection, elementSource(property))
    }
    switch description.type {
    case .object: return linkedObject(property)
    case .any: return AnyRealmValue.read(from: self, property: property).dynamicValue
    case .int where !(self is DynamicObject):
      return classInfo.fields[property].property.integer(position.value(property))
    default: return position.value(property).dynamicValue
    }
  }
}

/// The Swift type of a stored property.
struct StoredPropertyType {
  private typealias Maker = (CollectionKind, any ElementSource) -> Any?
  private let make: Maker

  /// Creates the Swift type of a property's values or elements; objects are dynamic.
  init(_ property: Property, isDynamic: Bool) {
    let isOptional = property.isOptional
    make =
      switch property.type {
      case .int: Self.maker(Int.self, isOptional)
      case .bool: Self.maker(Bool.self, isOptional)
      case .string: Self.maker(String.self, isOptional)
      case .data: Self.maker(Data.self, isOptional)
      case .date: Self.maker(Date.self, isOptional)
      case .float: Self.maker(Float.self, isOptional)
      case .double: Self.maker(Double.self, isOptional)
      case .objectId: Self.maker(ObjectId.self, isOptional)
      case .decimal128: Self.maker(Decimal128.self, isOptional)
      case .UUID: Self.maker(UUID.self, isOptional)
      case .geometry: Self.maker(Geometry.self, isOptional)
      case .any: Self.collection(of: AnyRealmValue.self)
      case .object, .linkingObjects: Self.maker(DynamicObject.self, isOptional)
      }
  }

  private static func maker<Element: RealmCollectionValue & OptionalPersistable>(
    _ type: Element.Type, _ isOptional: Bool
  ) -> Maker {
    isOptional ? collection(of: Element?.self) : collection(of: type)
  }

  private static func collection<Element: RealmCollectionValue>(
    of type: Element.Type
  ) -> Maker {
    { kind, source in
      switch kind {
      case .list: (source as? any MutableElementSource).map { List<Element>($0) }
      case .set: (source as? StoredSet).map { MutableSet<Element>($0) }
      case .map: (source as? any MapSource).map { Map<String, Element>($0) }
      }
    }
  }

  /// Returns a collection of the property's element type.
  func collection(_ kind: CollectionKind, _ source: (any ElementSource)?) -> Any? {
    source.flatMap { make(kind, $0) }
  }
}

extension ObjectBase {
  /// Returns a list property by its name, with dynamic objects.
  ///
  /// Another name, or an unmanaged object, stops the process; for names from outside see
  /// ``dynamicList(checking:)``.
  public func dynamicList(_ propertyName: String) -> List<DynamicObject> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try dynamicList(checking: propertyName)
    }
  }

  /// Returns a set property by its name, with dynamic objects.
  ///
  /// Another name, or an unmanaged object, stops the process; for names from outside see
  /// ``dynamicMutableSet(checking:)``.
  public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try dynamicMutableSet(checking: propertyName)
    }
  }

  /// Returns a map property by its name, with dynamic objects.
  ///
  /// Another name, or an unmanaged object, stops the process; for names from outside see
  /// ``dynamicMap(checking:)``.
  public func dynamicMap<Key: MapKeyType>(_ propertyName: String) -> Map<Key, DynamicObject?> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try dynamicMap(checking: propertyName)
    }
  }

  /// Returns a list of objects; the name of the property may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` if the class has no collection of objects of this kind with
  ///   the name.
  public func dynamicList(
    checking propertyName: String
  ) throws(QueryPredicateError) -> List<DynamicObject> {
    guard let source = dynamicSource(propertyName, .list) as? any MutableElementSource else {
      throw unknownCollection(propertyName, "list")
    }
    return List(source)
  }

  /// Returns a set of objects; the name of the property may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` if the class has no collection of objects of this kind with
  ///   the name.
  public func dynamicMutableSet(
    checking propertyName: String
  ) throws(QueryPredicateError) -> MutableSet<DynamicObject> {
    guard let source = dynamicSource(propertyName, .set) as? StoredSet else {
      throw unknownCollection(propertyName, "set")
    }
    return MutableSet(source)
  }

  /// Returns a map of objects; the name of the property may come from outside the program.
  ///
  /// - Throws: `QueryPredicateError` if the class has no collection of objects of this kind with
  ///   the name.
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
      .invalidQuery,
      "'\(objectSchema.className)' has no \(kind) of objects called '\(name)'; a collection of values is read as "
        + "object[\"\(name)\"]")
  }
}
