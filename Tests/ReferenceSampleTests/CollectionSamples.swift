// swift-format-ignore-file: NeverForceUnwrap
import Foundation
import RealmSwift
import Testing

/// Supported types: collections.
@Suite struct CollectionSamples {
  class Contact: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var friends: List<Contact>
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<Contact>

    convenience init(name: String) {
      self.init()
      self.name = name
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  func operateOn<C: RealmCollection>(collection: C) -> String {
    "operating on collection containing \(collection.count) objects"
  }

  @Test func `generic code operates on any collection`() throws {
    let realm = try openRealm(Contact.self)
    let contacts = ["Lisa", "Larry", "Liam", "Mo"].map { Contact(name: $0) }
    try realm.write {
      realm.add(contacts)
      contacts[0].friends.append(objectsIn: contacts[1...])
    }
    let results = realm.objects(Contact.self)
    let list = contacts[0].friends
    let linking = contacts[1].friendOf
    #expect(operateOn(collection: results) == "operating on collection containing 4 objects")
    #expect(operateOn(collection: list) == "operating on collection containing 3 objects")
    #expect(operateOn(collection: linking) == "operating on collection containing 1 objects")
    #expect(
      operateOn(collection: AnyRealmCollection(list))
        == "operating on collection containing 3 objects")
    #expect(
      operateOn(collection: MutableSet<Int>()) == "operating on collection containing 0 objects")

    // What the standard library does with collections works on them.
    #expect(list.map(\.name) == ["Larry", "Liam", "Mo"])
    #expect(list.contains(contacts[3]) && list.reversed().first?.name == "Mo")
    #expect(results.reduce(0) { $0 + $1.name.count } == 15)

    // Any of them is filtered and sorted.
    #expect(results.filter("name BEGINSWITH 'L'").count == 3)
    #expect(list.filter("name BEGINSWITH 'L'").sorted(byKeyPath: "name").last?.name == "Liam")
    #expect(linking.where { $0.name == "Lisa" }.count == 1)
  }

  @Test func `results in sections by the first letter`() throws {
    let realm = try openRealm(Contact.self)
    try realm.write {
      realm.add(["Mo", "Lisa", "Larry", "Liam"].map { Contact(name: $0) })
    }
    let contacts = realm.objects(Contact.self)
    let sections: SectionedResults<String, Contact> = contacts.sectioned(
      by: { String($0.name.first!) }, sortDescriptors: [SortDescriptor(keyPath: \Contact.name)])
    let section: ResultsSection<String, Contact> = sections[0]
    #expect(section.key == "L")
    #expect(section.map(\.name) == ["Larry", "Liam", "Lisa"])
    #expect(sections.allKeys == ["L", "M"])
  }

  @Test func `collections are live`() throws {
    let realm = try openRealm(Contact.self)
    let larry = Contact(name: "Larry")
    // A list of an object that is in no Realm yet is not live.
    let unmanaged = Contact(name: "Lisa")
    unmanaged.friends.append(larry)
    #expect(unmanaged.friends.realm == nil && !unmanaged.friends.isInvalidated)

    let named = realm.objects(Contact.self).where { $0.name.starts(with: "L") }
    #expect(named.isEmpty)
    try realm.write { realm.add(unmanaged) }
    #expect(named.count == 2)
    let copy = Contact(value: unmanaged)
    let friends = unmanaged.friends
    try realm.write {
      unmanaged.friends.removeAll()
      larry.name = "Harry"
    }
    #expect(friends.isEmpty && named.count == 1)
    // One of a copy is not live either.
    #expect(copy.friends.count == 1 && copy.friends.realm == nil)
  }

  @Test func `a collection as the property of anything`() throws {
    class MyModel: Object {
      @Persisted var name = ""

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class ViewController {
      let collection: AnyRealmCollection<MyModel>

      init<C: RealmCollection & _ObjcBridgeable>(collection: C) where C.ElementType == MyModel {
        self.collection = AnyRealmCollection(collection)
      }
    }

    let realm = try openRealm(MyModel.self)
    let list = List<MyModel>()
    list.append(MyModel(value: ["name": "a"]))
    let controllers = [
      ViewController(collection: realm.objects(MyModel.self)), ViewController(collection: list),
    ]
    #expect(controllers.map(\.collection.count) == [0, 1])
    try realm.write { realm.add(Array(list)) }
    #expect(controllers[0].collection.first?.name == "a")
  }
}
