import CadastreModel

/// The difference between the stored schema and another one.
///
/// A property is identified by the name of its column; its name in Swift may change.
struct SchemaChange {
  /// Classes that the stored schema lacks.
  var newClasses: [ObjectSchema] = []
  /// Classes in which only indexes, order or Swift names differ.
  var reindexedClasses: [ObjectSchema] = []
  /// Differences that require a migration, one sentence each.
  var conflicts: [String] = []

  /// Whether classes or indexes must be added.
  var isNeeded: Bool { !newClasses.isEmpty || !reindexedClasses.isEmpty }

  /// Compares schemas; stored classes that `wanted` lacks do not count.
  init(from stored: Schema, to wanted: Schema) {
    for target in wanted.objectSchema {
      guard let current = stored[target.className] else {
        newClasses.append(target)
        continue
      }
      let differences = Self.differences(from: current, to: target)
      conflicts += differences
      // Computed properties, such as linking objects, are not stored.
      let hasOtherIndexes = Set(current.compoundIndexes) != Set(target.compoundIndexes)
      if differences.isEmpty, current.properties != target.properties || hasOtherIndexes {
        reindexedClasses.append(target)
      }
    }
  }

  private static func differences(from stored: ObjectSchema, to wanted: ObjectSchema) -> [String] {
    let name = wanted.className
    var differences: [String] = []
    if stored.isEmbedded != wanted.isEmbedded {
      differences.append(
        "Class '\(name)' has been made \(wanted.isEmbedded ? "embedded" : "top-level").")
    }
    for property in wanted.properties where stored.property(inColumn: property.columnName) == nil {
      if let previous = renamed(property, stored, wanted) {
        differences.append(
          "The column of property '\(name).\(property.name)' has been renamed from "
            + "'\(previous.columnName)' to '\(property.columnName)'.")
      } else {
        differences.append(
          "Property '\(name).\(property.name)' has been added. The program has "
            + "'\(property.typeInWords)', the file nothing.")
      }
    }
    for property in stored.properties {
      if let target = wanted.property(inColumn: property.columnName) {
        differences += Self.differences(from: property, to: target, of: name)
      } else if !wanted.properties.contains(where: { renamed($0, stored, wanted) == property }) {
        differences.append(
          "Property '\(name).\(property.name)' has been removed. The file has "
            + "'\(property.typeInWords)', the program nothing.")
      }
    }
    return differences
  }

  /// Returns the stored property with the same name and another column, if the new class lacks that column.
  private static func renamed(
    _ property: Property, _ stored: ObjectSchema, _ wanted: ObjectSchema
  ) -> Property? {
    guard stored.property(inColumn: property.columnName) == nil,
      let previous = stored[property.name],
      wanted.property(inColumn: previous.columnName) == nil
    else { return nil }
    return previous
  }

  private static func differences(
    from stored: Property, to wanted: Property, of className: String
  ) -> [String] {
    let name = "'\(className).\(wanted.name)'"
    if stored.typeDescription != wanted.typeDescription {
      return [
        "Property \(name) has been changed from '\(stored.typeDescription)' to "
          + "'\(wanted.typeDescription)'."
      ]
    }
    var differences: [String] = []
    if stored.isOptional != wanted.isOptional {
      differences.append(
        "Property \(name) has been made \(wanted.isOptional ? "optional" : "required").")
    }
    if stored.isPrimaryKey != wanted.isPrimaryKey {
      differences.append(
        "Primary key property \(name) has been \(wanted.isPrimaryKey ? "added" : "removed").")
    }
    return differences
  }
}
