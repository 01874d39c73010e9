import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Paths, followed from an object one step and one object at a time.
extension ReferenceEvaluator {
  /// A node that a path reaches.
  enum Node {
    /// An object, and its class.
    case object(any PredicateSubject, ObjectSchema)
    /// A link or an embedded object that is null.
    case null
    /// A value behind a null link.
    case behindNull
    /// A single value, or one of any type.
    case value(Value)
    /// A collection of an object.
    case collection(any PredicateSubject, Property)
    /// A collection behind a null link, which reads as empty.
    case noCollection
  }

  func nodes(
    _ hops: some Sequence<BoundPath.Hop>, from subject: any PredicateSubject
  ) -> [Node] {
    follow(hops, [.object(subject, root)], subject, isToMany: false)
  }

  func follow(
    _ hops: some Sequence<BoundPath.Hop>, _ start: [Node], _ subject: any PredicateSubject,
    isToMany: Bool
  ) -> [Node] {
    var nodes = start
    var isToMany = isToMany
    for hop in hops {
      nodes = nodes.flatMap { next(hop, $0, subject, isToMany: isToMany) }
      if hop == .elements || hop == .keys { isToMany = true }
    }
    // Properties of objects in values of any type may be collections.
    return nodes.flatMap { node in
      if case .collection(let owner, let property) = node {
        return elements(of: property, owner)
      }
      return [node]
    }
  }

  /// The value of a node in a comparison.
  func value(of node: Node) -> Value {
    switch node {
    case .object(let subject, _): subject.identity
    case .value(let value): value
    case .null, .behindNull, .collection, .noCollection: .null
    }
  }

  private func next(
    _ hop: BoundPath.Hop, _ node: Node, _ subject: any PredicateSubject, isToMany: Bool
  ) -> [Node] {
    switch hop {
    case .property(let bound): follow(bound.property, from: node, isToMany: isToMany)
    case .elements: elements(of: node)
    case .element(let index): element(index, of: node)
    case .entry(let key): entry(key, of: node)
    case .keys: keys(of: node)
    case .member(let name): member(name, of: node, subject, isToMany: isToMany)
    case .incomingLinks:
      if case .object(let target, _) = node {
        [.value(.int(Int64(target.incomingLinkCount)))]
      } else {
        [.value(.int(0))]
      }
    case .count(let ofLink): count(of: node, ofLink: ofLink)
    case .length: [.value(Self.byteCount(value(of: node)) ?? .int(0))]
    case .measure(let measure): [.value(measure.value(of: value(of: node)))]
    case .type(let type):
      [.value(.string(type.map(Self.typeName) ?? Self.typeName(of: value(of: node))))]
    }
  }

  private func follow(_ property: Property, from node: Node, isToMany: Bool) -> [Node] {
    guard case .object(let subject, _) = node else {
      // A null link inside a collection adds nothing; elsewhere values behind it are null.
      if isToMany { return [] }
      return [property.isCollection ? .noCollection : .behindNull]
    }
    if property.isCollection { return [.collection(subject, property)] }
    guard property.type == .object else { return [.value(subject.value(of: property))] }
    return [object(subject.object(at: property), property)]
  }

  private func object(_ subject: (any PredicateSubject)?, _ property: Property) -> Node {
    guard let subject, let target = schema.target(of: property) else { return .null }
    return .object(subject, target)
  }

  private func elements(of node: Node) -> [Node] {
    switch node {
    case .collection(let subject, let property): elements(of: property, subject)
    case .value(.list(let values)): values.map(Node.value)
    case .value(.map(let map)): map.entries.map { .value($0.value) }
    case .value, .object, .null, .behindNull, .noCollection: []
    }
  }

  private func elements(of property: Property, _ subject: any PredicateSubject) -> [Node] {
    guard property.type == .object || property.type == .linkingObjects else {
      return subject.elements(of: property).map(Node.value)
    }
    return subject.objects(in: property).map { object($0, property) }
  }

  private func element(_ index: BoundPath.ListPosition, of node: Node) -> [Node] {
    if case .value(let value) = node {
      guard case .list = value else { return [] }
    }
    let elements = elements(of: node)
    switch index {
    case .index(let index): return elements.indices.contains(index) ? [elements[index]] : []
    case .first: return Array(elements.prefix(1))
    case .last: return Array(elements.suffix(1))
    }
  }

  private func entry(_ key: String, of node: Node) -> [Node] {
    switch node {
    case .collection(let subject, let property):
      let keys = subject.keys(of: property)
      guard let node = keys.firstIndex(where: { $0.utf8.elementsEqual(key.utf8) }) else {
        return [property.type == .object ? .null : .value(.null)]
      }
      return [elements(of: property, subject)[node]]
    case .value(.map(let map)): return map[key].map { [.value($0)] } ?? []
    case .noCollection: return [.null]
    case .value, .object, .null, .behindNull: return []
    }
  }

  private func keys(of node: Node) -> [Node] {
    switch node {
    case .collection(let subject, let property):
      subject.keys(of: property).map { .value(.string($0)) }
    case .value(.map(let map)): map.keys.map { .value(.string($0)) }
    case .value, .object, .null, .behindNull, .noCollection: []
    }
  }

  /// A step by name from a value of any type.
  private func member(
    _ name: String, of node: Node, _ subject: any PredicateSubject, isToMany: Bool
  ) -> [Node] {
    switch node {
    case .value(.map): return entry(name, of: node)
    case .value(.object(let address)):
      guard let target = schema[address.className], let found = subject.object(at: address),
        let property = target[name] ?? target.computedProperty(name)
      else { return [] }
      return follow(property, from: .object(found, target), isToMany: isToMany)
    case .object(_, let target):
      guard let property = target[name] ?? target.computedProperty(name) else { return [] }
      return follow(property, from: node, isToMany: isToMany)
    case .value(let value): return ValueMeasure.value(name, of: value).map { [.value($0)] } ?? []
    // Values behind a null link of such an object are null, as behind any other.
    case .null: return isToMany ? [] : [.null]
    case .collection, .behindNull, .noCollection: return []
    }
  }

  private func count(of node: Node, ofLink: Bool) -> [Node] {
    switch node {
    case .collection(let subject, let property):
      return [.value(.int(Int64(elements(of: property, subject).count)))]
    case .noCollection: return [.value(.int(0))]
    case .object: return [.value(.int(1))]
    case .null, .behindNull: return [.value(ofLink ? .int(0) : .null)]
    case .value(.list(let values)): return [.value(.int(Int64(values.count)))]
    case .value(.map(let map)): return [.value(.int(Int64(map.entries.count)))]
    case .value(.null): return [.value(.null)]
    case .value(let value): return Self.byteCount(value).map { [.value($0)] } ?? []
    }
  }

  /// The bytes of text or of data; nil for other values.
  private static func byteCount(_ value: Value) -> Value? {
    switch value {
    case .string(let text): .int(Int64(text.utf8.count))
    case .data(let data): .int(Int64(data.count))
    default: nil
    }
  }

  // MARK: Names of types

  /// The name of the type of a property, as `@type` gives it.
  private static func typeName(_ type: PropertyType) -> String {
    switch type {
    case .data: "binary"
    case .objectId: "objectid"
    case .decimal128: "decimal"
    case .UUID: "uuid"
    case .object, .linkingObjects: "link"
    case .any: "null"
    case .int, .bool, .string, .date, .float, .double, .geometry: type.description
    }
  }

  /// The name of the type of a value, as `@type` gives it.
  private static func typeName(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .list: "list"
    case .map: "dictionary"
    default: value.type.map(typeName) ?? ""
    }
  }
}
