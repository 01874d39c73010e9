import CadastreModel

/// The members of an object, managed or not.
struct ObjectRecord: RowRecord {
  let object: ObjectBase

  init(_ object: ObjectBase) { self.object = object }

  var names: [String] { object.classInfo.schema.properties.map(\.name) }
  var hasFixedNames: Bool { true }
  var kindName: String { "class '\(object.classInfo.schema.className)'" }

  /// Returns the content of a property, or of a path of names joined by dots.
  func content(of name: String) -> RowContent? {
    if let content = property(name) { return content }
    guard let dot = name.firstIndex(of: "."),
      let content = property(String(name[..<dot]))
    else { return nil }
    switch content {
    case .record(let record): return record.content(of: String(name[name.index(after: dot)...]))
    case .value(.null): return .null
    default: return nil
    }
  }

  private func property(_ name: String) -> RowContent? {
    object.classInfo.schema.index(of: name).flatMap(content(at:))
  }

  /// Returns the content of the property at an index of the schema.
  func content(at index: Int) -> RowContent? {
    let schema = object.classInfo.schema
    guard let position = object.position else {
      return object.content(of: schema.properties[index].name).map(RowContent.init(unmanaged:))
    }
    // Reads stored values without the Swift type of the property, which may not represent them.
    let property = schema.properties[index]
    if property.collection != nil {
      return object.elementSource(index).map(RowContent.init(elementsOf:)) ?? .elements([])
    }
    if property.type == .object {
      return object.linkedObject(index).map { .record(ObjectRecord($0)) } ?? .null
    }
    return RowContent(position.value(index), in: position.row.core)
  }
}

extension RowContent {
  /// The content of a managed collection.
  fileprivate init(elementsOf source: any ElementSource) {
    if let map = source as? any MapSource {
      self = .entries(
        map.entries().map {
          (key: $0.key, content: RowContent($0.value, in: map.context(forKey: $0.key)))
        })
    } else {
      let context = StoredContext(source.core, table: source.table)
      self = .elements(source.values().map { RowContent($0, in: context) })
    }
  }

  /// The content of a stored element.
  private init(_ value: Value, in context: StoredContext) {
    guard case .link(let key) = value else {
      self.init(value, in: context.core)
      return
    }
    let object = context.table.flatMap { context.core.object(ObjectBase.self, $0, key) }
    self = object.map { .record(ObjectRecord($0)) } ?? .null
  }

  /// The content of a property of an unmanaged object.
  init(unmanaged content: PropertyContent) {
    switch content {
    case .value(let value): self.init(value, in: nil)
    case .object(let object): self = .record(ObjectRecord(object))
    case .elements(let elements): self = .elements(elements.map(RowContent.init(unmanaged:)))
    case .entries(let entries):
      self = .entries(
        entries.map { (key: $0.key, content: RowContent(unmanaged: $0.content)) })
    }
  }
}
