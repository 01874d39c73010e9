import CadastreModel
import CadastreStore
import Foundation

extension ObjectBase {
  /// The stored value of a property without its Swift type; nil for null.
  func dynamicValue(_ property: Int) -> Any? {
    guard let position else {
      return classInfo.fields[property].value(of: self)
    }
    let description = classInfo.schema.properties[property]
    if let collection = description.collection {
      if !(self is DynamicObject), !classInfo.fields[property].property.hasMappedElements {
        return classInfo.fields[property].swiftValue(of: self)
      }
      return StoredType(description, isDynamic: self is DynamicObject)
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

  /// Where the elements of a collection property of a managed object are; nil before it is managed.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - isChecked: Whether a deleted object stops the process; else its collection is invalidated.
  /// - Returns: The source.
  func elementSource(_ property: Int, isChecked: Bool = true) -> (any ElementSource)? {
    position?.elementSource(property, isChecked: isChecked)
  }
}

extension ObjectPosition {
  /// The source of the elements of a collection property; nil for other properties.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - isChecked: Whether a deleted object stops the process.
  /// - Returns: The source.
  func elementSource(_ property: Int, isChecked: Bool = true) -> (any ElementSource)? {
    switch isChecked ? field(property) : fields[property] {
    case .collection(let layout):
      switch layout.kind {
      case .list: StoredList(self, layout)
      case .set: StoredSet(self, layout)
      case .map: StoredMap(self, layout)
      }
    case .pointCoordinates: PointCoordinates(self)
    case .scalar, .link, .owned, .embedded, .pointType: nil
    }
  }
}

/// A stored type as a type of Swift.
struct StoredType {
  private typealias Maker = (CollectionKind, any ElementSource) -> Any?
  private let make: Maker

  /// The type of a property's values or elements; objects without their Swift class if that is
  /// wanted.
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

  /// A collection of the property's element type.
  func collection(_ kind: CollectionKind, _ source: (any ElementSource)?) -> Any? {
    source.flatMap { make(kind, $0) }
  }
}

extension Value {
  /// The value as an application sees it without types; nil for null.
  var dynamicValue: Any? {
    switch self {
    case .null, .object, .list, .map: nil
    case .bool(let value): value
    case .int(let value): Int(value)
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value.date
    case .objectId(let value): value
    case .uuid(let value): value
    case .geometry(let value): value
    case .decimal(let value): value
    case .link(let key): key
    }
  }
}
