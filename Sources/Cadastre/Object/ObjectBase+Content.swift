import CadastreModel

extension ObjectBase {
  /// The content of a property of an object, managed or not; nil where there is no such property.
  func content(of name: String) -> PropertyContent? {
    field(named: name).map { $0.content(of: self) }
  }

  /// A property of the class of the object; nil where there is no such property.
  func field(named name: String) -> ClassInfo.Field? {
    let info = classInfo
    guard let index = info.schema.index(of: name), info.fields.indices.contains(index) else {
      return nil
    }
    return info.fields[index]
  }

  /// The content at the end of a path of names, the last of which may be measures of a geometry; nil
  /// behind a null link.
  func content(at names: [String]) -> PropertyContent? {
    guard let first = names.first, let content = content(of: first) else { return nil }
    guard names.count > 1 else { return content }
    if case .object(let object) = content { return object.content(at: Array(names.dropFirst())) }
    guard case .geometry? = content.value else { return nil }
    return names.dropFirst().reduce(content) { content, name in
      GeometryMeasure(rawValue: name).map { .value($0.value(of: content.value ?? .null)) }
        ?? .value(.null)
    }
  }
}
