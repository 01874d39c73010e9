import CadastreModel
import CadastrePredicate
import CadastreStore

/// Traverses paths from object to object through collections, links in both directions, and values
/// of any type.
///
/// It reads a row, or a collection, at a time. Filters over the columns of a batch do the same for
/// the usual paths at far lower cost.
final class PathTraversal {
  let schema: Schema
  let rows: any RowProvider
  private var tables: [String: RowTable] = [:]
  /// The locations of links that are followed backwards, by the property of linking objects.
  private var locations: [Property: [LinkLocation]] = [:]

  init(_ schema: Schema, _ rows: any RowProvider) {
    self.schema = schema
    self.rows = rows
  }

  /// The nodes to which a path leads from an object; a collection at its end is entered only if it
  /// is part of a value of any type.
  func nodes(_ hops: some Sequence<BoundPath.Hop>, from start: PathNode) throws -> [PathNode] {
    try nodes(hops, from: [start], isToMany: false)
  }

  /// The nodes to which a path leads from several nodes, which may be elements of a collection.
  func nodes(
    _ hops: some Sequence<BoundPath.Hop>, from start: [PathNode], isToMany: Bool
  ) throws -> [PathNode] {
    var nodes = start
    var isToMany = isToMany
    for hop in hops {
      var next: [PathNode] = []
      for node in nodes { try take(hop, from: node, isToMany: isToMany, into: &next) }
      nodes = next
      if hop == .elements || hop == .keys { isToMany = true }
    }
    guard nodes.contains(where: \.isCollection) else { return nodes }
    return try nodes.flatMap { $0.isCollection ? try elements(of: $0) : [$0] }
  }

  /// An object of a class with a table; nil for a class without.
  func object(_ className: String, _ key: Int64) -> StoredObject? {
    table(className).map { StoredObject(table: $0, key: key) }
  }

  private func table(_ className: String) -> RowTable? {
    if let known = tables[className] { return known }
    guard let layout = rows.catalogue.layout(className) else { return nil }
    let table = RowTable(layout, rows)
    tables[className] = table
    return table
  }

  // MARK: Hops

  private func take(
    _ hop: BoundPath.Hop, from node: PathNode, isToMany: Bool, into nodes: inout [PathNode]
  ) throws {
    switch hop {
    case .property(let bound):
      if let next = try follow(
        bound.property, bound.index, from: node, isToMany: isToMany)
      {
        nodes.append(next)
      }
    case .elements: nodes += try elements(of: node)
    case .element(let index): nodes += try element(index, of: node)
    case .entry(let key): if let next = try entry(key, of: node) { nodes.append(next) }
    case .keys: nodes += try keys(of: node).map { .value(.string($0)) }
    case .member(let name):
      if let next = try member(name, of: node, isToMany: isToMany) { nodes.append(next) }
    case .incomingLinks:
      var count = 0
      if case .object(let object) = node, object.inner == nil {
        count = try rows.incomingLinkCount(
          object.table.layout.schema.className, object.key)
      }
      nodes.append(.value(.int(Int64(count))))
    case .count(let ofLink):
      if let count = try count(of: node, ofLink: ofLink) { nodes.append(.value(count)) }
    case .length: nodes.append(.value(.int(Int64(node.value.byteCount ?? 0))))
    case .measure(let measure):
      if case .behindNull = node {
        nodes.append(node)
      } else {
        nodes.append(.value(measure.value(of: node.value)))
      }
    case .type(let type):
      nodes.append(.value(.string(type.map(TypeName.of) ?? TypeName.of(node.value))))
    }
  }

  /// The node of a property of an object; nil where it adds nothing.
  private func follow(
    _ property: Property, _ index: Int?, from node: PathNode, isToMany: Bool
  ) throws -> PathNode? {
    guard case .object(let object) = node else {
      // Behind a null link values are null and collections empty; inside a collection such a link
      // adds nothing.
      if isToMany { return nil }
      return property.isCollection ? .noCollection : .behindNull
    }
    if property.type == .linkingObjects { return .links(to: object, by: property) }
    guard let index, let row = try object.row() else {
      return property.isCollection ? .noCollection : .null
    }
    switch object.fields[index] {
    case .scalar(let column): return .value(row[column])
    case .link(let column), .owned(let column): return linked(row[column], property.objectClassName)
    case .embedded(let layout):
      let number = row[layout.presence]
      if number.isNull { return .null }
      return .object(StoredObject(table: object.table, key: object.key, inner: (layout, number)))
    case .collection(let layout): return .collection(layout, owner: object.key)
    case .pointType: return .value((object.point?.content(row).type).map(Value.string) ?? .null)
    case .pointCoordinates: return .coordinates(object.point?.content(row).coordinates ?? [])
    }
  }

  private func linked(_ link: Value, _ className: String?) -> PathNode {
    guard case .link(let key) = link, let className,
      let object = object(className, key.rawValue)
    else { return .null }
    return .object(object)
  }

  /// The node under a name in a value of any type.
  private func member(_ name: String, of node: PathNode, isToMany: Bool) throws -> PathNode? {
    switch node {
    case .value(.map): return try entry(name, of: node)
    case .value(.object(let address)):
      guard let object = object(address.className, address.key.rawValue),
        try object.row() != nil
      else { return nil }
      return try member(name, of: .object(object), isToMany: isToMany)
    case .object(let object):
      let description = schema[object.schema.className] ?? object.schema
      guard let property = description[name] ?? description.computedProperty(name) else {
        return nil
      }
      return try follow(
        property, description.index(of: name), from: node, isToMany: isToMany)
    case .value(let value): return ValueMeasure.value(name, of: value).map(PathNode.value)
    case .null: return isToMany ? nil : .null
    case .collection, .links, .coordinates, .behindNull, .noCollection: return nil
    }
  }

  // MARK: Collections

  private func elements(of node: PathNode) throws -> [PathNode] {
    switch node {
    case .collection(let layout, let owner):
      return try rows.elements(layout, of: owner).map { element($0, of: layout) }
    case .links(let object, let property):
      return try linkLocations(of: property).flatMap { try linkingObjects(object, $0) }
    case .coordinates(let coordinates): return coordinates.map { .value(.double($0)) }
    case .value(.list(let values)): return values.map(PathNode.value)
    case .value(.map(let map)): return map.entries.map { .value($0.value) }
    case .value, .object, .null, .behindNull, .noCollection: return []
    }
  }

  private func element(_ value: Value, of layout: CollectionLayout) -> PathNode {
    layout.target == nil ? .value(value) : linked(value, layout.target)
  }

  private func linkLocations(of property: Property) -> [LinkLocation] {
    if let known = locations[property] { return known }
    let found = rows.catalogue.linkLocations(of: property)
    locations[property] = found
    return found
  }

  /// The objects in the rows of a location that link to an object.
  private func linkingObjects(
    _ object: StoredObject, _ location: LinkLocation
  ) throws -> [PathNode] {
    guard let table = table(location.layout.schema.className) else { return [] }
    return try linkingKeys(object, location).compactMap { key in
      let linking = StoredObject(table: table, key: key)
      guard let layout = location.embedded else { return .object(linking) }
      guard let number = try linking.row()?[layout.presence], !number.isNull else { return nil }
      return .object(StoredObject(table: table, key: key, inner: (layout, number)))
    }
  }

  private func linkingKeys(_ object: StoredObject, _ location: LinkLocation) throws -> [Int64] {
    guard let inner = object.inner else {
      return try rows.keys(linkingTo: object.key, by: location)
    }
    // Only the owner links to an embedded object in its row.
    guard case .embedded(let held) = location.field, held == inner.layout,
      object.table.layout.schema.className == location.layout.schema.className
    else { return [] }
    return [object.key]
  }

  private func element(_ index: BoundPath.ListPosition, of node: PathNode) throws -> [PathNode] {
    if case .value(let value) = node {
      guard case .list = value else { return [] }
    }
    if case .collection(let layout, let owner) = node, layout.kind == .list {
      let value = try rows.element(layout, of: owner, at: index)
      return value.map { [element($0, of: layout)] } ?? []
    }
    let elements = try elements(of: node)
    switch index {
    case .index(let index): return elements.indices.contains(index) ? [elements[index]] : []
    case .first: return Array(elements.prefix(1))
    case .last: return Array(elements.suffix(1))
    }
  }

  private func entry(_ key: String, of node: PathNode) throws -> PathNode? {
    switch node {
    case .collection(let layout, let owner) where layout.kind == .map:
      return element(try rows.entry(layout, of: owner, key) ?? .null, of: layout)
    case .value(.map(let map)): return map[key].map(PathNode.value)
    case .noCollection: return .null
    case .value, .collection, .links, .coordinates, .object, .null, .behindNull: return nil
    }
  }

  private func keys(of node: PathNode) throws -> [String] {
    switch node {
    case .collection(let layout, let owner) where layout.kind == .map:
      try rows.keys(layout, of: owner)
    case .value(.map(let map)): map.keys
    case .value, .collection, .links, .coordinates, .object, .null, .behindNull, .noCollection: []
    }
  }

  private func count(of node: PathNode, ofLink: Bool) throws -> Value? {
    switch node {
    case .collection(let layout, let owner):
      .int(Int64(try rows.count(layout, of: owner)))
    case .links, .coordinates: .int(Int64(try elements(of: node).count))
    case .noCollection: .int(0)
    case .object: .int(1)
    case .null, .behindNull: ofLink ? .int(0) : .null
    case .value(.list(let values)): .int(Int64(values.count))
    case .value(.map(let map)): .int(Int64(map.entries.count))
    case .value(.null): .null
    case .value(let value): value.byteCount.map { .int(Int64($0)) }
    }
  }
}
