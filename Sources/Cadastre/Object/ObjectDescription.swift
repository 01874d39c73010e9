import CadastreModel

extension ObjectBase: CustomStringConvertible {
  /// The class and its properties, one a line.
  public var description: String { ObjectDescription.text(of: self, depth: 0) }
}

/// Prints objects.
enum ObjectDescription {
  /// The largest number of links that are followed.
  private static let maximumDepth = 5
  /// Elements of a collection that are shown.
  private static let maximumElements = 100

  static func text(of object: ObjectBase, depth: Int) -> String {
    let schema = object.objectSchema
    guard !object.isInvalidated else { return "\(schema.className) (invalidated)" }
    let indent = String(repeating: "\t", count: depth + 1)
    let lines = schema.properties.indices.map { index in
      let value = text(ofValue: object.dynamicValue(index), depth: depth + 1)
      return "\(indent)\(schema.properties[index].name) = \(value);"
    }
    let end = String(repeating: "\t", count: depth) + "}"
    return (["\(schema.className) {"] + lines + [end]).joined(separator: "\n")
  }

  private static func text(ofValue value: Any?, depth: Int) -> String {
    switch value {
    case nil: "(null)"
    case let object as ObjectBase:
      depth > maximumDepth ? "<Maximum depth exceeded>" : text(of: object, depth: depth)
    case let value as AnyRealmValue:
      value.object(Object.self).map { text(ofValue: $0, depth: depth) } ?? "\(value)"
    case let map as any DynamicMap:
      text(
        map.dynamicEntries.map { key, value in
          "[\(key)]: \(text(ofValue: unwrapped(value), depth: depth + 1))"
        }, depth: depth)
    case let collection as any RealmCollection: text(of: collection, depth: depth)
    case .some(let value): "\(value)"
    }
  }

  private static func unwrapped(_ value: Any?) -> Any? {
    guard let value else { return nil }
    return (value as? any OptionalValue).map(\.unwrapped) ?? value
  }

  private static func text(of collection: some RealmCollection, depth: Int) -> String {
    let elements = collection.prefix(maximumElements).enumerated().map { index, element in
      "[\(index)] \(text(ofValue: unwrapped(element), depth: depth + 1))"
    }
    let hidden = collection.count - elements.count
    return text(elements + (hidden > 0 ? ["… \(hidden) objects skipped."] : []), depth: depth)
  }

  private static func text(_ lines: [String], depth: Int) -> String {
    guard !lines.isEmpty else { return "()" }
    let indent = String(repeating: "\t", count: depth + 1)
    let end = String(repeating: "\t", count: depth) + ")"
    return (["("] + lines.map { indent + $0 } + [end]).joined(separator: "\n")
  }
}
