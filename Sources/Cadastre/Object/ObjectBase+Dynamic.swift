import CadastreModel
import Foundation

extension ObjectBase {
  /// The value of a property without its Swift type: what is stored, nil for null.
  func dynamicValue(_ property: Int) -> Any? {
    guard let position else {
      return classInfo.fields[property].value(of: self)
    }
    let description = classInfo.schema.properties[property]
    if let collection = description.collection {
      return StoredType(description, isDynamic: self is DynamicObject)
        .collection(collection, elementSource(property))
    }
    switch description.type {
    case .object: return linkedObject(property)
    case .any: return AnyRealmValue.read(from: self, property: property)
    default: return position.value(property).dynamicValue
    }
  }

  /// Where the elements of a collection property of a managed object are; nil before it is managed.
  func elementSource(_ property: Int) -> (any ElementSource)? {
    guard let position else { return nil }
    switch position.field(property) {
    case .collection(let layout):
      return switch layout.kind {
      case .list: StoredList(position, layout)
      case .set: StoredSet(position, layout)
      case .map: StoredMap(position, layout)
      }
    case .pointCoordinates: return PointCoordinates(position)
    case .scalar, .link, .owned, .embedded, .pointType: return nil
    }
  }
}

/// A stored type as a type of Swift.
struct StoredType {
  private let type: any (Hashable & Persistable).Type

  /// The type of a property's values or elements; objects without their Swift class if that is wanted.
  init(_ property: Property, isDynamic: Bool) {
    let type: any (Hashable & Persistable & OptionalPersistable).Type =
      switch property.type {
      case .int: Int.self
      case .bool: Bool.self
      case .string: String.self
      case .data: Data.self
      case .date: Date.self
      case .float: Float.self
      case .double: Double.self
      case .objectId: ObjectId.self
      case .decimal128: Decimal128.self
      case .UUID: UUID.self
      case .object, .linkingObjects, .any: DynamicObject.self
      }
    if property.type == .any {
      self.type = AnyRealmValue.self
    } else {
      self.type = property.isOptional ? Self.optional(type) : type
    }
  }

  private static func optional<Wrapped: Hashable & Persistable & OptionalPersistable>(
    _ type: Wrapped.Type
  ) -> any (Hashable & Persistable).Type { Wrapped?.self }

  /// A collection of such elements.
  func collection(_ kind: CollectionKind, _ source: (any ElementSource)?) -> Any? {
    Self.collection(kind, source, type)
  }

  private static func collection<Element: RealmCollectionValue>(
    _ kind: CollectionKind, _ source: (any ElementSource)?, _ type: Element.Type
  ) -> Any? {
    switch kind {
    case .list: (source as? any MutableElementSource).map { List<Element>($0) }
    case .set: (source as? StoredSet).map { MutableSet<Element>($0) }
    case .map: (source as? any MapSource).map { Map<String, Element>($0) }
    }
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
    case .decimal(let value): value
    case .link(let key): key
    }
  }
}
