import CadastreModel

/// The stored properties of a class that are persisted.
///
/// These are the properties marked `@Persisted`. In a class without such properties they are the plain
/// properties, see ``PlainProperty``.
struct DeclaredProperties {
  /// The properties, with their offsets in bytes from the start of an instance.
  private(set) var all: [(name: String, offset: Int, property: any PersistedProperty.Type)] = []
  /// Whether instances have only properties marked `@Persisted`.
  private(set) var areAllFields = true

  init(of type: ObjectBase.Type) {
    var plain = all
    ClassDiscovery.forEachField(of: type) { name, offset, fieldType in
      switch fieldType {
      case let property as any PlainProperty.Type:
        plain.append((name, offset, property))
        areAllFields = false
      case let property as any PersistedProperty.Type:
        // The storage of a wrapped property is named after the property, with an underscore before the name.
        all.append((String(name.dropFirst()), offset, property))
      default:
        if offset >= InstanceTemplate.baseSize { areAllFields = false }
      }
    }
    guard all.isEmpty else { return }
    let ignored = type.ignoredProperties()
    all = plain.filter { !ignored.contains($0.name) }
  }
}

/// The primary key and the indexes that a class declares by property names, without `@Persisted`.
struct PropertyDeclarations {
  let primaryKey: String?
  let indexed: [String]

  init(_ type: ObjectBase.Type) {
    let type = type as? Object.Type
    primaryKey = type?.primaryKey()
    indexed = type?.indexedProperties() ?? []
  }

  /// Stops the process if a name does not name a property.
  func check(_ properties: [Property], of type: ObjectBase.Type) {
    let names = Set(properties.map(\.name))
    if let primaryKey, !names.contains(primaryKey) {
      ProgrammingError.stop(
        "Primary key property '\(primaryKey)' does not exist on object '\(type.className())'.")
    }
    if let index = indexed.first(where: { !names.contains($0) }) {
      ProgrammingError.stop(
        "Indexed property '\(index)' does not exist on object '\(type.className())': see "
          + "indexedProperties().")
    }
  }
}
