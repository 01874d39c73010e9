import CadastreModel
import Foundation

extension ObjectBase: CustomStringConvertible {
  /// The class and its properties, one per line, with linked objects up to five levels.
  public var description: String { ObjectDescription.text(of: self) }
}

/// Prints objects and collections in the format of Realm, without addresses.
enum ObjectDescription {
  /// The maximum number of followed links.
  private static let maximumDepth = 5
  /// The maximum number of printed elements of a collection.
  private static let maximumElements = 100

  /// Prints the class and the properties of an object.
  static func text(of object: ObjectBase, depth: Int = maximumDepth) -> String {
    let schema = object.objectSchema
    guard !object.isInvalidated else { return "\(schema.className) (invalidated)" }
    let lines = schema.properties.indices.map { index in
      let value = text(ofValue: object.dynamicValue(index), depth: depth)
      return "\t\(schema.properties[index].name) = \(indented(value));"
    }
    return (["\(schema.className) {"] + lines + ["}"]).joined(separator: "\n")
  }

  /// Prints at most 100 elements of a collection.
  static func text(
    of collection: some RandomAccessCollection, name: String, depth: Int = maximumDepth
  ) -> String {
    let lines = collection.prefix(maximumElements).enumerated().map { index, element in
      "\t[\(index)] " + indented(text(ofElement: element, depth: depth))
    }
    return text(lines, of: collection.count, name)
  }

  /// Prints at most 100 entries of a map.
  static func text(
    ofEntries entries: [(String, Any?)], name: String, depth: Int = maximumDepth
  ) -> String {
    let lines = entries.prefix(maximumElements).map { key, value in
      "\t[\(key)]: " + indented(text(ofElement: value, depth: depth))
    }
    return text(lines, of: entries.count, name)
  }

  private static func text(_ lines: [String], of count: Int, _ name: String) -> String {
    guard count > 0 else { return "\(name) ()" }
    let rest = count - lines.count
    let skipped = rest > 0 ? "\n\t... \(rest) objects skipped." : ""
    return "\(name) (\n" + lines.joined(separator: ",\n") + skipped + "\n)"
  }

  private static func text(ofElement element: Any?, depth: Int) -> String {
    guard let object = DynamicValue.object(element) else {
      return text(ofValue: DynamicValue.unwrapped(element), depth: depth)
    }
    return depth <= 1 ? "<Maximum depth exceeded>" : text(of: object, depth: depth - 1)
  }

  private static func text(ofValue value: Any?, depth: Int) -> String {
    switch value {
    case nil: "(null)"
    case let value where DynamicValue.object(value) != nil: text(ofElement: value, depth: depth)
    case let value as AnyRealmValue:
      value.object(Object.self).map { text(ofElement: $0, depth: depth) } ?? "\(value)"
    case let map as any DynamicMap:
      text(ofEntries: map.dynamicEntries, name: map.typeName, depth: depth)
    case let collection as any RealmCollection:
      text(of: collection, name: collection.typeName, depth: depth)
    case let data as Data: text(of: data)
    case .some(let value): "\(value)"
    }
  }

  /// Prints the first bytes and the number of bytes.
  private static func text(of data: Data) -> String {
    let bytes = data.prefix(24).map { String(format: "%02x", $0) }.joined()
    return "<\(bytes)\(data.count > 24 ? "..." : "")> — \(data.count) total bytes"
  }

  private static func indented(_ text: String) -> String {
    text.replacing("\n", with: "\n\t")
  }
}

extension RealmCollection {
  /// The type, as in `List<Dog>`.
  var typeName: String { "\("\(Self.self)".prefix { $0 != "<" })<\(Element.self)>" }

  /// At most 100 elements.
  public var description: String {
    isInvalidated
      ? "\(typeName) (invalidated)" : ObjectDescription.text(of: self, name: typeName)
  }
}

extension RealmKeyedCollection {
  /// At most 100 entries.
  public var description: String {
    let name = "Map<\(Key.self), \(Value.self)>"
    guard !isInvalidated else { return "\(name) (invalidated)" }
    return ObjectDescription.text(ofEntries: keys.map { ($0.mapKey, self[$0]) }, name: name)
  }
}

extension DynamicMap {
  /// The type, as in `Map<String, Int>`.
  fileprivate var typeName: String { "\(Self.self)" }
}
