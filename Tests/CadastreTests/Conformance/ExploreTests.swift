import Cadastre
import Foundation
import Testing

class XNew: Object {
  @Persisted var id: Int
  @Persisted var title: String
  override class func className() -> String { "X" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
class XOld: Object {
  @Persisted var id: Int
  @Persisted var name: String
  override class func className() -> String { "X" }
  override class func propertiesMapping() -> [String: String] { ["name": "nm"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
class YNew: Object {
  @Persisted var id: Int
  override class func className() -> String { "Y" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
class PersonDogs: Projection<Conforming.Person> {
  @Projected(\Conforming.Person.dogs.count) var dogCount
  @Projected(\Conforming.Person.tags.first) var firstTag
  @Projected(\Conforming.Person.name) var label
}
class AnyHolder: Object {
  @Persisted var any: AnyRealmValue
  @Persisted var anyList: List<AnyRealmValue>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
@Suite(.serialized) struct ExploreTests {
  private func attempt(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
    do { try body(); print("XX \(name): ok") } catch { print("XX \(name): threw \(error)") }
  }

  @Test func migration1() throws {
    let url = URL(fileURLWithPath: "/tmp/h/x\(UUID().uuidString).cadastre")
    func fill() throws {
      let old = try Realm(
        configuration: .init(fileURL: url, schemaVersion: 1, objectTypes: [XOld.self]))
      try old.write { for i in 0..<5 { old.create(XOld.self, value: [i, "n\(i)"]) } }
    }
    try fill()
    attempt("delete while enumerating") {
      let config = Realm.Configuration(
        fileURL: url, schemaVersion: 2,
        migrationBlock: { migration, _ in
          var seen: [Int] = []
          migration.enumerateObjects(ofType: "X") { old, new in
            seen.append(old?["id"] as? Int ?? -1)
            print(
              "XX old by property", old?["nm"] ?? "nil",
              (old?.objectSchema.properties.map(\.name)) ?? [])
            new?["title"] = old?["nm"]
            if seen.count == 1, let new {
              migration.create("X", value: [100, "t"]); migration.delete(new)
            }
            migration.create("Y", value: [seen.count])
          }
          print("XX seen", seen)
          var after: [Int] = []
          migration.enumerateObjects(ofType: "X") { old, new in
            after.append((new?["id"] as? Int) ?? -1)
          }
          print("XX after", after)
          var ys: [Int] = []
          migration.enumerateObjects(ofType: "Y") { old, new in
            ys.append((new?["id"] as? Int) ?? -1)
          }
          print("XX ys", ys)
        }, objectTypes: [XNew.self, YNew.self])
      let realm = try Realm(configuration: config)
      print("XX titles", realm.objects(XNew.self).map(\.title), realm.objects(YNew.self).count)
    }
  }
  @Test func projections() throws {
    let realm = try Conforming.realm()
    try realm.write {
      _ = realm.create(
        Conforming.Person.self,
        value: ["id": 1, "name": "A", "dogs": [["name": "d"]], "tags": ["red"]])
    }
    let p = realm.objects(PersonDogs.self).first!
    print("XX proj", p.dogCount, p.firstTag as Any, p.label)
    print("XX descr", p)
    print("XX descr", realm.objects(Conforming.Person.self).first!)
    print("XX descr", realm.objects(Conforming.Person.self))
    print("XX descr", realm.objects(Conforming.Person.self).first!.dogs)
    print("XX descr", realm.objects(Conforming.Person.self).first!.scores)
    print("XX descr", realm.schema["Person"]!.description)
    print("XX descr", SortDescriptor(keyPath: "a", ascending: false))
    print("XX eq", realm.objects(Conforming.Person.self) == realm.objects(Conforming.Person.self))
    let un = Conforming.Person(value: ["id": 5, "numbers": [1]])
    let numbers = un.numbers
    try realm.write { realm.add(un) }
    print("XX ident", numbers === un.numbers, numbers == un.numbers, un.numbers === un.numbers)
  }
  @Test func anyEquality() throws {
    let realm = try Realm(
      configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [AnyHolder.self]))
    try realm.write {
      realm.create(
        AnyHolder.self, value: ["any": [1, "a"], "anyList": [1, [2]]] as [String: Any])
      realm.create(AnyHolder.self, value: ["any": ["k": 1]] as [String: Any])
      realm.create(AnyHolder.self, value: ["any": 3] as [String: Any])
    }
    let all = realm.objects(AnyHolder.self)
    print("XX text", (try? all.filter(parsing: "any == {1, 'a'}").count) as Any)
    do {
      print(
        "XX arg",
        try all.filter(
          parsing: "any == %@", arguments: [AnyRealmValue.fromArray([.int(1), .string("a")])]
        ).count)
    } catch { print("XX arg", error) }
  }
  @Test func errors() throws {
    for path in ["/dev/null/foo", "/nonexistent/foo.cadastre", "/tmp"] {
      do { _ = try Realm(fileURL: URL(fileURLWithPath: path)) } catch {
        print("XX err", path, (error as? Realm.Error)?.code as Any, error)
      }
    }
    do {
      _ = try Realm(
        configuration: .init(
          fileURL: URL(fileURLWithPath: "/tmp/h/missing.cadastre"), readOnly: true))
    } catch { print("XX err ro", (error as? Realm.Error)?.code as Any, error) }
  }
  @Test func compact() throws {
    let url = URL(fileURLWithPath: "/tmp/h/c\(UUID().uuidString).cadastre")
    func size() -> Int {
      ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber)?.intValue
        ?? 0
    }
    try autoreleasepool {
      let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [AnyHolder.self]))
      try realm.write {
        for _ in 0..<2000 {
          realm.create(AnyHolder.self, value: ["any": String(repeating: "x", count: 1000)])
        }
      }
      try realm.write { realm.deleteAll() }
    }
    print("XX size before", size())
    let realm = try Realm(
      configuration: .init(
        fileURL: url,
        shouldCompactOnLaunch: { total, used in
          print("XX compact", total, used); return true
        }, objectTypes: [AnyHolder.self]))
    print("XX size after", size(), realm.isEmpty)
  }
  private func autoreleasepool(_ body: () throws -> Void) rethrows { try body() }
}
