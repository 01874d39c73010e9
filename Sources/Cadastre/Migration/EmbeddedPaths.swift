import CadastreModel

/// The paths from classes with a table to embedded objects that are stored in their owners' rows.
struct EmbeddedPaths {
  private let schema: Schema

  init(_ schema: Schema) { self.schema = schema }

  /// The paths to the objects of a class: the owning class, and the columns.
  func leading(to className: String) -> [(owner: String, columns: [String])] {
    let apart = schema.embeddedClassesWithTable
    return schema.objectSchema.filter { !$0.isEmbedded || apart.contains($0.className) }
      .flatMap { owner in
        ways(from: owner, to: className).map { (owner.className, $0) }
      }
  }

  // Terminates because a class that contains itself is not stored in its owner's row.
  private func ways(from owner: ObjectSchema, to className: String) -> [[String]] {
    owner.properties.filter(schema.isInline).flatMap { property -> [[String]] in
      guard let target = schema.target(of: property) else { return [] }
      let further = ways(from: target, to: className).map { [property.columnName] + $0 }
      return (target.className == className ? [[property.columnName]] : []) + further
    }
  }
}

extension DynamicObject {
  /// The object at the end of some links, by their columns; nil where there is none.
  func embedded(at columns: [String]) -> DynamicObject? {
    var object = self
    for column in columns {
      guard
        let index = object.objectSchema.properties.firstIndex(where: { $0.columnName == column }),
        object.objectSchema.properties[index].type == .object,
        !object.objectSchema.properties[index].isCollection,
        let next = object.linkedObject(index) as? DynamicObject
      else { return nil }
      object = next
    }
    return object
  }
}
