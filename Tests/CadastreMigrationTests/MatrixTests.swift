import Cadastre
import Foundation
import Testing

/// Files of every release of the fixture application, opened with every later one.
@Suite struct MatrixTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func store(_ version: Int, _ name: String) -> SurveyStore {
    SurveyStore(version: version, url: folder.url("\(name).cadastre"))
  }

  /// Compares what a store holds with what it must hold, object by object.
  private func expectRight(_ store: SurveyStore, from origin: Int) throws {
    let found = try store.contents()
    let expected = SurveyFacts(version: store.version, origin: origin).objects
    #expect(Set(found.keys) == Set(expected.keys))
    for (name, objects) in expected {
      let others = found[name] ?? []
      #expect(others.count == objects.count, "\(name) of \(origin) in \(store.version)")
      for (object, other) in zip(objects, others) {
        for (property, value) in object {
          #expect(
            other[property] == value,
            "\(name).\(property) from \(origin) in \(store.version), of \(object["number"] ?? .null)"
          )
        }
        #expect(other.count == object.count)
      }
    }
    #expect(try problems(store.url) == [])
  }

  @Test(arguments: SurveyStore.versions)
  func `a store is what it was written as`(_ version: Int) throws {
    let store = store(version, "same")
    try store.fill()
    try expectRight(store, from: version)
  }

  @Test(arguments: SurveyStore.versions)
  func `every later release opens a store of an earlier one`(_ origin: Int) throws {
    for version in SurveyStore.versions where version > origin {
      try store(origin, "\(origin) to \(version)").fill()
      let migrated = store(version, "\(origin) to \(version)")
      try expectRight(migrated, from: origin)
      try expectAnswers(migrated, from: origin)
      try expectWritable(migrated)
    }
  }

  @Test(arguments: SurveyStore.versions)
  func `releases one after the other come to the same`(_ origin: Int) throws {
    try store(origin, "steps").fill()
    for version in SurveyStore.versions where version > origin {
      try expectRight(store(version, "steps"), from: origin)
    }
  }

  /// Queries through indexes must have the results that the facts define.
  private func expectAnswers(_ store: SurveyStore, from origin: Int) throws {
    let realm = try Realm(configuration: store.configuration)
    let numbers = 0..<SurveyFacts.parcelCount
    let parcels = realm.dynamicObjects("Parcel")
    #expect(parcels.filter("number == 'P7'").count == 1)
    #expect(parcels.filter("area > 30").count == numbers.filter { $0 * 3 + 1 > 30 }.count)
    #expect(
      parcels.filter("owner.name == 'Owner 2'").count
        == numbers.filter { $0 % 6 != 0 && $0 % 4 == 2 }.count)
    if store.version >= 2 {
      #expect(realm.dynamicObject(ofType: "Parcel", forPrimaryKey: "P7") != nil)
    }
    if store.version == 5 || store.version == 7 {
      #expect(
        parcels.filter("note TEXT 'note -8'").count
          == numbers.filter { $0 % 3 != 0 && $0 != 8 }.count)
    }
    guard store.version != 6 else { return }
    let place = store.version < 4 ? "center" : "location"
    // Its sides are meridians, and of what is between them nothing is near the other edges.
    let found = parcels.filter("\(place) GEOWITHIN geoBox([-40.5, -20.5], [40.5, 20.5])")
    let inside = numbers.filter {
      SurveyFacts.hasPlace($0) && abs(SurveyFacts.place($0).longitude) < 40.5
    }
    #expect(found.map { $0["number"] as? String ?? "" } == inside.map { "P\($0)" })
  }

  /// A migrated store is written like any other.
  private func expectWritable(_ store: SurveyStore) throws {
    let realm = try Realm(configuration: store.configuration)
    let place = store.version < 4 ? "center" : "location"
    try realm.write {
      for parcel in realm.dynamicObjects("Parcel") where (parcel["area"] as? Double ?? 0) > 20 {
        parcel["note"] = "changed"
        parcel[place] = ["type": "Point", "coordinates": [1.0, 2.0]]
        parcel["address"] = ["street": "New"]
      }
      realm.dynamicCreate("Parcel", value: ["number": "new"])
      realm.delete(realm.dynamicObjects("Parcel").filter("number == 'P1'"))
      realm.delete(realm.dynamicObjects("Owner").filter("name == 'Owner 3'"))
    }
    #expect(try problems(store.url) == [])
  }
}
