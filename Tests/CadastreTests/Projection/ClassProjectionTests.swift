import Cadastre
import Foundation
import Testing
import TestingSupport

class Citizen: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var firstName = ""
  @Persisted var lastName = ""
  @Persisted var born: Date?
  @Persisted var home: Home?
  @Persisted var spouse: Citizen?
  @Persisted var friends: List<Citizen>
  @Persisted var idols: MutableSet<Citizen>
  @Persisted var site: URL?

  var fullName: String { firstName + lastName }
  var kind: String { "citizen" }
  var call: String { firstName }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Home: EmbeddedObject {
  @Persisted var city = ""
  @Persisted var street = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class CitizenView: Projection<Citizen> {
  @Projected(\Citizen.firstName) var name
  @Projected(\Citizen.lastName.localizedUppercase) var loudName
  @Projected(\Citizen.home?.city) var city
  @Projected(\Citizen.home) var home
  @Projected(\Citizen.spouse?.firstName) var spouseName
  @Projected(\Citizen.friends.projectTo.firstName) var friendsNames
  @Projected(\Citizen.friends.projectTo.home) var friendsHomes
  @Projected(\Citizen.friends.projectTo.call) var friendsCalls
  @Projected(\Citizen.idols.projectTo.firstName) var idolsNames
  @Projected(\Citizen.site) var site
}

class LongerCitizenView: CitizenView {
  @Projected(\Citizen.number) var id
}

class HomeView: Projection<Home> {
  @Projected(\Home.city) var town
}

class WrongView: Projection<Citizen> {
  @Projected(\Citizen.fullName) var whole
}

class WrongElementsView: Projection<Citizen> {
  @Projected(\Citizen.friends.projectTo.kind) var kinds
}

/// Views of objects under names of their own.
@Suite struct ClassProjectionTests {
  static func makeRealm() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Citizen.self, Home.self]))
    try realm.write {
      let ada = Citizen(
        value: ["number": 1, "firstName": "Ada", "lastName": "Byron", "home": ["city": "London"]])
      let bo = Citizen(value: ["number": 2, "firstName": "Bo", "home": ["city": "Aarhus"]])
      let cy = Citizen(value: ["number": 3, "firstName": "Cy"])
      ada.spouse = bo
      ada.friends.append(objectsIn: [cy, bo])
      ada.idols.insert(cy)
      realm.add(ada)
    }
    return realm
  }

  private let realm: Realm
  private let ada: CitizenView

  init() throws {
    realm = try Self.makeRealm()
    ada = CitizenView(
      projecting: try #require(realm.object(ofType: Citizen.self, forPrimaryKey: 1)))
  }

  @Test func `properties are those of the root object`() {
    #expect(ada.name == "Ada" && ada.loudName == "BYRON")
    #expect(ada.city == "London" && ada.spouseName == "Bo" && ada.site == nil)
    #expect(Array(ada.friendsNames) == ["Cy", "Bo"])
    #expect(ada.friendsHomes.map(\.?.city) == [nil, "Aarhus"])
    #expect(Array(ada.idolsNames) == ["Cy"])
    #expect(ada.rootObject.number == 1 && ada.realm == realm && !ada.isInvalidated)
  }

  @Test func `writing goes to the root object`() throws {
    try realm.write {
      ada.name = "Augusta"
      ada.site = URL(string: "https://ada.org")
      ada.home?.street = "Strand"
      ada.friendsNames[1] = "Bob"
    }
    #expect(ada.rootObject.firstName == "Augusta" && ada.rootObject.home?.street == "Strand")
    #expect(ada.rootObject.site?.host() == "ada.org")
    #expect(ada.spouseName == "Bob" && ada.friendsNames.index(of: "Bob") == 1)
    #expect(ada.friendsNames.index(of: "Bo") == nil)
  }

  @Test func `objects that no Realm manages are projected too`() {
    let citizen = Citizen(value: ["firstName": "X", "friends": [["firstName": "Y"]]])
    let view = CitizenView(projecting: citizen)
    view.name = "Z"
    view.friendsNames[0] = "W"
    #expect(citizen.firstName == "Z" && citizen.friends[0].firstName == "W")
    #expect(view.realm == nil && view == CitizenView(projecting: citizen))
    #expect(view != CitizenView(projecting: Citizen()))
  }

  @Test func `projections of the same row are equal`() {
    let again = realm.objects(CitizenView.self).first
    #expect(again == ada && again?.hashValue == ada.hashValue)
    #expect(Set(realm.objects(CitizenView.self)).union([ada]).count == 3)
    #expect(realm.objects(CitizenView.self).last != ada)
  }

  @Test func `embedded objects are projected`() throws {
    let home = HomeView(projecting: try #require(ada.home))
    #expect(home.town == "London")
    #expect(home == HomeView(projecting: try #require(ada.rootObject.home)))
    try realm.write { ada.rootObject.home = nil }
    #expect(home.isInvalidated && ada.city == nil)
  }

  @Test func `results of projections are queried by the properties of the root class`() {
    let views = realm.objects(CitizenView.self)
    #expect(views.count == 3)
    #expect(views.filter("firstName > 'A' AND home.city == 'London'").map(\.name) == ["Ada"])
    #expect(views.where { $0.firstName == "Bo" || $0.number == 3 }.map(\.name) == ["Bo", "Cy"])
    #expect(views.where { $0.home.city == "Aarhus" }.first?.name == "Bo")
    #expect(
      views.sorted(byKeyPath: "firstName", ascending: false).map(\.name) == ["Cy", "Bo", "Ada"])
    #expect(views.index(of: ada) == 0 && views.index(matching: "number == 2") == 1)
    #expect(views.filter("number > 1").explain() == "IndexSearch Citizen.number (1, …)")
  }

  @Test func `key paths of projections sort, and make distinct`() {
    let views = realm.objects(CitizenView.self)
    #expect(views.sorted(by: \.name, ascending: false).map(\.name) == ["Cy", "Bo", "Ada"])
    #expect(views.sorted(by: \.city).map(\.name) == ["Bo", "Ada", "Cy"])
    #expect(
      views.sorted(by: [SortDescriptor(keyPath: \CitizenView.city, ascending: false)])
        .map(\.name) == ["Cy", "Ada", "Bo"])
    #expect(views.distinct(by: [\CitizenView.name]).count == 3)
    #expect(realm.objects(LongerCitizenView.self).sorted(by: \.id).last?.name == "Cy")
    #expect(realm.objects(LongerCitizenView.self).max(of: \.id) == 3)
  }

  @Test func `results of projections are hidden, and deleted with their objects`() throws {
    let views = AnyRealmCollection(realm.objects(CitizenView.self).filter("number > 1"))
    #expect(views.map(\.name) == ["Bo", "Cy"])
    try realm.write { realm.delete(views) }
    #expect(views.isEmpty && realm.objects(CitizenView.self).count == 1 && ada.spouseName == nil)
  }

  @Test func `sections of projections`() {
    let sections = realm.objects(CitizenView.self).sectioned(by: \.city)
    #expect(sections.allKeys == ["Aarhus", "London", nil])
    #expect(sections[0].first?.name == "Bo")
  }

  @Test func `projected collections follow their list`() throws {
    let names = ada.friendsNames
    try realm.write {
      ada.rootObject.friends.removeFirst()
      ada.rootObject.friends.append(objectsIn: realm.objects(Citizen.self))
    }
    #expect(Array(names) == ["Bo", "Ada", "Bo", "Cy"] && names.realm == realm)
    #expect(names.filter { $0 == "Bo" }.count == 2 && names.description.contains("[1] Ada"))
    try realm.write { realm.delete(ada.rootObject) }
    #expect(names.isInvalidated && ada.isInvalidated)
    #expect(ada.description == "CitizenView <Citizen> (invalidated)")
    #expect(realm.objects(CitizenView.self).count == 2)
  }

  @Test func `a projection prints its properties and where they come from`() {
    let text = LongerCitizenView(projecting: ada.rootObject).description
    #expect(
      text.hasPrefix("LongerCitizenView <Citizen> {\n\tname(\\.firstName) = Ada;\n"), "\(text)")
    #expect(text.contains("\tcity(\\.home.city) = London;\n"), "\(text)")
    #expect(text.contains("friendsNames(\\.friends.firstName) = ProjectedCollection"), "\(text)")
    #expect(text.contains("\tsite(\\.site) = (null);\n"), "\(text)")
    #expect(text.hasSuffix("\tid(\\.number) = 1;\n}"), "\(text)")
  }

  @Test func `a key path through an optional is not writable`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CitizenView(projecting: Citizen()).city = "Paris"
    }
    expectStop(result, says: "KeyPath is not writable")
  }

  @Test func `an element that is read only is not writable`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CitizenView(projecting: Citizen(value: ["friends": [[5]]])).friendsCalls[0] = "Paris"
    }
    expectStop(result, says: "KeyPath is not writable")
  }

  @Test func `writing outside of a transaction`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.makeRealm().objects(CitizenView.self).first?.name = "x"
    }
    expectStop(result, says: "Cannot modify managed objects outside of a write transaction")
  }

  @Test func `a property that is not persisted`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WrongView(projecting: Citizen())
    }
    expectStop(result, says: "@Projected property 'whole' must be a part of Realm object")
    let elements = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WrongElementsView(projecting: Citizen())
    }
    expectStop(elements, says: "does not lead to a persisted property")
  }

  @Test func `a projection as a property`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Holder: Object {
        @Persisted var views: List<CitizenView>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      _ = Holder(value: ["views": []])
    }
    expectStop(result, says: "A Projection cannot be stored")
  }

  @Test func `a name that only the projection has`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.makeRealm().objects(CitizenView.self).filter("spouseName == 'x'")
    }
    expectStop(result, says: "spouseName")
  }
}
