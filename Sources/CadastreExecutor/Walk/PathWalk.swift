import CadastreModel
import CadastrePredicate
import CadastreStore

/// Walks along paths from object to object, whatever they lead through: collections, links in both
/// directions, and values of any type.
///
/// It reads a row, or a collection, at a time. Filters over the columns of a batch do the same for
/// the usual paths with far less work.
final class PathWalk {
  let schema: Schema
  private let reader: any StoreReader
  private var tables: [String: RowTable] = [:]
  private lazy var incoming = IncomingLinks(reader)

  init(_ schema: Schema, _ reader: any StoreReader) {
    self.schema = schema
    self.reader = reader
  }

  /// The places to which a path leads from an object; a collection at its end is entered only if it
  /// was found in a value of any type.
  func places(_ hops: some Sequence<BoundPath.Hop>, from start: Place) throws -> [Place] {
    try places(hops, from: [start], isToMany: false)
  }

  /// The same from several places, which were or were not elements of a collection.
  func places(
    _ hops: some Sequence<BoundPath.Hop>, from start: [Place], isToMany: Bool
  ) throws -> [Place] {
    var places = start
    var isToMany = isToMany
    for hop in hops {
      var next: [Place] = []
      for place in places { try take(hop, from: place, isToMany: isToMany, into: &next) }
      places = next
      if hop == .elements || hop == .keys { isToMany = true }
    }
    guard places.contains(where: \.isCollection) else { return places }
    return try places.flatMap { $0.isCollection ? try elements(of: $0) : [$0] }
  }

  /// An object of a class with a table; nil for a class without.
  func object(_ className: String, _ key: Int64) -> StoredObject? {
    table(className).map { StoredObject(table: $0, key: key) }
  }

  private func table(_ className: String) -> RowTable? {
    if let known = tables[className] { return known }
    guard let layout = reader.catalogue.layout(className) else { return nil }
    let table = RowTable(layout, reader)
    tables[className] = table
    return table
  }

  // MARK: Hops

  private func take(
    _ hop: BoundPath.Hop, from place: Place, isToMany: Bool, into places: inout [Place]
  ) throws {
    switch hop {
    case .property(let bound):
      if let next = try follow(
        bound.property, bound.index, from: place, isToMany: isToMany)
      {
        places.append(next)
      }
    case .elements: places += try elements(of: place)
    case .element(let index): places += try element(index, of: place)
    case .entry(let key): if let next = try entry(key, of: place) { places.append(next) }
    case .keys: places += try keys(of: place).map { .value(.string($0)) }
    case .member(let name):
      if let next = try member(name, of: place, isToMany: isToMany) { places.append(next) }
    case .incomingLinks:
      var count = 0
      if case .object(let object) = place, object.inner == nil {
        count = try incoming.count(object.table.layout.schema.className, object.key)
      }
      places.append(.value(.int(Int64(count))))
    case .count(let ofLink):
      if let count = try count(of: place, ofLink: ofLink) { places.append(.value(count)) }
    case .length: places.append(.value(.int(Int64(place.value.byteCount ?? 0))))
    case .type(let type):
      places.append(.value(.string(type.map(TypeName.of) ?? TypeName.of(place.value))))
    }
  }

  /// A property of an object; nil where it adds nothing.
  private func follow(
    _ property: Property, _ index: Int?, from place: Place, isToMany: Bool
  ) throws -> Place? {
    guard case .object(let object) = place else {
      // Behind a null link all is null, or empty; inside a collection such a link adds nothing.
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

  private func linked(_ link: Value, _ className: String?) -> Place {
    guard case .link(let key) = link, let className,
      let object = object(className, key.rawValue)
    else { return .null }
    return .object(object)
  }

  /// A step by name from a value of any type.
  private func member(_ name: String, of place: Place, isToMany: Bool) throws -> Place? {
    switch place {
    case .value(.map): return try entry(name, of: place)
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
        property, description.index(of: name), from: place, isToMany: isToMany)
    case .null: return isToMany ? nil : .null
    case .value, .collection, .links, .coordinates, .behindNull, .noCollection: return nil
    }
  }

  // MARK: Collections

  private func elements(of place: Place) throws -> [Place] {
    switch place {
    case .collection(let layout, let owner):
      let values = try CollectionReader(layout, reader).values(ObjectKey(owner))
      return values.map { element($0, of: layout) }
    case .links(let object, let property):
      guard let origin = property.objectClassName, let table = table(origin) else { return [] }
      return try linkingKeys(object, property, table.layout).map {
        .object(StoredObject(table: table, key: $0))
      }
    case .coordinates(let coordinates): return coordinates.map { .value(.double($0)) }
    case .value(.list(let values)): return values.map(Place.value)
    case .value(.map(let map)): return map.entries.map { .value($0.value) }
    case .value, .object, .null, .behindNull, .noCollection: return []
    }
  }

  private func element(_ value: Value, of layout: CollectionLayout) -> Place {
    layout.target == nil ? .value(value) : linked(value, layout.target)
  }

  private func linkingKeys(
    _ object: StoredObject, _ property: Property, _ origin: TableLayout
  ) throws -> [Int64] {
    guard object.inner == nil,
      let links = origin.linkPlace(of: property.linkOriginPropertyName ?? "")
    else { return [] }
    return try links.keys(linkingTo: ObjectKey(object.key), reader)
  }

  private func element(_ index: BoundPath.ListPosition, of place: Place) throws -> [Place] {
    if case .value(let value) = place {
      guard case .list = value else { return [] }
    }
    if case .collection(let layout, let owner) = place, layout.kind == .list {
      let list = CollectionReader(layout, reader)
      let key = ObjectKey(owner)
      let count = try list.count(key)
      let position =
        switch index {
        case .index(let index): index
        case .first: 0
        case .last: count - 1
        }
      guard (0..<count).contains(position) else { return [] }
      return [element(try list.value(key, at: position), of: layout)]
    }
    let elements = try elements(of: place)
    switch index {
    case .index(let index): return elements.indices.contains(index) ? [elements[index]] : []
    case .first: return Array(elements.prefix(1))
    case .last: return Array(elements.suffix(1))
    }
  }

  private func entry(_ key: String, of place: Place) throws -> Place? {
    switch place {
    case .collection(let layout, let owner) where layout.kind == .map:
      let value = try CollectionReader(layout, reader).value(ObjectKey(owner), forKey: key)
      return element(value ?? .null, of: layout)
    case .value(.map(let map)): return map[key].map(Place.value)
    case .noCollection: return .null
    case .value, .collection, .links, .coordinates, .object, .null, .behindNull: return nil
    }
  }

  private func keys(of place: Place) throws -> [String] {
    switch place {
    case .collection(let layout, let owner) where layout.kind == .map:
      try CollectionReader(layout, reader).entries(ObjectKey(owner)).map(\.key)
    case .value(.map(let map)): map.keys
    case .value, .collection, .links, .coordinates, .object, .null, .behindNull, .noCollection: []
    }
  }

  private func count(of place: Place, ofLink: Bool) throws -> Value? {
    switch place {
    case .collection(let layout, let owner):
      .int(Int64(try reader.elementCount(layout, owner)))
    case .links, .coordinates: .int(Int64(try elements(of: place).count))
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
