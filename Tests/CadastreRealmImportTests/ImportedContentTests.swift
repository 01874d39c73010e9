@testable import Cadastre
import CadastreModel
import CadastreStore
import Foundation
import RealmFileTestSupport
import Testing

struct ImportedContentTests {
  @Test("every object has the values of the file after its import", arguments: RealmFixture.all)
  func values(_ fixture: RealmFixture) throws {
    let content = try fixture.expectedContent()
    try fixture.withFile { path in
      let store = path + ".cadastre"
      defer { for suffix in StoreFile.fileSuffixes { unlink(store + suffix) } }
      let configuration = Realm.Configuration(
        fileURL: URL(fileURLWithPath: store), objectTypes: [])
      let result = try Realm.importRealmFile(
        at: URL(fileURLWithPath: path), into: configuration,
        encryptionKey: fixture.key.map { Data($0) })
      #expect(result.schemaVersion == content.schemaVersion)
      try #expect(
        schemaVersionAtURL(URL(fileURLWithPath: store)) == content.schemaVersion ?? 0)
      var comparison = Comparison(
        try Realm(
          configuration: Realm.Configuration(
            fileURL: URL(fileURLWithPath: store), schemaVersion: content.schemaVersion ?? 0,
            objectTypes: [])), content)
      try comparison.run()
      #expect(
        comparison.differences.isEmpty,
        "\(comparison.differences.count): \(comparison.differences.prefix(3))")
      #expect(comparison.objects == result.objectCounts)
      #expect(result.notes == Self.notes[fixture.name] ?? [])
    }
  }

  private static let notes: [String: [String]] = [
    "links": [
      "class 'Log': asymmetric, its objects are only sent to a server, not imported"
    ]
  ]
}

/// The comparison of a store with the content of a Realm file.
private struct Comparison {
  let realm: Realm
  let tables: [String: ExpectedContent.Table]
  /// The position of each object among those of its table.
  let positions: [String: [Int64: Int]]
  /// The number of objects that were compared by class.
  private(set) var objects: [String: Int] = [:]
  private(set) var differences: [String] = []

  init(_ realm: Realm, _ content: ExpectedContent) {
    self.realm = realm
    tables = Dictionary(uniqueKeysWithValues: content.tables.map { ($0.name, $0) })
    positions = tables.mapValues { table in
      Dictionary(uniqueKeysWithValues: table.objects.enumerated().map { ($1.key, $0) })
    }
  }

  mutating func run() throws {
    for (name, table) in tables where name.hasPrefix("class_") && table.kind != "asymmetric" {
      let className = String(name.dropFirst(6))
      objects[className, default: 0] += 0
      guard table.kind == "top" else { continue }
      // `dynamicObjects` is restricted to the classes of the program, which has none.
      let managed = try #require(realm.core.table(named: className))
      let results = Results<DynamicObject>(QueryResult(realm.core, managed))
      guard results.count == table.objects.count else {
        differences.append("\(name): \(results.count) objects, expected \(table.objects.count)")
        continue
      }
      for (object, expected) in zip(results, table.objects) {
        compare(object, expected.values, table)
      }
    }
  }

  private mutating func compare(
    _ object: ObjectBase, _ values: [Value], _ table: ExpectedContent.Table
  ) {
    objects[String(table.name.dropFirst(6)), default: 0] += 1
    let schema = object.objectSchema
    if schema.properties.count != table.columns.count {
      differences.append("\(table.name) has \(schema.properties.count) properties")
    }
    for (column, expected) in zip(table.columns, values) {
      guard let index = schema.index(of: column.name) else {
        differences.append("\(table.name).\(column.name) is missing")
        continue
      }
      let target = column.target.flatMap { tables[$0] }
      if let target, target.kind == "embedded" {
        compareEmbedded(object, index, expected, target, column)
      } else {
        let found = value(object, index, column)
        let wanted = stored(expected, target, column)
        if found != wanted {
          differences.append("\(table.name).\(column.name): \(found), expected \(wanted)")
        }
      }
    }
  }

  private mutating func compareEmbedded(
    _ object: ObjectBase, _ index: Int, _ expected: Value, _ target: ExpectedContent.Table,
    _ column: ExpectedContent.Column
  ) {
    let found: [ObjectBase?]
    let keys: [Value]
    switch expected {
    case .list(let values):
      found = object.dynamicList(column.name).map { $0 }
      keys = values
    case .map(let map):
      let members: Map<String, DynamicObject?> = object.dynamicMap(column.name)
      found = map.keys.map { members[$0] ?? nil }
      keys = map.entries.map(\.value)
    default:
      found = [object.linkedObject(index)]
      keys = [expected]
    }
    guard found.count == keys.count else {
      differences.append("\(column.name): \(found.count) objects, expected \(keys.count)")
      return
    }
    for (member, key) in zip(found, keys) {
      switch (member, key) {
      case (nil, .null): break
      case (let member?, .link(let key)):
        guard let position = positions[target.name]?[key.rawValue] else {
          differences.append("\(column.name): embedded object \(key) is not in the file")
          continue
        }
        compare(member, target.objects[position].values, target)
      default: differences.append("\(column.name): \(String(describing: member)), expected \(key)")
      }
    }
  }

  /// The value of a property as the object layer has it; the elements of a set in any order.
  private func value(_ object: ObjectBase, _ index: Int, _ column: ExpectedContent.Column) -> Value
  {
    guard let position = object.position else { return .null }
    guard let source = position.elementSource(index) else { return position.value(index) }
    if let map = source as? StoredMap {
      return .map(ValueMap(map.entries().map { ($0.key, $0.value) }))
    }
    return .list(column.collection == .set ? sorted(source.values()) : source.values())
  }

  /// The expected value: links have the positions of objects as keys, from 1.
  private func stored(
    _ value: Value, _ target: ExpectedContent.Table?, _ column: ExpectedContent.Column
  ) -> Value {
    switch value {
    case .link(let key):
      guard let target, let position = positions[target.name]?[key.rawValue] else { return .null }
      return .link(ObjectKey(Int64(position) + 1))
    case .object(let address):
      guard let position = positions[address.className]?[address.key.rawValue] else { return .null }
      return .object(
        ObjectAddress(
          className: String(address.className.dropFirst(6)), key: ObjectKey(Int64(position) + 1)))
    case .list(let values):
      let values = values.map { stored($0, target, column) }
      return .list(column.collection == .set ? sorted(values) : values)
    case .map(let map):
      return .map(ValueMap(map.entries.map { ($0.key, stored($0.value, target, column)) }))
    default: return value
    }
  }

  private func sorted(_ values: [Value]) -> [Value] {
    values.sorted { "\($0)" < "\($1)" }
  }
}
