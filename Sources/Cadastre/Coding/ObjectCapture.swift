import CadastreModel

/// Copies the values of objects and of the objects that they link to, up to a depth.
struct ObjectCapture {
  /// The maximum nesting level of objects.
  static let maximumNesting = 200

  /// The copies of managed objects so far, by row and remaining depth.
  private var copies: [Visit: EncodedObject] = [:]
  /// The nesting level of the current object.
  private var nesting = 0

  private struct Visit: Hashable {
    let row: ObjectCopies.Row
    let depth: Int
  }

  /// Copies an object, and the objects at most `depth` links away from it.
  mutating func object(_ object: ObjectBase, depth: Int) throws -> EncodedObject {
    guard object is Object, let row = object.position?.row else {
      return try members(of: object, depth: depth)
    }
    let visit = Visit(row: ObjectCopies.Row(row), depth: depth)
    if let copies = copies[visit] { return copies }
    let copy = try members(of: object, depth: depth)
    copies[visit] = copy
    return copy
  }

  private mutating func members(of object: ObjectBase, depth: Int) throws -> EncodedObject {
    guard nesting < Self.maximumNesting else {
      throw EncodingError.invalidValue(
        object.objectSchema.className,
        EncodingError.Context(
          codingPath: [],
          debugDescription: "objects are nested on more than \(Self.maximumNesting) levels: "
            + "use a smaller depth"))
    }
    nesting += 1
    defer { nesting -= 1 }
    let record = ObjectRecord(object)
    let schema = object.objectSchema
    var members: [EncodedObject.Member] = []
    members.reserveCapacity(schema.properties.count)
    for (index, property) in schema.properties.enumerated() {
      if depth <= 0, Self.isLinkWithoutKey(property, of: object) { continue }
      guard let content = record.content(at: index) else { continue }
      let copy = try self.content(content, depth: depth)
      members.append(EncodedObject.Member(name: property.name, content: copy))
    }
    if schema.isPointShaped { Self.normalizeType(&members) }
    return EncodedObject(members: members)
  }

  /// Copies the value of a property or an element.
  mutating func content(_ content: RowContent, depth: Int) throws -> EncodedContent {
    switch content {
    case .value(let value), .stored(let value): return .value(value)
    case .record(let record):
      guard let object = (record as? ObjectRecord)?.object else { return .null }
      return try linked(object, depth: depth)
    case .elements(let elements):
      return .elements(try elements.map { try self.content($0, depth: depth) })
    case .entries(let entries):
      var copies: [String: EncodedContent] = [:]
      for (key, content) in entries { copies[key] = try self.content(content, depth: depth) }
      return .entries(copies)
    }
  }

  /// Copies an embedded or a linked object; a link reduces the remaining depth by one.
  private mutating func linked(_ object: ObjectBase, depth: Int) throws -> EncodedContent {
    if object.objectSchema.isEmbedded { return .object(try self.object(object, depth: depth)) }
    if depth > 0 { return .object(try self.object(object, depth: depth - 1)) }
    guard let key = object.objectSchema.primaryKeyProperty,
      let value = ObjectRecord(object).content(of: key.name)
    else { return .null }
    return try content(value, depth: depth)
  }

  /// Returns whether a property links to objects without a primary key.
  private static func isLinkWithoutKey(_ property: Property, of object: ObjectBase) -> Bool {
    guard property.type == .object, let target = object.targetSchema(of: property) else {
      return false
    }
    return !target.isEmbedded && target.primaryKeyProperty == nil
  }

  /// Replaces the type of a point, which Cadastre accepts in any letter case, by the spelling of GeoJSON.
  private static func normalizeType(_ members: inout [EncodedObject.Member]) {
    let name = ObjectSchema.pointTypeName
    guard let index = members.firstIndex(where: { $0.name == name }),
      case .value(.string(let type)) = members[index].content,
      type.lowercased() == PointShape.typeName.lowercased()
    else { return }
    members[index] = EncodedObject.Member(
      name: name, content: .value(.string(PointShape.typeName)))
  }
}

extension ObjectBase {
  /// Returns the schema of the class that a property leads to; nil if it leads to none.
  fileprivate func targetSchema(of property: Property) -> ObjectSchema? {
    guard let name = property.objectClassName else { return nil }
    if let core = position?.row.core { return core.table(named: name)?.info.schema }
    return classInfo.target(of: property)?.schema
  }
}

extension ObjectCapture {
  /// Copies the projected values of an object.
  mutating func projection(
    _ projection: AnyObject, _ root: ObjectBase, depth: Int
  ) throws -> EncodedObject {
    var members: [EncodedObject.Member] = []
    for field in ProjectionInfo.fields(of: projection) {
      let copy = try content(Self.content(of: field.value(root)), depth: depth)
      members.append(EncodedObject.Member(name: field.label, content: copy))
    }
    return EncodedObject(members: members)
  }

  /// Returns the content of the value of a key path through properties.
  private static func content(of value: Any?) -> RowContent {
    switch value {
    case let collection as any ProjectedElements: .elements(collection.contents)
    case let objects as any RealmCollection: .elements(elements(of: objects))
    case let value as any Persistable: RowContent(unmanaged: DynamicValue.content(of: value))
    default: .null
    }
  }

  private static func elements(of collection: some RealmCollection) -> [RowContent] {
    var contents: [RowContent] = []
    for element in collection {
      contents.append(RowContent(unmanaged: DynamicValue.content(of: element)))
    }
    return contents
  }
}
