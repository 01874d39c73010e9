import Cadastre
import Foundation
import Testing

class KindPet: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var toys: List<KindToy>
  @Persisted(originProperty: "pets") var owners: LinkingObjects<KindOwner>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class KindToy: Object {
  @Persisted var name = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class KindOwner: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var isActive = false
  @Persisted var anything: AnyRealmValue
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var numbers: List<Int>
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Map<String, Int>
  @Persisted var pets: List<KindPet>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Kinds of behaviour in which programs for Realm differed here once; the expected values are those that Realm documents.
@Suite struct RealmKindsTests {
  private let realm: Realm

  init() throws {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    configuration.objectTypes = [KindOwner.self, KindPet.self, KindToy.self]
    realm = try Realm(configuration: configuration)
  }

  private func owner() throws -> KindOwner {
    try realm.write {
      realm.create(
        KindOwner.self,
        value: [
          "id": 1, "name": "Ann", "numbers": [3, 7, 5], "tags": ["a", "b"], "scores": ["x": 1],
          "pets": [["id": 1, "name": "Rex", "toys": [["name": "Ann"], ["name": "ball"]]]],
        ] as [String: Any])
    }
  }

  @Test func `values of any type compare with lists of objects`() throws {
    let managed = try owner()
    let pet = managed.pets[0]
    try realm.write { managed.anything = .fromArray([.object(pet)]) }
    #expect(
      realm.objects(KindOwner.self).where { $0.anything == .fromArray([.object(pet)]) }.count == 1)
    try realm.write { managed.anys.append(.object(pet)) }
    let owners = realm.objects(KindOwner.self)
    #expect(owners.filter("ANY anys == %@", AnyRealmValue.object(pet)).count == 1)
    try realm.write { managed.anything = .object(pet) }
    #expect(owners.filter("anything == %@", AnyRealmValue.object(pet)).count == 1)
    #expect(owners.filter("anything == %@", pet).count == 1)
  }

  @Test func `0 and 1 are Bool by name`() throws {
    let managed = try owner()
    try realm.write { managed["isActive"] = 1 }
    #expect(managed.isActive)
    #expect(KindOwner(value: ["isActive": 1] as [String: Any]).isActive)
    try realm.write { managed.setValue(0, forKey: "isActive") }
    #expect(!managed.isActive)
    try realm.write { try managed.setValue(checking: 1, forKey: "isActive") }
    #expect(managed.isActive)
    try realm.write {
      #expect(throws: InvalidValueError.self) {
        try managed.setValue(checking: 2, forKey: "isActive")
      }
    }
  }

  @Test func `aggregates infer their types`() throws {
    let owners = [try owner()]
    let average = realm.objects(KindPet.self).average(of: \.id)
    #expect(average == 1)
    let exact: Double? = realm.objects(KindPet.self).average(of: \.id)
    #expect(exact == 1)
    #expect(owners[0].numbers.average() == 5)
  }

  @Test func `values by name`() throws {
    let managed = try owner()
    #expect(managed.tags.value(forKey: "self") as? Set<String> == ["a", "b"])
    #expect(managed.scores.value(forKeyPath: "@sum.self") as? Int == 1)
    #expect(managed.scores.value(forKeyPath: "x") as? Int == 1)
    #expect(managed.value(forKeyPath: "scores.x") as? Int == 1)
    try realm.write { managed.scores["@count"] = 9 }
    #expect(managed.scores.value(forKeyPath: "@count") as? Int == 2)
    #expect(managed.pets.value(forKey: "name") as? [String] == ["Rex"])
  }

  @Test func `lists of dynamic objects`() throws {
    let managed = try owner()
    #expect(managed.pets.count == 1)
    let dynamic = realm.dynamicObjects("KindOwner")[0]
    #expect(dynamic.dynamicList("pets")[0]["name"] as? String == "Rex")
  }

  @Test func `text and data with the same bytes are different`() throws {
    let managed = try owner()
    try realm.write { managed.anything = .string("a") }
    #expect(realm.objects(KindOwner.self).where { $0.anything == .data(Data("a".utf8)) }.isEmpty)
    #expect(realm.objects(KindOwner.self).where { $0.anything == .string("a") }.count == 1)
  }
}
