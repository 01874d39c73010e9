import CadastreModel

/// What must be done so that a file can hold a given schema.
///
/// A property is what it was as long as its column is called the same: its name in Swift may change.
struct SchemaChange {
  /// Classes that the file does not know yet.
  var newClasses: [ObjectSchema] = []
  /// Classes of which only indexes, order and names in Swift differ.
  var reindexedClasses: [ObjectSchema] = []
  /// Differences that would need a migration, one sentence each.
  var conflicts: [String] = []

  var isNeeded: Bool { !newClasses.isEmpty || !reindexedClasses.isEmpty }

  /// Compares what is stored with what is wanted; classes that are only stored stay as they are.
  init(from stored: Schema, to wanted: Schema) {
    for target in wanted.objectSchema {
      guard let current = stored[target.className] else {
        newClasses.append(target)
        continue
      }
      let differences = Self.differences(from: current, to: target)
      conflicts += differences
      // What is worked out, such as linking objects, is not stored.
      if differences.isEmpty, current.properties != target.properties {
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

  /// The stored property of the same name that is kept in another column, which the program knows no more.
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
