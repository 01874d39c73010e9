import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A schema with every type, alone and in every kind of collection.
enum EveryKind {
  static let schema = Schema([point, target, part, site, thing])

  private static let point = ObjectSchema(
    className: "Point",
    properties: [
      Property(name: "type", type: .string),
      Property(name: "coordinates", type: .double, collection: .list),
    ], isEmbedded: true)

  private static let target = ObjectSchema(
    className: "Target",
    properties: [
      Property(name: "label", type: .string, isIndexed: true),
      Property(name: "place", type: .object, isOptional: true, objectClassName: "Point"),
    ])

  /// Contains itself, and therefore has rows of its own.
  private static let part = ObjectSchema(
    className: "Part",
    properties: [
      Property(name: "text", type: .string),
      Property(name: "numbers", type: .int, collection: .list),
      Property(name: "child", type: .object, isOptional: true, objectClassName: "Part"),
      Property(name: "children", type: .object, collection: .list, objectClassName: "Part"),
    ], isEmbedded: true)

  /// Is stored in its owner's row.
  private static let site = ObjectSchema(
    className: "Site",
    properties: [
      Property(name: "name", type: .string),
      Property(name: "words", type: .string, collection: .set),
      Property(name: "part", type: .object, isOptional: true, objectClassName: "Part"),
    ], isEmbedded: true)

  private static let thing = ObjectSchema(
    className: "Thing",
    properties: scalars + [
      Property(name: "link", type: .object, isOptional: true, objectClassName: "Target"),
      Property(name: "link_list", type: .object, collection: .list, objectClassName: "Target"),
      Property(name: "link_set", type: .object, collection: .set, objectClassName: "Target"),
      Property(
        name: "link_map", type: .object, isOptional: true, collection: .map,
        objectClassName: "Target"),
      Property(name: "part", type: .object, isOptional: true, objectClassName: "Part"),
      Property(name: "part_list", type: .object, collection: .list, objectClassName: "Part"),
      Property(
        name: "part_map", type: .object, isOptional: true, collection: .map,
        objectClassName: "Part"),
      Property(name: "site", type: .object, isOptional: true, objectClassName: "Site"),
    ])

  static let types = RandomValues.scalarTypes + [.any]

  private static var scalars: [Property] {
    types.flatMap { type in
      let name = name(type)
      return [
        Property(name: name, type: type, isOptional: type != .any),
        Property(name: name + "_list", type: type, isOptional: type != .any, collection: .list),
        Property(name: name + "_set", type: type, isOptional: type != .any, collection: .set),
        Property(name: name + "_map", type: type, isOptional: type != .any, collection: .map),
      ]
    }
  }

  static func name(_ type: PropertyType) -> String { "\(type)".replacing(" ", with: "_") }
}

/// The expected content of a collection, as plain arrays.
struct CollectionModel: Equatable {
  let kind: CollectionKind
  var elements: [Value] = []
  /// The keys of a map, in the order of its elements.
  var keys: [String] = []

  /// Adds an element to a set unless it contains an equal one.
  mutating func insert(_ value: Value) -> Bool {
    guard !elements.contains(where: { $0.ordering(value) == .same }) else { return false }
    elements.append(value)
    elements.sort { $0.ordering($1) == .ascending }
    return true
  }

  mutating func remove(_ value: Value) -> Bool {
    let count = elements.count
    elements.removeAll { $0.ordering(value) == .same }
    return elements.count < count
  }

  mutating func set(_ value: Value, forKey key: String) {
    if let index = keys.firstIndex(where: { $0.utf8.elementsEqual(key.utf8) }) {
      elements[index] = value
      return
    }
    let index =
      keys.firstIndex { key.utf8.lexicographicallyPrecedes($0.utf8) } ?? keys.count
    keys.insert(key, at: index)
    elements.insert(value, at: index)
  }

  mutating func remove(key: String) -> Bool {
    guard let index = keys.firstIndex(where: { $0.utf8.elementsEqual(key.utf8) }) else {
      return false
    }
    keys.remove(at: index)
    elements.remove(at: index)
    return true
  }
}

extension WriteTransaction {
  func model(_ layout: CollectionLayout, _ owner: ObjectKey) throws -> CollectionModel {
    try flush(.elements).model(layout, owner)
  }
}

extension RowReader {
  func collection(_ className: String, _ name: String) throws -> CollectionLayout {
    let found = try layout(className).collections.first { "\($0.path)" == name }
    return try #require(found)
  }
}

extension StoreReader {
  /// The content of a collection, read at once and element by element, which must agree.
  func model(_ layout: CollectionLayout, _ owner: ObjectKey) throws -> CollectionModel {
    let reader = CollectionReader(layout, self)
    var model = CollectionModel(kind: layout.kind, elements: try reader.values(owner))
    #expect(try reader.count(owner) == model.elements.count)
    if layout.kind == .map {
      let entries = try reader.entries(owner)
      model.keys = entries.map(\.key)
      #expect(entries.map(\.value) == model.elements)
      for (key, value) in entries { #expect(try reader.value(owner, forKey: key) == value) }
    } else {
      for (index, value) in model.elements.enumerated() {
        #expect(try reader.value(owner, at: index) == value)
        if layout.kind == .set { #expect(try reader.contains(value, owner)) }
      }
    }
    return model
  }

  /// The problems of a collection that separate SQL queries find.
  func faults(_ layout: CollectionLayout) throws -> [String] {
    let owner = try self.layout(layout.ownerClass)
    let table = SQL.quoted(layout.tableName)
    let count = SQL.quoted(owner.columns[layout.countColumn].name)
    var faults: [String] = []
    let rows = try connection.statement(
      "SELECT \"#key\", \(count), (SELECT count(*) FROM \(table) WHERE owner = \"#key\") "
        + "FROM \(SQL.quoted(owner.tableName))")
    while try rows.step() {
      guard rows.integer(1) != rows.integer(2) else { continue }
      faults.append("\(layout.path) of \(rows.integer(0)): \(rows.integer(1)), \(rows.integer(2))")
    }
    if layout.kind == .list {
      let repeated = try connection.integer(
        "SELECT count(*) - count(DISTINCT owner || ' ' || position) FROM \(table)")
      if repeated != 0 { faults.append("\(layout.path) repeats positions") }
    }
    return faults
  }
}
