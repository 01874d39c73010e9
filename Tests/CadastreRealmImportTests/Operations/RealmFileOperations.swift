import Cadastre
import Foundation
import Testing

/// An operation of a program on a Realm, and its expected result; see `expected.py` for the fields.
struct RealmFileOperation: CustomTestStringConvertible, @unchecked Sendable {
  // Immutable, and of the types of JSON.
  let fields: [String: Any]

  var file: String { text("file") ?? "" }
  var kind: String { text("kind") ?? "" }
  var checks: [RealmFileOperation] {
    (fields["checks"] as? [[String: Any]] ?? []).map { RealmFileOperation(fields: $0) }
  }
  var isWrite: Bool { ["update", "delete", "append"].contains(kind) }
  var testDescription: String { "\(file) \(text("name") ?? kind)" }

  func text(_ name: String) -> String? { fields[name] as? String }

  /// The operations of `expected.json`.
  static let all: [RealmFileOperation] = {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("expected.json")
    let json = (try? Data(contentsOf: url)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
    let operations = (json as? [String: Any])?["operations"] as? [[String: Any]] ?? []
    return operations.map { RealmFileOperation(fields: $0) }
  }()
}

/// Runs operations by the names of classes and properties, as a program without the classes does.
struct OperationRun {
  let realm: Realm
  let operation: RealmFileOperation

  private var expected: Any? { operation.fields["expected"] }

  private var objects: Results<DynamicObject> {
    get throws {
      let all = realm.dynamicObjects(try #require(operation.text("class")))
      guard let predicate = operation.text("predicate") else { return all }
      let names = operation.fields["arguments"] as? [String] ?? []
      return try all.filter(parsing: predicate, arguments: names)
    }
  }

  /// The one object of the operation, by a predicate or an index.
  private func object() throws -> DynamicObject {
    let all = realm.dynamicObjects(try #require(operation.text("class")))
    if let index = operation.fields["object"] as? Int { return all[index] }
    let predicate = try #require(operation.text("object"))
    let found = try all.filter(parsing: predicate, arguments: [])
    #expect(found.count == 1)
    return try #require(found.first)
  }

  func run() throws {
    switch operation.kind {
    case "count": expect(try objects.count)
    case "filter", "nulls", "dates", "mixed", "sort": try runFilter()
    case "min", "max", "sum", "average": expect(try aggregate())
    case "distinct": expect(try distinct())
    case "link", "embedded": try runPath()
    case "backlinks": try runBacklinks()
    case "list", "set", "map": try runCollection()
    case "primaryKey": try runPrimaryKey()
    case "update": try runUpdate()
    case "delete":
      let found = try objects
      expect(found.count)
      realm.delete(found)
    case "append": try runAppend()
    default: Issue.record("unknown operation \(operation.kind)")
    }
    for check in operation.checks { try OperationRun(realm: realm, operation: check).run() }
  }

  private func expect(_ value: Any?, isSet: Bool = false) {
    #expect(
      PlainValue.isSame(PlainValue.elements(value), expected, isSet: isSet),
      "\(operation.testDescription): found \(value ?? "nil"), expected \(expected ?? "nil")")
  }

  // MARK: Queries

  private func runFilter() throws {
    if operation.fields["object"] != nil { return try runSteps() }
    if operation.fields["aggregate"] != nil { return expect(try aggregate()) }
    var found = try objects
    if let sort = operation.fields["sort"] as? [[String]] {
      found = found.sorted(
        by: sort.map { SortDescriptor(keyPath: $0[0], ascending: $0[1] == "asc") })
    }
    guard let report = operation.text("report") else { return expect(found.count) }
    let limit = operation.fields["limit"] as? Int ?? found.count
    let values = found.prefix(limit).map { $0[report] }
    guard operation.kind == "mixed" else { return expect(values) }
    let mixed = expected as? [Any] ?? []
    #expect(
      values.count == mixed.count
        && zip(values, mixed).allSatisfy { PlainValue.isSameMixed($0, $1) }, "\(values)")
  }

  /// Follows the steps within a value of any type.
  private func runSteps() throws {
    let property = try #require(operation.text("property"))
    var value = PlainValue.unwrapped(try object()[property])
    for step in operation.fields["steps"] as? [Any] ?? [] {
      if let index = step as? Int {
        value = PlainValue.unwrapped((value as? List<AnyRealmValue>)?[index])
      } else if let key = step as? String {
        value = PlainValue.unwrapped((value as? Map<String, AnyRealmValue>)?[key])
      }
    }
    #expect(
      PlainValue.isSameMixed(value, expected), "\(operation.testDescription): \(value ?? "nil")")
  }

  private func aggregate() throws -> Any? {
    let property = try #require(operation.text("property"))
    let found = try objects
    let result: AnyRealmValue? =
      switch operation.text("aggregate") ?? operation.kind {
      case "min": found.min(ofProperty: property)
      case "max": found.max(ofProperty: property)
      case "sum": found.sum(ofProperty: property)
      default: found.average(ofProperty: property)
      }
    // JSON writes decimal numbers as text, and others as numbers.
    if case .decimal128(let number)? = result, expected is NSNumber {
      return Double(number.description)
    }
    return result
  }

  private func distinct() throws -> [Any?] {
    let property = try #require(operation.text("property"))
    return try objects.distinct(by: [property]).sorted(byKeyPath: property).map { $0[property] }
  }

  private func runPath() throws {
    let (path, report) = (operation.text("path") ?? "", operation.text("report") ?? "")
    let found = try objects.map { object -> [Any?] in
      [object[report], PlainValue.elements(object.value(forKeyPath: path))]
    }
    expect(found)
  }

  private func runBacklinks() throws {
    let target = try object()
    let from = try #require(operation.fields["from"] as? [String])
    let property = try #require(realm.schema[from[0]]?[from[1]])
    let linking = try realm.dynamicObjects(from[0]).filter(
      parsing: property.isArray ? "ANY \(from[1]) == %@" : "\(from[1]) == %@", arguments: [target])
    expect(linking.map { PlainValue.identity($0) })
  }

  // MARK: Collections

  private func runCollection() throws {
    let property = try #require(operation.text("property"))
    let value = try object()[property]
    if operation.kind == "map" { return try runMap(value) }
    if let indexes = operation.fields["at"] as? [Int] {
      let list = try #require(value as? List<Int>)
      return expect(indexes.map { list[$0] })
    }
    guard let aggregate = operation.text("aggregate") else {
      return expect(value, isSet: operation.kind == "set")
    }
    switch value {
    case let list as List<Int>: expect(aggregate == "sum" ? list.sum() : list.max())
    case let list as List<Decimal128?>: expect(list.max() ?? nil)
    default: Issue.record("no aggregate of \(type(of: value))")
    }
  }

  private func runMap(_ value: Any?) throws {
    func entries<Value>(_ map: Map<String, Value>) -> [(key: String, value: Any?)] {
      map.map { ($0.key, $0.value as Any?) }
    }
    let all: [(key: String, value: Any?)]? =
      switch value {
      case let map as Map<String, Int>: entries(map)
      case let map as Map<String, Int?>: entries(map)
      case let map as Map<String, String>: entries(map)
      case let map as Map<String, Date?>: entries(map)
      case let map as Map<String, DynamicObject?>: entries(map)
      default: nil
      }
    let found = try #require(all, "\(type(of: value))")
    guard let keys = operation.fields["keys"] as? [String] else {
      return expect(found.map { [$0.key, $0.value] as [Any?] })
    }
    expect(keys.map { key in found.first { $0.key == key }?.value ?? nil })
  }

  // MARK: Objects

  private func runPrimaryKey() throws {
    let className = try #require(operation.text("class"))
    let property = try #require(realm.schema[className]?.primaryKeyProperty)
    let json = try #require(operation.fields["key"])
    let key = try #require(PlainValue.value(json, property.type))
    let found = realm.dynamicObject(ofType: className, forPrimaryKey: key)
    guard let members = expected as? [String: Any] else { return #expect(found == nil) }
    let object = try #require(found)
    for (name, member) in members {
      let value = object[name]
      let isMixed = realm.schema[className]?[name]?.type == .any
      #expect(
        isMixed
          ? PlainValue.isSameMixed(value, member)
          : PlainValue.isSame(
            PlainValue.elements(value), member,
            isSet: realm.schema[className]?[name]?.isSet ?? false),
        "\(name): \(value ?? "nil")")
    }
  }

  private func value(_ json: Any, of property: Property) throws -> Any? {
    guard let className = property.objectClassName else {
      return PlainValue.value(json, property.type)
    }
    let schema = try #require(realm.schema[className])
    let name = try #require(PlainValue.identity(of: schema))
    let type = try #require(schema[name]).type
    return realm.dynamicObjects(className).first {
      PlainValue.isSame($0[name], json) || PlainValue.isSame($0[name], PlainValue.value(json, type))
    }
  }

  private func runUpdate() throws {
    let found = Array(try objects)
    expect(found.count)
    let className = try #require(operation.text("class"))
    let schema = try #require(realm.schema[className])
    for (name, json) in operation.fields["set"] as? [String: Any] ?? [:] {
      let property = try #require(schema[name])
      let value = try value(json, of: property)
      for object in found { object[name] = value }
    }
  }

  private func runAppend() throws {
    let object = try object()
    let name = try #require(operation.text("property"))
    let property = try #require(object.objectSchema[name])
    let values = try (operation.fields["values"] as? [Any] ?? []).map { json in
      let value = try value(json, of: property)
      return try #require(value)
    }
    switch object[name] {
    case let list as List<Int>: list.append(objectsIn: values.compactMap { $0 as? Int })
    case let list as List<String>: list.append(objectsIn: values.compactMap { $0 as? String })
    case let list as List<DynamicObject>:
      list.append(objectsIn: values.compactMap { $0 as? DynamicObject })
    default: Issue.record("\(name) is no list of known elements")
    }
    guard let tail = operation.fields["tail"] as? Int else { return expect(object[name]) }
    let list = try #require(object[name] as? List<Int>)
    let wanted = try #require(expected as? [String: Any])
    #expect(wanted["count"] as? Int == list.count)
    #expect(PlainValue.isSame(Array(list.suffix(tail)) as [Any?], wanted["last"]))
  }
}
