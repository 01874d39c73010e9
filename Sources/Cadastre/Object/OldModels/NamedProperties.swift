import CadastreModel

/// The options that a class declares for its properties by name, as old models do.
struct NamedProperties {
  let primaryKey: String?
  let indexed: [String]

  init(_ type: ObjectBase.Type) {
    let type = type as? Object.Type
    primaryKey = type?.primaryKey()
    indexed = type?.indexedProperties() ?? []
  }

  /// Stops the process where a name is that of no property.
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
