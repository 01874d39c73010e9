package import CadastreModel
package import CadastreSQLite
package import CadastreStore
import Foundation

extension TableLayout {
  /// Returns the row of an object.
  package func row(_ object: PlainObject) -> [Value] {
    var row = [Value](repeating: .null, count: columns.count)
    point?.write(Self.content(object), to: &row)
    write(object, schema, fields, to: &row)
    return row
  }

  /// Returns the columns of some members with their values.
  package func changes(_ members: PlainObject) -> [(column: Int, value: Value)] {
    let row = row(members)
    return schema.properties.enumerated().flatMap { place, property in
      members[property.name] == nil ? [] : columns(of: fields[place]).map { ($0, row[$0]) }
    }
  }

  /// Returns the object of a row, without members that are null.
  package func object(_ row: [Value]) -> PlainObject { object(row, schema, fields, nil) }

  private func columns(of field: FieldLayout) -> [Int] {
    switch field {
    case .scalar(let column), .link(let column): [column]
    case .embedded(let embedded): Array(embedded.columns)
    case .owned, .collection, .pointType, .pointCoordinates: []
    }
  }

  private func write(
    _ object: PlainObject, _ schema: ObjectSchema, _ fields: [FieldLayout], to row: inout [Value]
  ) {
    for (property, field) in zip(schema.properties, fields) {
      switch (field, object[property.name]) {
      case (.scalar(let column), .value(let value)?), (.link(let column), .value(let value)?):
        row[column] = value
      case (.embedded(let embedded), .embedded(let inner)?):
        row[embedded.presence] = .bool(true)
        if let point = embedded.point { point.write(Self.content(inner), to: &row) }
        write(inner, embedded.schema, embedded.fields, to: &row)
      default: break
      }
    }
  }

  private static func content(_ point: PlainObject) -> PointColumns.Content {
    var content = PointColumns.Content(type: "", coordinates: [])
    if case .value(.string(let type))? = point["type"] { content.type = type }
    if case .list(let values)? = point["coordinates"] {
      content.coordinates = values.compactMap(\.doubleValue)
    }
    return content
  }

  private func object(
    _ row: [Value], _ schema: ObjectSchema, _ fields: [FieldLayout], _ point: PointColumns?
  ) -> PlainObject {
    var object: PlainObject = [:]
    for (property, field) in zip(schema.properties, fields) {
      switch field {
      case .scalar(let column), .link(let column):
        if !row[column].isNull { object[property.name] = .value(row[column]) }
      case .embedded(let embedded):
        guard !row[embedded.presence].isNull else { continue }
        object[property.name] = .embedded(
          self.object(row, embedded.schema, embedded.fields, embedded.point))
      case .owned, .collection: continue
      case .pointType:
        object[property.name] = (point?.content(row).type).map { .value(.string($0)) }
      case .pointCoordinates:
        object[property.name] = (point?.content(row).coordinates).map {
          .list($0.map(Value.double))
        }
      }
    }
    return object
  }
}

extension WriteTransaction {
  /// Adds a plain object.
  @discardableResult
  package func insert(_ className: String, object: PlainObject) throws -> ObjectKey {
    let layout = try layout(className)
    var row = layout.row(object)
    for collection in layout.collections { row[collection.countColumn] = .int(0) }
    try insertOwned(object, layout.schema, layout.fields, into: &row)
    let key = try insert(className, row)
    try fill(object, layout.schema, layout.fields, of: key)
    return key
  }

  /// Adds embedded objects that have rows of their own, and sets the links to them.
  private func insertOwned(
    _ object: PlainObject, _ schema: ObjectSchema, _ fields: [FieldLayout], into row: inout [Value]
  ) throws {
    for (property, field) in zip(schema.properties, fields) {
      guard case .embedded(let inner)? = object[property.name] else { continue }
      switch field {
      case .owned(let column):
        row[column] = .link(try insert(property.objectClassName ?? "", object: inner))
      case .embedded(let embedded):
        try insertOwned(inner, embedded.schema, embedded.fields, into: &row)
      default: break
      }
    }
  }

  /// Adds the elements of an object's collections.
  private func fill(
    _ object: PlainObject, _ schema: ObjectSchema, _ fields: [FieldLayout], of owner: ObjectKey
  ) throws {
    for (property, field) in zip(schema.properties, fields) {
      switch (field, object[property.name]) {
      case (.collection(let layout), let member?): try fill(layout, with: member, of: owner)
      case (.embedded(let embedded), .embedded(let inner)?):
        try fill(inner, embedded.schema, embedded.fields, of: owner)
      default: break
      }
    }
  }

  /// Adds the elements of an empty collection.
  package func fill(
    _ layout: CollectionLayout, with member: Member, of owner: ObjectKey
  ) throws {
    switch member {
    case .list(let values) where layout.kind == .set:
      for value in values { _ = try insert(value, into: layout, of: owner) }
    case .list(let values): try insert(values, at: 0, into: layout, of: owner)
    case .map(let map):
      for entry in map.entries { try set(entry.value, forKey: entry.key, in: layout, of: owner) }
    case .embeddedList(let objects):
      let links = try objects.map {
        Value.link(try insert(layout.target ?? "", object: $0))
      }
      try insert(links, at: 0, into: layout, of: owner)
    case .embeddedMap(let objects):
      for (key, inner) in objects.sorted(by: { $0.key < $1.key }) {
        let link = Value.link(try insert(layout.target ?? "", object: inner))
        try set(link, forKey: key, in: layout, of: owner)
      }
    case .value, .embedded: break
    }
  }

  /// Sets members of an object.
  package func update(_ className: String, _ key: Int64, members: PlainObject) throws {
    let layout = try layout(className)
    try update(className, ObjectKey(key), layout.changes(members))
  }
}

extension WriteTransaction {
  /// The connection of the transaction, which sees all rows.
  package var connection: Connection { get throws { try flush(.rows).connection } }

  /// Returns the problems of all spatial indexes.
  package func spatialProblems() throws -> [String] { try flush(.indexes).spatialProblems() }
}

extension RowReader {
  /// Returns the layout of a class; throws where the class does not exist.
  package func layout(_ className: String) throws -> TableLayout {
    guard let layout = catalogue.layout(className) else { throw MissingClass(name: className) }
    return layout
  }

  /// Returns the object with a key, as plain members.
  package func object(_ className: String, _ key: Int64) throws -> PlainObject? {
    let layout = try layout(className)
    return try row(layout, ObjectKey(key)).map(layout.object)
  }
}

extension StoreReader {
  /// Returns the problems of all spatial indexes.
  package func spatialProblems() throws -> [String] {
    try catalogue.tables.flatMap { layout in
      try layout.spatialIndexes.flatMap {
        try SpatialIndexCheck($0, layout, connection).problemsAgainstTable()
      }
    }
  }
}

/// The error of a test that names a class that the store does not have.
package struct MissingClass: Error {
  let name: String
}

/// Stores for tests.
package enum TestStore {
  /// Returns a new store that is deleted with its last user.
  package static func temporary(_ schema: Schema) throws -> StoreFile {
    let file = try OpenStores.temporaryStore(UUID().uuidString)
    try file.prepare(for: schema)
    return file
  }

  /// Returns a new store that contains some objects.
  package static func temporary(holding objects: PlainObjects) throws -> StoreFile {
    let file = try temporary(objects.schema)
    let transaction = try file.beginWrite()
    try transaction.insert(objects)
    try transaction.commit()
    return file
  }
}

extension WriteTransaction {
  /// Adds all objects; their keys must have no gaps.
  package func insert(_ objects: PlainObjects) throws {
    for schema in objects.schema.objectSchema where !schema.isEmbedded {
      for key in objects.keys(schema.className) {
        guard let object = objects.object(schema.className, key) else { continue }
        try insert(schema.className, object: object)
      }
    }
  }
}
