import Cadastre
import Foundation
import Testing

/// An object with a value in each position in which values are compared.
class Compared<Value: RealmCollectionValue>: Object {
  @Persisted(primaryKey: true) var place: Int
  @Persisted var value: Value
  @Persisted var other: Value
  @Persisted var list: List<Value>
  @Persisted var set: MutableSet<Value>
  @Persisted var map: Map<String, Value>

  override class func className() -> String { "Compared" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Values of one type, in lists of equal ones, ascending where the type has an order; and the checks of all uses
/// against these literals.
struct EqualityTable<Value: RealmCollectionValue> {
  /// The lists of equal values.
  let lists: [[Value]]
  /// Whether a stored value is equal to a constant of the same list.
  var isConstantEqual: (Value, Value) -> Bool = { _, _ in true }
  /// The text that distinguishes all values.
  var text: (Value) -> String = { "\($0)" }
  /// Whether the type has an order, so that objects can be sorted, grouped and made distinct by it.
  var isOrdered = true

  /// The values with the index of their list: the first of each list, then the second ones.
  private var members: [(list: Int, value: Value)] {
    (0..<(lists.map(\.count).max() ?? 0)).flatMap { number in
      lists.indices.flatMap { list in
        lists[list].dropFirst(number).prefix(1).map { (list, $0) }
      }
    }
  }

  /// The number of objects, so many that columns in memory are encoded and an index pays.
  private static var objectCount: Int { 640 }

  /// The member of each object: after all of them, the first one over and over.
  private var placed: [(list: Int, value: Value)] {
    let members = members
    return (0..<Self.objectCount).map { members[$0 < members.count ? $0 : 0] }
  }

  /// The places of the objects whose value is in a list.
  private func places(_ list: Int) -> [Int] {
    placed.enumerated().filter { $0.element.list == list }.map(\.offset)
  }

  /// The places of the objects whose value is equal to a constant.
  private func places(equalTo constant: (list: Int, value: Value)) -> [Int] {
    placed.enumerated().filter {
      $0.element.list == constant.list && isConstantEqual($0.element.value, constant.value)
    }.map(\.offset)
  }

  private func realm(_ type: ObjectBase.Type, columnMemory: Int? = nil) throws -> Realm {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [type])
    configuration.columnMemoryLimit = columnMemory
    return try Realm(configuration: configuration)
  }

  // MARK: Checks

  /// Checks all uses but the index.
  func check() throws {
    try checkProperties(columnMemory: nil)
    try checkProperties(columnMemory: 0)
    try checkTwoProperties()
    try checkCollections()
    try checkUnmanaged()
  }

  /// Checks conditions, distinct values, groups, sections and orders of a property.
  private func checkProperties(columnMemory: Int?) throws {
    let realm = try realm(Single<Value>.self, columnMemory: columnMemory)
    try realm.write {
      for (place, member) in placed.enumerated() {
        let object = Single<Value>()
        object.place = place
        object.value = member.value
        realm.add(object)
      }
    }
    let objects = realm.objects(Single<Value>.self)
    // Twice: the first scan fills the columns in memory.
    for objects in [objects, objects, realm.freeze().objects(Single<Value>.self)] {
      for member in members {
        let expected = places(equalTo: member)
        let others = Set(0..<Self.objectCount).subtracting(expected).sorted()
        let name = text(member.value)
        #expect(objects.filter("value == %@", member.value).map(\.place) == expected, "\(name)")
        #expect(objects.filter("value != %@", member.value).map(\.place) == others, "\(name)")
        #expect(objects.filter("value IN %@", [member.value]).map(\.place) == expected, "\(name)")
        #expect(objects.where { $0.value == member.value }.count == expected.count, "\(name)")
        #expect(objects.where { $0.value.in([member.value]) }.count == expected.count, "\(name)")
        #expect(objects.filter("value == value").count == Self.objectCount)
      }
      if isOrdered { checkOrder(of: objects) }
      let sections = objects.sectioned(by: { $0.value }, sortDescriptors: ["place"])
      checkSections(sections, sorted: false)
    }
  }

  private func checkOrder(of objects: Results<Single<Value>>) {
    let all = lists.indices.map(places)
    #expect(objects.distinct(by: ["value"]).map(\.place) == Array(lists.indices))
    let groups = objects.grouped(by: \.value).count()
    #expect(groups.map(\.value) == all.map(\.count))
    #expect(groups.map { text($0.key) } == lists.map { text($0[0]) })
    #expect(
      objects.grouped(by: \.value).max(of: \.place).map(\.value) == all.map { $0.last })
    #expect(objects.sorted(byKeyPath: "value").map(\.place) == Array(all.joined()))
    #expect(
      objects.sorted(byKeyPath: "value", ascending: false).map(\.place)
        == Array(all.reversed().joined()))
    checkSections(objects.sectioned(by: \.value), sorted: true)
  }

  /// Checks that there is a section for each list, in the order of the values or of their first objects.
  private func checkSections(
    _ sections: SectionedResults<Value, Single<Value>>, sorted: Bool
  ) {
    // The first objects have the first values of the lists, in the order of the lists.
    #expect(sections.count == lists.count)
    #expect(sections.map { $0.map(\.place) } == lists.indices.map(places), "sorted: \(sorted)")
    #expect(sections.allKeys.map(text) == lists.map { text($0[0]) }, "sorted: \(sorted)")
  }

  /// Checks an index, with which a value that one object has is searched.
  func checkIndex(searching value: Value) throws {
    let realm = try realm(Indexed<Value>.self)
    try realm.write {
      for (place, member) in placed.enumerated() {
        let object = Indexed<Value>()
        object.place = place
        object.value = member.value
        realm.add(object)
      }
    }
    let objects = realm.objects(Indexed<Value>.self)
    let search = objects.filter("value == %@", value)
    #expect(search.explain().contains("Search Indexed.value"), "\(search.explain())")
    for member in members {
      let (expected, name) = (places(equalTo: member), text(member.value))
      #expect(objects.filter("value == %@", member.value).map(\.place) == expected, "\(name)")
      #expect(objects.filter("value IN %@", [member.value]).map(\.place) == expected, "\(name)")
    }
    #expect(objects.distinct(by: ["value"]).map(\.place) == Array(lists.indices))
    #expect(
      objects.sorted(byKeyPath: "value").limit(Self.objectCount).map(\.place)
        == lists.indices.flatMap(places))
  }

  /// Checks comparisons of two properties: a NaN that is stored is equal to each other one.
  private func checkTwoProperties() throws {
    let realm = try realm(Compared<Value>.self)
    let pairs = members.flatMap { first in members.map { (first, $0) } }
    try realm.write {
      for (place, pair) in pairs.enumerated() {
        let object = Compared<Value>()
        (object.place, object.value, object.other) = (place, pair.0.value, pair.1.value)
        realm.add(object)
      }
    }
    let equal = pairs.indices.filter { pairs[$0].0.list == pairs[$0].1.list }
    let objects = realm.objects(Compared<Value>.self)
    #expect(objects.filter("value == other").map(\.place) == equal)
    #expect(objects.filter("value != other").count == pairs.count - equal.count)
    if isOrdered {
      let distinct = objects.distinct(by: ["value", "other"])
      #expect(distinct.count == lists.count * lists.count)
    }
  }

  /// Checks lists, sets and maps of managed objects.
  private func checkCollections() throws {
    let realm = try realm(Compared<Value>.self)
    let members = members
    try realm.write {
      for (place, member) in members.enumerated() {
        let object = Compared<Value>()
        (object.place, object.value, object.other) = (place, member.value, member.value)
        object.list.append(member.value)
        object.set.insert(member.value)
        object.map["k"] = member.value
        realm.add(object)
      }
    }
    let objects = realm.objects(Compared<Value>.self)
    for member in members {
      let expected = members.indices.filter {
        members[$0].list == member.list && isConstantEqual(members[$0].value, member.value)
      }
      for path in ["ANY list", "ANY set", "ANY map", "map['k']"] {
        let found = Array(objects.filter("\(path) == %@", member.value).map(\.place))
        #expect(found == expected, "\(path) \(text(member.value))")
      }
    }
    let first = try #require(objects.first)
    try realm.write {
      first.list.removeAll()
      first.list.append(objectsIn: members.map(\.value))
      first.set.removeAll()
      first.set.insert(objectsIn: members.map(\.value))
    }
    checkElements(first.list, first.set)
    let frozen = first.freeze()
    checkElements(frozen.list, frozen.set)
    try realm.write { for list in lists { first.set.remove(list[list.count - 1]) } }
    #expect(first.set.isEmpty)
  }

  /// Checks collections and objects that no Realm manages, and a set that a Realm takes over.
  private func checkUnmanaged() throws {
    let members = members
    let object = Compared<Value>()
    object.list.append(objectsIn: members.map(\.value))
    object.set.insert(objectsIn: members.map(\.value))
    checkElements(object.list, object.set)
    let realm = try realm(Compared<Value>.self)
    try realm.write { realm.add(object) }
    #expect(object.set.count == lists.count)

    let objects = List<Compared<Value>>()
    for (place, member) in members.enumerated() {
      let object = Compared<Value>()
      (object.place, object.value) = (place, member.value)
      objects.append(object)
    }
    for member in members {
      let expected = members.firstIndex {
        $0.list == member.list && isConstantEqual($0.value, member.value)
      }
      #expect(
        try objects.index(parsing: "value == %@", arguments: [member.value]) == expected,
        "\(text(member.value))")
    }
  }

  /// Checks a list of all members, and the set that was filled with them.
  private func checkElements(_ list: List<Value>, _ set: MutableSet<Value>) {
    #expect(set.count == lists.count)
    #expect(set.map(text).sorted() == lists.map { text($0[0]) }.sorted())
    for member in members {
      #expect(set.contains(member.value), "\(text(member.value))")
      #expect(list.index(of: member.value) == member.list, "\(text(member.value))")
    }
  }
}
