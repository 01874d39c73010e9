import Cadastre
import Foundation
import Testing

/// The sample of the page on supported types.
private class ViewController {
  let collection: AnyRealmCollection<Pet>

  init<C: RealmCollection & _ObjcBridgeable>(collection: C) where C.ElementType == Pet {
    self.collection = AnyRealmCollection(collection)
  }
}

private func operateOn<C: RealmCollection>(collection: C) -> String {
  "operating on collection containing \(collection.count) objects"
}

/// Collections whose kind is hidden.
@Suite struct AnyRealmCollectionTests {
  private let realm: Realm
  private let owner: Owner

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Owner.self, Pet.self, Tag.self, Node.self]))
    owner = Owner(value: ["numbers": [3, 1, 2], "names": ["b", "a"], "pets": [["Rex"], ["Ada"]]])
    try realm.write { realm.add(owner) }
  }

  @Test func `any kind of collection goes in`() throws {
    let collections: [AnyRealmCollection<Pet>] = [
      ViewController(collection: realm.objects(Pet.self)).collection,
      ViewController(collection: owner.pets).collection,
      AnyRealmCollection(owner.pets.sorted(by: \.name, ascending: false)),
    ]
    for collection in collections {
      #expect(collection.map(\.name) == ["Rex", "Ada"])
      #expect(collection.count == 2 && collection[1].name == "Ada" && !collection.isEmpty)
      #expect(collection.first?.name == "Rex" && collection.last?.name == "Ada")
      #expect(collection.filter("name == 'Ada'").count == 1)
      #expect(collection.where { $0.name == "Rex" }.count == 1)
      #expect(collection.sorted(by: \.name).first?.name == "Ada")
      #expect(collection.index(matching: "name == 'Ada'") == 1 && collection.realm == realm)
      #expect(operateOn(collection: collection).contains("containing 2 objects"))
    }
    #expect(Array(AnyRealmCollection(owner.names)) == ["a", "b"])
    let rex = try #require(owner.pets.first)
    let owners = AnyRealmCollection(rex.owners)
    #expect(owners.count == 1 && owners[0].isSameObject(as: owner))
    #expect(AnyRealmCollection(owner.numbers).sum() == 6)
  }

  @Test func `it follows what it hides`() throws {
    let pets = AnyRealmCollection(owner.pets)
    try realm.write { owner.pets.append(Pet(value: ["Zoe"])) }
    #expect(pets.count == 3 && pets.description == owner.pets.description)
    try realm.write { realm.delete(pets) }
    #expect(pets.isEmpty && realm.objects(Pet.self).isEmpty)
    try realm.write { realm.delete(owner) }
    #expect(pets.isInvalidated)
  }

  @Test func `collections that no Realm manages`() {
    let list = List<Int>()
    list.append(objectsIn: [1, 2])
    let hidden = AnyRealmCollection(list)
    list.append(3)
    #expect(Array(hidden) == [1, 2, 3] && hidden.last == 3 && hidden.realm == nil)
    #expect(hidden.index(of: 2) == 1 && !hidden.isInvalidated)
    #expect(AnyRealmCollection(LinkingObjects<Pet>()).isEmpty)
  }

  @Test func `equal when the same is hidden`() {
    #expect(AnyRealmCollection(owner.pets) == AnyRealmCollection(owner.pets))
    #expect(AnyRealmCollection(AnyRealmCollection(owner.pets)) == AnyRealmCollection(owner.pets))
    #expect(AnyRealmCollection(owner.pets) != AnyRealmCollection(realm.objects(Pet.self)))
    #expect(AnyRealmCollection(realm.objects(Pet.self)) == .init(realm.objects(Pet.self)))
    #expect(AnyRealmCollection(owner.numbers) != AnyRealmCollection(List<Int>()))
    #expect(AnyRealmCollection(List<Int>()) == AnyRealmCollection(List<Int>()))
  }

  @Test func `encoded as its elements`() throws {
    let text = try JSONEncoder().encode(AnyRealmCollection(owner.numbers))
    #expect(String(decoding: text, as: UTF8.self) == "[3,1,2]")
  }

  @Test func `sort descriptors by key paths`() {
    #expect(SortDescriptor(keyPath: \Pet.name) == "name")
    #expect(SortDescriptor(keyPath: \Citizen.home?.city, ascending: false).keyPath == "home.city")
    #expect(
      SortDescriptor(keyPath: \Citizen.spouse?.spouse?.number).keyPath == "spouse.spouse.number")
  }
}
