import Cadastre
import Foundation
import Testing

/// Lists, sets, maps and linking objects of objects that a Realm manages.
@Suite struct CollectionTests {
  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Owner.self, Pet.self, Tag.self, Node.self]))
  }

  private func added() throws -> Owner {
    let owner = Owner()
    owner.numbers.append(objectsIn: [3, 1, 2])
    owner.names.insert(objectsIn: ["b", "a", "b"])
    owner.parks["Chicago"] = "Lincoln"
    owner.pets.append(Pet(value: ["Rex"]))
    owner.tags.append(Tag(value: ["text": "one"]))
    owner.anything = .fromArray([.int(1), .string("x"), .fromDictionary(["k": .double(2)])])
    try realm.write { realm.add(owner) }
    return owner
  }

  @Test func `collections go into the store with their object`() throws {
    let owner = try added()
    let read = try #require(realm.objects(Owner.self).first)

    #expect(Array(read.numbers) == [3, 1, 2])
    #expect(Array(read.names) == ["a", "b"])
    #expect(read.parks["Chicago"] == "Lincoln")
    #expect(read.pets.count == 1)
    #expect(read.pets[0].name == "Rex")
    #expect(read.tags[0].text == "one")
    #expect(read.anything.listValue?[2].dictionaryValue?["k"] == .double(2))
    #expect(Array(owner.numbers) == [3, 1, 2])
  }

  @Test func `a list is edited in place`() throws {
    let numbers = try added().numbers
    try realm.write {
      numbers.append(4)
      numbers.insert(0, at: 0)
      numbers.insert(contentsOf: [10, 11], at: 2)
      numbers[1] = 33
      numbers.move(from: 0, to: 3)
      numbers.swapAt(0, 1)
      numbers.remove(at: 2)
    }
    // [3,1,2] [3,1,2,4] [0,3,1,2,4] [0,3,10,11,1,2,4] [0,33,10,11,…] [33,10,11,0,1,2,4]
    // [10,33,11,0,1,2,4] [10,33,0,1,2,4]
    #expect(Array(numbers) == [10, 33, 0, 1, 2, 4])
    #expect(numbers.last == 4)
    #expect(numbers.sum() == 50)
    #expect(numbers.max() == 33)
    #expect(Array(numbers.sorted()) == [0, 1, 2, 4, 10, 33])
  }

  @Test func `embedded objects go with their list`() throws {
    let owner = try added()
    let tag = owner.tags[0]
    try realm.write { owner.tags.append(Tag(value: ["text": "two"])) }
    #expect(owner.tags.map(\.text) == ["one", "two"])
    try realm.write { owner.tags.remove(at: 0) }
    #expect(tag.isInvalidated)
    #expect(owner.tags.map(\.text) == ["two"])
    try realm.write { realm.delete(owner) }
    #expect(realm.objects(Owner.self).isEmpty)
  }

  @Test func `deleting an object takes it out of collections`() throws {
    let owner = try added()
    let pet = owner.pets[0]
    try realm.write { owner.mates["left"] = pet }
    #expect(pet.owners.count == 1)
    #expect(pet.owners[0].isSameObject(as: owner))
    try realm.write { realm.delete(pet) }
    #expect(owner.pets.isEmpty)
    #expect(owner.mates.keys == ["left"])
    #expect(owner.mates["left"] == .some(nil))
  }

  @Test func `embedded objects may hold themselves`() throws {
    let owner = Owner()
    owner.root = Node(value: ["name": "a", "child": ["name": "b", "child": ["name": "c"]]])
    owner.root?.children.append(Node(value: ["name": "d"]))
    try realm.write { realm.add(owner) }
    #expect(owner.root?.child?.child?.name == "c")
    #expect(owner.root?.children.first?.name == "d")
    let leaf = try #require(owner.root?.child?.child)
    try realm.write { owner.root?.child = nil }
    #expect(leaf.isInvalidated)
    try realm.write { realm.delete(owner) }
    #expect(realm.isEmpty)
  }

  @Test func `results of lists`() throws {
    let owner = try added()
    try realm.write { owner.pets.append(objectsIn: [Pet(value: ["Ada"]), Pet(value: ["Zoe"])]) }
    #expect(owner.pets.filter("name > 'B'").map(\.name) == ["Rex", "Zoe"])
    #expect(
      owner.pets.where { $0.name > "B" }.sorted(by: \.name, ascending: false).map(\.name) == [
        "Zoe", "Rex",
      ])
    #expect(owner.pets.sorted(byKeyPath: "name").map(\.name) == ["Ada", "Rex", "Zoe"])
  }
}

class Owner: Object {
  @Persisted var numbers: List<Int>
  @Persisted var names: MutableSet<String>
  @Persisted var parks: Map<String, String>
  @Persisted var pets: List<Pet>
  @Persisted var mates: Map<String, Pet?>
  @Persisted var tags: List<Tag>
  @Persisted var anything: AnyRealmValue
  @Persisted var root: Node?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Pet: Object {
  @Persisted var name = ""
  @Persisted(originProperty: "pets") var owners: LinkingObjects<Owner>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Tag: EmbeddedObject {
  @Persisted var text = ""
  @Persisted var words: List<String>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Node: EmbeddedObject {
  @Persisted var name = ""
  @Persisted var child: Node?
  @Persisted var children: List<Node>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
