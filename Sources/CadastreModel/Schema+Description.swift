/// Schemas, classes and properties as text in the shape of Realm.

import CadastreFormatting

extension Schema: CustomStringConvertible {
  /// All classes in the order of their names, with their properties.
  public var description: String {
    block("Schema", objectSchema.sorted { $0.className < $1.className }.map(\.description))
  }
}

extension ObjectSchema: CustomStringConvertible {
  /// The class, and its properties with all their attributes.
  public var description: String {
    block(
      className + (isEmbedded ? " (embedded)" : ""),
      (properties + computedProperties).map(\.description))
  }

  /// The class and its properties, one per line.
  package var summary: String {
    let head = "\(printable(className))\(isEmbedded ? " (embedded)" : "")"
    return ([head] + (properties + computedProperties).map { "  " + $0.summary })
      .joined(separator: "\n")
  }
}

extension Property: CustomStringConvertible {
  /// The name, and all attributes, one per line.
  public var description: String {
    var attributes = ["type = \(type)"]
    if type == .object || type == .linkingObjects {
      attributes.append("objectClassName = \(objectClassName ?? "(null)")")
      attributes.append("linkOriginPropertyName = \(linkOriginPropertyName ?? "(null)")")
    }
    attributes.append("columnName = \(columnName)")
    let flags = [
      ("indexed", isIndexed), ("isPrimary", isPrimaryKey), ("array", isArray), ("set", isSet),
      ("dictionary", isMap), ("optional", isOptional),
    ]
    attributes += flags.map { "\($0) = \($1 ? "YES" : "NO")" }
    return block(name, attributes.map { $0 + ";" })
  }
}

/// A head, and indented lines in braces.
private func block(_ head: String, _ members: [String]) -> String {
  let lines = members.map { "\t" + $0.split(separator: "\n").joined(separator: "\n\t") }
  return (["\(head) {"] + lines + ["}"]).joined(separator: "\n")
}
