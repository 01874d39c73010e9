import Cadastre
import Foundation
import Testing

/// A row of the table: a type of values, and a style of declaration.
protocol HolderRow: CustomTestStringConvertible, Sendable {
  /// Tries a kind of behaviour, and compares.
  func check(_ behaviour: HolderBehaviour) throws
}

/// What the tests try of each row.
enum HolderBehaviour: String, CaseIterable {
  case creating, updating, names, queries, identity, references, coding, deletion, editing
  case aggregates, unmanaged, notifications, exchange
}

/// A row with values in ascending order.
struct HolderValues<Model: Holder>: HolderRow {
  let testDescription: String
  let values: [Model.Value]
  /// The values as they are stored, which reads by name give.
  let stored: [any Hashable & Sendable]

  func check(_ behaviour: HolderBehaviour) throws {
    switch behaviour {
    case .creating: try checkCreating()
    case .updating: try checkUpdating()
    case .names: try checkNames()
    case .queries: try checkQueries()
    case .identity: try checkIdentity()
    case .references: try checkReferences()
    case .coding: try checkCoding()
    case .deletion: try checkDeletion()
    case .editing: try checkEditing()
    case .aggregates: try checkAggregates()
    case .unmanaged: try checkUnmanaged()
    case .notifications: try checkNotifications()
    case .exchange: try checkExchange()
    }
  }

  /// The text of an object with all values.
  private var full: String { Model.make(1, values).text }

  private var dictionary: [String: Any] {
    [
      "number": 1, "single": values[0], "list": values + values, "set": values,
      "map": Dictionary(uniqueKeysWithValues: values.enumerated().map { ("k\($0)", $1) }),
    ]
  }

  private func added(to realm: Realm) throws -> Model {
    let holder = Model.make(1, values)
    try realm.write { realm.add(holder) }
    return holder
  }

  // MARK: Creating

  private func checkCreating() throws {
    let array: [Any] = ["number", "single", "list", "set", "map"].compactMap { dictionary[$0] }
    for value in [dictionary, array, Model.make(1, values)] as [Any] {
      let realm = try Model.realm()
      #expect(Model(value: value).text == full)
      try realm.write { #expect(realm.create(Model.self, value: value).text == full) }
      #expect(realm.objects(Model.self).first?.text == full)
    }
    let realm = try Model.realm()
    let holder = try added(to: realm)
    #expect(holder.text == full && holder.realm == realm)
    let other = try Model.realm()
    try other.write { #expect(other.create(Model.self, value: holder).text == full) }
    let nulls: [String: Any?] = ["number": 1, "single": nil, "list": NSNull(), "unknown": 1]
    #expect(Model(value: nulls).text == Model.make(1, []).text)
  }

  private func checkUpdating() throws {
    let realm = try Model.realm()
    let holder = try added(to: realm)
    try realm.write {
      realm.create(Model.self, value: ["number": 1, "list": [values[1]]], update: .modified)
    }
    #expect(Array(holder.list) == [values[1]] && holder.singleValue == values[0])
    try realm.write { realm.create(Model.self, value: ["number": 1], update: .all) }
    #expect(holder.text == Model.make(1, []).text)
    try realm.write { realm.add(Model.make(1, values), update: .modified) }
    #expect(holder.text == full && realm.objects(Model.self).count == 1)
    try realm.write { realm.create(Model.self, value: holder, update: .all) }
    #expect(holder.text == full)
  }

  // MARK: Reading and writing

  private func checkNames() throws {
    let realm = try Model.realm()
    let holder = Model.make(1, values)
    for _ in 0..<2 {
      #expect(
        holder["single"] as? AnyHashable == AnyHashable(stored[0]) && holder["number"] as? Int == 1)
      #expect(holder.value(forKeyPath: "list.@count") as? Int == values.count * 2)
      #expect(holder.value(forKeyPath: "set.@count") as? Int == values.count)
      #expect(holder.value(forKeyPath: "map.@count") as? Int == values.count)
      try edit(realm, holder) {
        holder["single"] = nil
        #expect(holder["single"] == nil && holder.singleValue == nil)
        holder["single"] = values[1]
        holder["list"] = [values[1]]
        holder["set"] = [values[0], values[0]]
        holder["map"] = ["x": values[0]]
      }
      #expect(holder.singleValue == values[1] && Array(holder.list) == [values[1]])
      #expect(Array(holder.set) == [values[0]] && holder.map["x"] == values[0])
      guard holder.realm == nil else { break }
      holder.singleValue = values[0]
      for (name, value) in dictionary where name != "number" { holder[name] = value }
      try realm.write { realm.add(holder) }
    }
    let dynamic = try #require(realm.dynamicObjects("Holder").first)
    #expect(
      dynamic["single"] as? AnyHashable == AnyHashable(stored[1]) && dynamic["number"] as? Int == 1)
    try realm.write { dynamic["single"] = values[0] }
    #expect(holder.singleValue == values[0])
  }

  private func edit(_ realm: Realm, _ holder: Model, _ body: () -> Void) throws {
    if holder.realm == nil { body() } else { try realm.write(body) }
  }

  private func checkEditing() throws {
    let realm = try Model.realm()
    let holder = Model.make(1, values)
    for _ in 0..<2 {
      let (list, set, map) = (holder.list, holder.set, holder.map)
      try edit(realm, holder) {
        list.insert(values[1], at: 0)
        list.removeLast()
        set.remove(values[0])
        map.removeObject(for: "k0")
        map["new"] = values[0]
        holder.singleValue = values[1]
      }
      #expect(list.count == values.count * 2 && list.first == values[1])
      #expect(set.count == values.count - 1 && !set.contains(values[0]))
      #expect(map["k0"] == nil && map["new"] == values[0] && map.count == values.count)
      #expect(holder.singleValue == values[1])
      guard holder.realm == nil else { break }
      try realm.write {
        realm.add(holder)
        for (name, value) in dictionary where name != "number" { holder[name] = value }
      }
    }
    try realm.write {
      holder.list.removeAll()
      holder.set.removeAll()
      holder.map.removeAll()
    }
    #expect(holder.list.isEmpty && holder.set.isEmpty && holder.map.isEmpty)
  }

  private func checkUnmanaged() throws {
    let holder = Model.make(1, values)
    #expect(holder.realm == nil && !holder.isInvalidated && !holder.isFrozen)
    #expect(holder.list.index(of: values[1]) == 1 && holder.set.contains(values[1]))
    #expect(holder.list.realm == nil && holder.map.keys.sorted().first == "k0")
    #expect(
      Model.make(2, []).text != holder.text && !holder.isSameObject(as: Model.make(1, values)))
    let copy = Model(value: holder)
    holder.list.removeAll()
    holder.singleValue = nil
    #expect(copy.text == full)
    #expect(copy.list.first == copy.singleValue && copy.objectSchema.className == "Holder")
  }

  // MARK: Queries

  private func checkQueries() throws {
    let realm = try Model.realm()
    try realm.write {
      for (number, value) in values.enumerated() { realm.add(Model.make(number, [value])) }
      realm.add(Model.make(9, []))
    }
    let all = realm.objects(Model.self)
    for (number, value) in values.enumerated() {
      #expect(all.filter("single == %@", value).map(\.numberValue) == [number])
      #expect(all.filter("ANY list == %@", value).map(\.numberValue) == [number])
      #expect(all.filter("%@ IN set", value).map(\.numberValue) == [number])
      #expect(all.filter("map.@values == %@", value).map(\.numberValue) == [number])
      #expect(all.where { $0.list.contains(value) }.map(\.numberValue) == [number])
      #expect(all.where { $0.set.contains(value) }.map(\.numberValue) == [number])
      #expect(all.where { $0.map.values == value }.map(\.numberValue) == [number])
    }
    #expect(all.filter("single == nil AND list.@count == 0").map(\.numberValue) == [9])
    #expect(all.where { $0.list.count == 2 }.count == values.count)
    let sorted = all.sorted(byKeyPath: "number", ascending: false)
    #expect(sorted.map(\.numberValue) == [9] + (0..<values.count).reversed())
    #expect(realm.object(ofType: Model.self, forPrimaryKey: 1)?.singleValue == values[1])
  }

  private func checkAggregates() throws {
    let realm = try Model.realm()
    let holder = Model.make(1, values)
    for _ in 0..<2 {
      if let list = holder.list as? List<Int> {
        #expect(list.sum() == 4 && list.min() == -1 && list.max() == 3 && list.average() == 1)
      }
      if let set = holder.set as? MutableSet<Double> {
        #expect(set.sum() == 2 && set.min() == -1.5 && set.max() == 3.5 && set.average() == 1)
      }
      if let map = holder.map as? Map<String, Date> {
        #expect(map.min() == values.first as? Date && map.max() == values.last as? Date)
      }
      if holder.realm == nil { try realm.write { realm.add(holder) } }
    }
    let all = realm.objects(Model.self)
    #expect(all.max(ofProperty: "number") == 1 && all.sum(ofProperty: "number") == 1)
    #expect(all.average(ofProperty: "number") == 1.0)
  }

  // MARK: Identity

  private func checkIdentity() throws {
    let realm = try Model.realm()
    let holder = try added(to: realm)
    let read = try #require(realm.objects(Model.self).first)
    #expect(read.isSameObject(as: holder) && read == holder && read.list == holder.list)
    #expect(Set([read, holder]).count == 1)
    let frozen = holder.freeze()
    try realm.write {
      holder.singleValue = values[1]
      holder.list.removeAll()
    }
    #expect(frozen.isFrozen && frozen.text == full && frozen.list.isFrozen)
    #expect(Array(frozen.list.freeze()) == values + values)
    #expect(frozen.thaw()?.singleValue == values[1] && frozen.list.thaw()?.isEmpty == true)
    #expect(frozen.thaw()?.isSameObject(as: holder) == true)
  }

  private func checkReferences() throws {
    let name = UUID().uuidString
    let (corner, other) = (
      try Corner(Model.configuration(name)), try Corner(Model.configuration(name))
    )
    let references = try corner.write { realm in
      let holder = Model.make(1, values)
      realm.add(holder)
      return (
        ThreadSafeReference(to: holder), ThreadSafeReference(to: holder.list),
        ThreadSafeReference(to: holder.map)
      )
    }
    let full = full
    other.enter { realm in
      #expect(realm.resolve(references.0)?.text == full)
      #expect(realm.resolve(references.1).map(Array.init) == values + values)
      #expect(realm.resolve(references.2)?["k0"] == values[0])
    }
  }

  private func checkCoding() throws {
    let realm = try Model.realm()
    let holder = Model.make(1, values)
    for _ in 0..<2 {
      let json = try JSONEncoder().encode(holder)
      #expect(try JSONDecoder().decode(Model.self, from: json).text == full)
      if holder.realm == nil { try realm.write { realm.add(holder) } }
    }
    let empty = try JSONEncoder().encode(Model.make(2, []))
    #expect(try JSONDecoder().decode(Model.self, from: empty).text == Model.make(2, []).text)
  }

  private func checkDeletion() throws {
    let realm = try Model.realm()
    let holder = try added(to: realm)
    let (list, set, map) = (holder.list, holder.set, holder.map)
    try realm.write { realm.delete(holder) }
    #expect(holder.isInvalidated && list.isInvalidated && set.isInvalidated && map.isInvalidated)
    #expect(holder.list.isInvalidated && realm.isEmpty)
    try realm.write { realm.add(Model.make(1, values)) }
    #expect(realm.objects(Model.self).first?.text == full)
  }

  // MARK: Notifications

  private func checkNotifications() throws {
    let configuration = Model.configuration(UUID().uuidString)
    let (corner, other) = (try Corner(configuration), try Corner(configuration))
    try other.write { realm in realm.add(Model.make(1, values)) }
    nonisolated(unsafe) var seen: [String] = []
    let tokens = try corner.enter { realm in
      realm.refresh()
      let all = realm.objects(Model.self)
      let holder = try #require(all.first)
      return [
        holder.observe(keyPaths: ["list", "single"]) { change in
          if case .change(_, let properties) = change {
            seen.append("object \(properties.map(\.name))")
          }
        },
        all.observe(keyPaths: ["map"]) { change in
          if case .update(_, _, _, let changed) = change { seen.append("results \(changed)") }
        },
        holder.list.observe { change in
          if case .update(_, let deletions, _, _) = change { seen.append("list \(deletions)") }
        },
      ]
    }
    let changes: [(Model) -> Void] = [
      { $0.set.removeAll() }, { $0.singleValue = nil }, { $0.map.removeAll() },
      { $0.list.removeLast() },
    ]
    var expected: [[String]] = [
      [], [#"object ["single"]"#], ["results [0]"],
      ["list [\(values.count * 2 - 1)]", #"object ["list"]"#],
    ]
    for change in changes {
      try other.write { realm in
        realm.refresh()
        realm.objects(Model.self).first.map(change)
      }
      let new = corner.enter { realm in
        realm.refresh()
        defer { seen = [] }
        return seen.sorted()
      }
      #expect(new == expected.removeFirst())
    }
    corner.enter { _ in for token in tokens { token.invalidate() } }
  }

  // MARK: Exchange of the style

  /// A store that is written with one style is opened with the other, at the same version.
  private func checkExchange() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cadastre-styles-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("holders.cadastre")
    let reversed = Array(values.reversed())
    try write(Model.self, reversed, to: file) { #expect($0 == []) }
    let texts = [reversed, values].map { Model.make(1, $0).text }
    try write(ModernHolder<Model.Value>.self, values, to: file) { #expect($0 == [texts[0]]) }
    try write(OldHolder<Model.Value>.self, reversed, to: file) { #expect($0 == [texts[1]]) }
    try write(Model.self, values, to: file) { #expect($0 == [texts[0]]) }
  }

  /// Opens a store, checks its objects as text, and writes one.
  private func write<Style: Holder>(
    _ style: Style.Type, _ values: [Style.Value], to file: URL, _ check: ([String]) -> Void
  ) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(fileURL: file, objectTypes: [style]))
    check(realm.objects(style).map(\.text))
    try realm.write { realm.add(Style.make(1, values), update: .all) }
  }
}
