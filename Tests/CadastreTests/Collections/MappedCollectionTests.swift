import Cadastre
import CadastreModel
import Foundation
import Testing
import TestingSupport

extension Coordinate: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(latitude)
    hasher.combine(longitude)
  }
}

/// A number of cents, stored as a whole number.
struct Cents: CustomPersistable, Hashable, MinMaxType, AddableType {
  typealias PersistedType = Int

  var amount: Int

  init(amount: Int) { self.amount = amount }

  init(persistedValue: Int) { amount = persistedValue }

  var persistableValue: Int { amount }
}

class Atlas: Object {
  @Persisted var links: List<URL>
  @Persisted var looseLinks: List<URL?>
  @Persisted var linkSet: MutableSet<URL>
  @Persisted var namedLinks: Map<String, URL>
  @Persisted var looseNamedLinks: Map<String, URL?>
  @Persisted var places: List<Coordinate>
  @Persisted var namedPlaces: Map<String, Coordinate?>
  @Persisted var sizes: List<Size>
  @Persisted var looseSizes: List<Size?>
  @Persisted var sizeSet: MutableSet<Size>
  @Persisted var prices: List<Cents>
  @Persisted var price: Cents
  @Persisted var size: Size
  @Persisted var maximum: Cents?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same columns as ``Atlas``, without mapping.
private let plainDescriptions = [
  "links: list of string", "looseLinks: list of string, optional", "linkSet: set of string",
  "namedLinks: map of string", "looseNamedLinks: map of string, optional",
  "places: list of MappedLocation", "namedPlaces: map of MappedLocation, optional",
  "sizes: list of int", "looseSizes: list of int, optional", "sizeSet: set of int",
  "prices: list of int", "price: int", "size: int", "maximum: int, optional",
]

/// Mapped types as the elements of collections.
@Suite struct MappedCollectionTests {
  static func makeRealm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Atlas.self, MappedLocation.self]))
  }

  static func url(_ name: String) -> URL { URL(filePath: "/\(name)", directoryHint: .notDirectory) }

  static func atlas() -> Atlas {
    let atlas = Atlas()
    atlas.links.append(objectsIn: [url("b"), url("a"), url("b")])
    atlas.looseLinks.append(objectsIn: [url("z"), nil])
    atlas.linkSet.insert(objectsIn: [url("b"), url("a"), url("b")])
    atlas.namedLinks["x"] = url("x")
    atlas.looseNamedLinks["n"] = .some(nil)
    atlas.looseNamedLinks["y"] = url("y")
    atlas.places.append(Coordinate(latitude: 1, longitude: 2))
    atlas.namedPlaces["p"] = Coordinate(latitude: 3, longitude: 4)
    atlas.namedPlaces["q"] = .some(nil)
    atlas.sizes.append(objectsIn: [.large, .small])
    atlas.looseSizes.append(objectsIn: [nil, .small])
    atlas.sizeSet.insert(.large)
    atlas.prices.append(objectsIn: [Cents(amount: 250), Cents(amount: 100)])
    atlas.price = Cents(amount: 50)
    return atlas
  }

  private let realm: Realm
  private let atlas: Atlas
  private let read: Atlas

  init() throws {
    realm = try Self.makeRealm()
    atlas = Self.atlas()
    let (realm, atlas) = (realm, atlas)
    try realm.write { realm.add(atlas) }
    read = try #require(realm.objects(Atlas.self).first)
  }

  private func url(_ name: String) -> URL { Self.url(name) }

  @Test func `the schema shows persisted types`() {
    #expect(realm.schema["Atlas"]?.properties.map(\.summary) == plainDescriptions)
  }

  @Test func `mapped elements come back`() {
    for atlas in [Self.atlas(), atlas, read] {
      #expect(Array(atlas.links) == [url("b"), url("a"), url("b")])
      #expect(Array(atlas.looseLinks) == [url("z"), nil])
      #expect(Set(atlas.linkSet) == [url("a"), url("b")] && atlas.linkSet.contains(url("a")))
      #expect(atlas.namedLinks["x"] == url("x") && atlas.namedLinks["?"] == nil)
      #expect(atlas.looseNamedLinks["n"] == .some(nil) && atlas.looseNamedLinks["y"] == url("y"))
      #expect(Array(atlas.places) == [Coordinate(latitude: 1, longitude: 2)])
      #expect(atlas.namedPlaces["p"] == Coordinate(latitude: 3, longitude: 4))
      #expect(atlas.namedPlaces["q"] == .some(nil) && atlas.namedPlaces["?"] == nil)
      #expect(Array(atlas.sizes) == [.large, .small] && Array(atlas.looseSizes) == [nil, .small])
      #expect(atlas.sizeSet.contains(.large) && !atlas.sizeSet.contains(.small))
      #expect(atlas.prices.map(\.amount) == [250, 100] && atlas.price.amount == 50)
    }
  }

  @Test func `mapped elements are modified in place`() throws {
    try realm.write {
      read.links[0] = url("c")
      read.links.insert(url("d"), at: 1)
      read.looseLinks[0] = nil
      read.linkSet.remove(url("a"))
      read.namedLinks["x"] = nil
      read.namedLinks["w"] = url("w")
      read.places[0] = Coordinate(latitude: 9, longitude: 8)
      read.places.append(Coordinate(latitude: 7, longitude: 6))
      read.namedPlaces["p"] = .some(nil)
      read.namedPlaces["q"] = Coordinate(latitude: 5, longitude: 5)
      read.sizes.removeFirst()
    }
    #expect(Array(atlas.links) == [url("c"), url("d"), url("a"), url("b")])
    #expect(Array(atlas.looseLinks) == [nil, nil] && Array(atlas.linkSet) == [url("b")])
    #expect(atlas.namedLinks.keys == ["w"] && atlas.places.map(\.latitude) == [9, 7])
    #expect(atlas.namedPlaces["p"] == .some(nil) && atlas.namedPlaces["q"]??.latitude == 5)
    #expect(Array(atlas.sizes) == [.small])
    #expect(atlas.links.index(of: url("a")) == 2 && atlas.links.index(of: url("?")) == nil)
    try realm.write { realm.delete(atlas) }
    #expect(realm.isEmpty)
  }

  @Test func `dynamic access gives persisted values and takes both`() throws {
    #expect((read["links"] as? List<String>)?.first == "file:///b")
    #expect((read["looseLinks"] as? List<String?>)?.last == .some(nil))
    #expect((read["linkSet"] as? MutableSet<String>)?.contains("file:///a") == true)
    #expect((read["namedLinks"] as? Map<String, String>)?["x"] == "file:///x")
    #expect((read["sizes"] as? List<Int>).map(Array.init) == [5, 1])
    let places = try #require(read["places"] as? List<DynamicObject>)
    #expect(places.first?["longitude"] as? Double == 2)
    let named = try #require(read["namedPlaces"] as? Map<String, DynamicObject?>)
    #expect(named["p"]??["latitude"] as? Double == 3)
    #expect(read["price"] as? Int == 50 && read["size"] as? Int == 1)
    try realm.write {
      read["links"] = ["https://a.org", url("b")] as [Any]
      read["namedLinks"] = ["k": "https://k.org"]
      read["sizes"] = [5, Size.small] as [Any]
      read["places"] = [["latitude": 11], Coordinate(latitude: 12, longitude: 0)] as [Any]
      read["price"] = Cents(amount: 1)
      read["maximum"] = 2
    }
    #expect(Array(atlas.links) == [URL(string: "https://a.org"), url("b")])
    #expect(atlas.namedLinks["k"]?.host() == "k.org" && Array(atlas.sizes) == [.large, .small])
    #expect(atlas.places.map(\.latitude) == [11, 12])
    #expect(atlas.price.amount == 1 && atlas.maximum?.amount == 2)
  }

  @Test func `objects are made from persisted and mapped values`() {
    let made = Atlas(value: [
      "links": ["https://a.org"], "looseLinks": [nil, url("b")] as [Any?],
      "namedPlaces": ["p": ["latitude": 1]], "sizeSet": [1, 5, 1], "price": 3,
    ])
    #expect(made.links.first?.host() == "a.org" && Array(made.looseLinks) == [nil, url("b")])
    #expect(made.namedPlaces["p"]??.latitude == 1 && made.sizeSet.count == 2)
    #expect(made.price.amount == 3)
  }

  @Test func `order and aggregates are those of the persisted type`() {
    #expect(Array(read.links.sorted()) == [url("a"), url("b"), url("b")])
    #expect(Array(read.links.distinct()) == [url("b"), url("a")])
    #expect(Array(read.looseLinks.sorted()) == [nil, url("z")])
    #expect(Array(read.sizes.sorted()) == [.small, .large] && read.sizes.max() == .large)
    #expect(read.sizes.min() == .small && read.looseSizes.min() == .small)
    #expect(read.prices.min()?.amount == 100 && read.prices.max()?.amount == 250)
    #expect(read.prices.sum() == Cents(amount: 350))
    #expect(read.prices.average() == Cents(amount: 175))
    let atlases = realm.objects(Atlas.self)
    #expect(atlases.max(of: \.price)?.amount == 50 && atlases.sum(of: \.price).amount == 50)
    #expect(atlases.min(of: \.size) == .small && atlases.max(of: \.maximum) == nil)
    #expect(atlases.sorted(by: \.price).first?.price.amount == 50)
    #expect(atlases.sectioned(by: \.size).allKeys == [.small])
  }

  @Test func `an optional element that cannot be mapped is nil`() throws {
    try realm.write {
      (read["looseLinks"] as? List<String?>)?.append("")
      (read["looseSizes"] as? List<Int?>)?.append(3)
      (read["looseNamedLinks"] as? Map<String, String?>)?["e"] = ""
    }
    #expect(Array(read.looseLinks) == [url("z"), nil, nil])
    #expect(Array(read.looseSizes) == [nil, .small, nil])
    #expect(read.looseNamedLinks["e"] == .some(nil) && read.looseNamedLinks.count == 3)
  }

  @Test func `a required element that cannot be mapped is a read error`() throws {
    let realm = try Self.makeRealm()
    let atlas = Self.atlas()
    try realm.write {
      realm.add(atlas)
      (atlas["sizes"] as? List<Int>)?.append(3)
    }
    #expect(Array(atlas.sizes).last == .small)
    let message = realm.readError?.localizedDescription ?? ""
    #expect(
      message.contains("a collection holds a value that type 'Size' cannot hold"), "\(message)")
  }

  @Test func `a required element that its mapping refuses`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Self.makeRealm()
      let atlas = Self.atlas()
      try realm.write {
        realm.add(atlas)
        (atlas["links"] as? List<String>)?.append("")
      }
      _ = atlas.links[3]
    }
    expectStop(result, says: "Could not convert value '' to type 'URL'")
    let map = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Self.makeRealm()
      let atlas = Self.atlas()
      try realm.write {
        realm.add(atlas)
        (atlas["namedLinks"] as? Map<String, String>)?["e"] = ""
      }
      _ = atlas.namedLinks["e"]
    }
    expectStop(map, says: "Could not convert value '' to type 'URL'")
  }

  @Test func `a value that does not fit an element`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Atlas(value: ["links": [""]])
    }
    expectStop(result, says: "Invalid value '[\"\"]' of type")
  }

  @Test func `a required property whose type has no default must be given`() throws {
    class Page: Object {
      @Persisted var link = URL(filePath: "/none")
      @Persisted var number = 0

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Page.self]))
    try realm.write {
      for (number, name) in ["b", "a"].enumerated() {
        realm.create(Page.self, value: ["link": url(name), "number": number])
      }
      realm.create(Page.self)
    }
    let pages = realm.objects(Page.self)
    #expect(pages.where { $0.link == url("a") }.map(\.number) == [1])
    #expect(pages.sorted(by: \.link).map(\.number) == [1, 0, 0])
    #expect(pages.last?.link == URL(filePath: "/none"))
  }

  @Test func `a default that cannot be mapped`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class NeedsLink: Object {
        @Persisted var link: URL

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      _ = NeedsLink().link
    }
    expectStop(
      result,
      says: "Failed to default construct a URL using the default value for persisted type String")
  }
}
