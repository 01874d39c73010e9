import CadastreGeometry
import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation

/// An object and all it holds, wherever a store keeps it: embedded objects and those it links to alike.
indirect enum Node: Hashable {
  case value(Value)
  case list([Node])
  case set(Set<Node>)
  case map([String: Node])
  /// The members, by column.
  case object([String: Node])

  // MARK: In a store

  /// The members as a plain object; objects that they link to are added first.
  static func plain(
    _ members: [String: Node], _ className: String, _ transaction: WriteTransaction
  ) throws -> PlainObject {
    var object: PlainObject = [:]
    let classes = transaction.catalogue.schema
    for property in classes[className]?.properties ?? [] {
      guard let node = members[property.columnName] else { continue }
      object[property.name] = try member(node, property, transaction)
    }
    return object
  }

  private static func member(
    _ node: Node, _ property: Property, _ transaction: WriteTransaction
  ) throws -> Member {
    let target = property.objectClassName ?? ""
    let isEmbedded = transaction.catalogue.schema[target]?.isEmbedded == true
    switch node {
    case .value(let value): return .value(value)
    case .object(let members):
      let inner = try plain(members, target, transaction)
      return isEmbedded
        ? .embedded(inner) : .value(.link(try transaction.insert(target, object: inner)))
    case .list(let elements):
      guard property.type == .object else { return .list(elements.map(\.single)) }
      let objects = try elements.map { try plain($0.members, target, transaction) }
      guard !isEmbedded else { return .embeddedList(objects) }
      return .list(try objects.map { .link(try transaction.insert(target, object: $0)) })
    case .set(let elements): return .list(elements.map(\.single))
    case .map(let entries):
      guard property.type == .object else {
        return .map(ValueMap(entries.map { ($0.key, $0.value.single) }))
      }
      let there = entries.filter { $0.value != .value(.null) }
      let objects = try there.mapValues { try plain($0.members, target, transaction) }
      guard !isEmbedded else { return .embeddedMap(objects) }
      return .map(
        ValueMap(
          try objects.map { ($0.key, .link(try transaction.insert(target, object: $0.value))) }))
    }
  }

  private var single: Value { if case .value(let value) = self { value } else { .null } }
  private var members: [String: Node] {
    if case .object(let members) = self { members } else { [:] }
  }

  // MARK: In the next release

  /// What becomes of an object, by the rules alone.
  func migrated(
    _ className: String, from old: Schema, to new: Schema, renaming: [String: [String: String]]
  ) -> Node {
    guard case .object(let members) = self, let before = old[className], let after = new[className]
    else { return self }
    var migrated: [String: Node] = [:]
    for property in after.properties {
      let source = renaming[className]?[property.columnName] ?? property.columnName
      let stored = before.property(inColumn: source)
      if let stored, let node = members[source], stored.typeDescription == property.typeDescription
      {
        migrated[property.columnName] = node.adapted(property) {
          $0.migrated(property.objectClassName ?? "", from: old, to: new, renaming: renaming)
        }
      } else {
        migrated[property.columnName] = Self.first(property)
      }
    }
    return .object(migrated)
  }

  /// The node as a property takes it, where null may not be allowed.
  private func adapted(_ property: Property, _ inner: (Node) -> Node) -> Node {
    switch self {
    case .value(.null):
      property.isOptional || property.type == .object ? self : .value(Self.zero(property.type))
    case .value: self
    case .object: inner(self)
    case .list(let nodes): .list(nodes.map { $0.adapted(property, inner) })
    case .set(let nodes): .set(Set(nodes.map { $0.adapted(property, inner) }))
    case .map(let nodes): .map(nodes.mapValues { $0.adapted(property, inner) })
    }
  }

  private static func first(_ property: Property) -> Node {
    switch property.collection {
    case .list?: .list([])
    case .set?: .set([])
    case .map?: .map([:])
    case nil: .value(property.isOptional ? .null : zero(property.type))
    }
  }

  private static func zero(_ type: PropertyType) -> Value {
    switch type {
    case .int: .int(0)
    case .bool: .bool(false)
    case .string: .string("")
    case .data: .data(.init())
    case .date: .date(Timestamp(seconds: 0))
    case .float: .float(0)
    case .double: .double(0)
    case .objectId: .objectId(ObjectId(bytes: [UInt8](repeating: 0, count: 12)))
    case .UUID: .uuid(.init(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .decimal128: .decimal(0)
    case .geometry: .geometry(Geometry())
    case .any, .object, .linkingObjects: .null
    }
  }

  /// The node without entries that are null, which a map of objects does not keep apart from missing ones
  /// here.
  var withoutNullEntries: Node {
    switch self {
    case .value, .set: self
    case .list(let nodes): .list(nodes.map(\.withoutNullEntries))
    case .map(let nodes):
      .map(nodes.mapValues(\.withoutNullEntries).filter { $0.value != .value(.null) })
    case .object(let members): .object(members.mapValues(\.withoutNullEntries))
    }
  }
}
