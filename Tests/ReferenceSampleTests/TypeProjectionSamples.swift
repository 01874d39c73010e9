// swift-format-ignore-file: NeverForceUnwrap
public import Foundation
public import RealmSwift
import Testing
import TestingSupport

/// A coordinate as Core Location has it, which Linux does not.
public struct CLLocationCoordinate2D: Hashable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

// Where converting cannot fail.
extension CLLocationCoordinate2D: CustomPersistable {
  // What is stored: here an embedded object.
  public typealias PersistedType = Location
  // From what is stored to what is used, on reading.
  public init(persistedValue: PersistedType) {
    self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
  }
  // From what is used to what is stored, on writing.
  public var persistableValue: PersistedType {
    Location(value: [self.latitude, self.longitude])
  }
}

// Where it can fail: nil is read where what is stored is no URL.
extension URL: FailableCustomPersistable {
  public typealias PersistedType = String
  public init?(persistedValue: String) { self.init(string: persistedValue) }
  public var persistableValue: String { self.absoluteString }
}

class Club: Object {
  @Persisted var id: ObjectId
  @Persisted var name: String
  // Optional, since reading it may fail.
  @Persisted var url: URL?
  // Required, though it is mapped to an embedded object; where that is null, its fields are zero.
  @Persisted var location: CLLocationCoordinate2D

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

public class Location: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double

  override public class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Type projection, and custom types, as the older page calls it.
@Suite struct TypeProjectionSamples {
  private let realm: Realm

  init() throws {
    realm = try openRealm(Club.self, Location.self)
    // Initialize objects and assign values
    let club = Club(value: ["name": "American Kennel Club", "url": "https://akc.org"])
    let club2 = Club()
    club2.name = "Continental Kennel Club"
    // Type safety is that of the mapped type.
    club2.url = URL(string: "https://ckcusa.com/")!
    club2.location = CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777)
    let realm = realm
    try realm.write { realm.add([club, club2]) }
  }

  @Test func `objects made from persisted and from mapped values`() throws {
    let clubs = realm.objects(Club.self)
    #expect(clubs[0].url == URL(string: "https://akc.org"))
    #expect(clubs[0].location == CLLocationCoordinate2D(latitude: 0, longitude: 0))
    #expect(clubs[1].url?.host() == "ckcusa.com")
    #expect(clubs[1].location == CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777))
  }

  @Test func `at the top level, optional and in collections`() throws {
    class Tour: Object {
      @Persisted var start: CLLocationCoordinate2D
      @Persisted var end: CLLocationCoordinate2D?
      @Persisted var stops: List<CLLocationCoordinate2D>
      @Persisted var named: Map<String, CLLocationCoordinate2D?>
      @Persisted var links: List<URL>
      @Persisted var linkSet: MutableSet<URL>
      @Persisted var namedLinks: Map<String, URL>

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    let realm = try openRealm(Tour.self, Location.self)
    let place = CLLocationCoordinate2D(latitude: 1, longitude: 2)
    let url = try #require(URL(string: "https://akc.org"))
    let tour = Tour()
    tour.end = place
    tour.stops.append(place)
    tour.named["a"] = place
    tour.links.append(url)
    try realm.write { realm.add(tour) }
    try realm.write {
      tour.start = place
      tour.stops.append(tour.start)
      tour.linkSet.insert(url)
      tour.namedLinks["a"] = url
    }
    let read = try #require(realm.objects(Tour.self).first)
    #expect(read.start == place && read.end == place && Array(read.stops) == [place, place])
    #expect(read.named["a"] == place && Array(read.links) == [url])
    #expect(read.linkSet.contains(url) && read.namedLinks["a"] == url)
  }

  @Test func `an invalid value is nil in an optional property`() throws {
    let club = try #require(realm.objects(Club.self).first)
    // No URL is empty.
    try realm.write { club["url"] = "" }
    #expect(club.url == nil && club["url"] as? String == "")
  }

  @Test func `an invalid value stops the process in a required one`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      class Page: Object {
        @Persisted var url: URL = URL(filePath: "/")

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      let realm = try openRealm(Page.self)
      let page = Page()
      try realm.write {
        realm.add(page)
        page["url"] = ""
      }
      _ = page.url
    }
    expectStop(result, says: "Failed to convert persisted value '' to type 'URL' in a non-optional")
  }

  @Test func `the schema shows persisted types`() {
    let schema = realm.schema["Club"]
    #expect(schema?["url"]?.type == .string && schema?["url"]?.isOptional == true)
    #expect(schema?["location"]?.type == .object)
    #expect(schema?["location"]?.objectClassName == "Location")
  }

  enum Plain {
    class Club: Object {
      @Persisted var id: ObjectId
      @Persisted var name: String
      @Persisted var url: String?
      @Persisted var location: Location?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  private func withClubs<C: Object>(
    _ type: C.Type, at url: URL, _ change: (Realm, C) throws -> Void
  ) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(fileURL: url, objectTypes: [type, Location.self]))
    if realm.objects(type).isEmpty { try realm.write { realm.add(type.init()) } }
    try change(realm, realm.objects(type)[0])
  }

  @Test func `changing between the types needs no migration`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "clubs")
    try withClubs(Club.self, at: file) { realm, club in
      try realm.write {
        club.url = URL(string: "https://akc.org")
        club.location = CLLocationCoordinate2D(latitude: 1, longitude: 2)
      }
    }
    try withClubs(Plain.Club.self, at: file) { realm, club in
      #expect(club.url == "https://akc.org" && club.location?.longitude == 2)
      try realm.write {
        club.url = "https://ckcusa.com/"
        club.location = nil
      }
    }
    try withClubs(Club.self, at: file) { realm, club in
      #expect(club.url?.host() == "ckcusa.com")
      #expect(club.location == CLLocationCoordinate2D(latitude: 0, longitude: 0))
    }
  }

  @Test func `queries take persisted and mapped values`() throws {
    let akcClub = realm.objects(Club.self).where { $0.name == "American Kennel Club" }.first!
    // You can use type-safe expressions to check for equality
    #expect(akcClub.url == URL(string: "https://akc.org")!)

    let clubs = realm.objects(Club.self)
    // You can use the persisted property type in NSPredicate query expressions
    let akcByUrl = clubs.filter("url == 'https://akc.org'").first!
    #expect(akcByUrl.name == "American Kennel Club")

    let url = URL(string: "https://akc.org")!
    #expect(clubs.where { $0.url == url }.map(\.name) == ["American Kennel Club"])
    #expect(clubs.where { $0.url != url }.map(\.name) == ["Continental Kennel Club"])
    #expect(clubs.where { $0.url.in([url]) }.count == 1)
    #expect(clubs.where { $0.url.persistableValue == "https://akc.org" }.count == 1)
    #expect(clubs.where { $0.url.persistableValue.ends(with: "/") }.count == 1)
    #expect(clubs.filter("url == %@", url).first?.isSameObject(as: akcClub) == true)
    #expect(clubs.filter("url == %@", "https://akc.org").first?.isSameObject(as: akcClub) == true)
    #expect(clubs.filter("url IN %@", [url]).first?.isSameObject(as: akcClub) == true)
  }

  @Test func `sorting and aggregates as the persisted type has them`() throws {
    struct Meters: CustomPersistable, Hashable, MinMaxType, AddableType {
      typealias PersistedType = Double

      var value: Double

      init(_ value: Double) { self.value = value }

      init(persistedValue: Double) { value = persistedValue }

      var persistableValue: Double { value }
    }

    class Climb: Object {
      @Persisted var height: Meters

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    let byUrl = realm.objects(Club.self).sorted(byKeyPath: "url", ascending: false)
    #expect(byUrl.map { $0.url?.host() } == ["ckcusa.com", "akc.org"])

    let climbs = try openRealm(Climb.self)
    try climbs.write { for height in [2, 8, 5.0] { climbs.create(Climb.self, value: [height]) } }
    let all = climbs.objects(Climb.self)
    #expect(all.sorted(byKeyPath: "height").map(\.height.value) == [2, 5, 8])
    #expect(all.sorted(by: \.height).last?.height == Meters(8))
    #expect(all.max(of: \.height) == Meters(8) && all.min(ofProperty: "height") == 2.0)
    #expect(all.sum(of: \.height) == Meters(15) && all.average(ofProperty: "height") == 5.0)
    #expect(all.where { $0.height.persistableValue > 4 }.count == 2)
  }

  @Test func `embedded objects compare member by member with mapped values`() throws {
    let clubs = realm.objects(Club.self)
    let place = CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777)
    #expect(clubs.where { $0.location == place }.map(\.name) == ["Continental Kennel Club"])
    #expect(clubs.filter("location == %@", place).map(\.name) == ["Continental Kennel Club"])
    let elsewhere = CLLocationCoordinate2D(latitude: 40.7509, longitude: 0)
    #expect(clubs.where { $0.location == elsewhere }.isEmpty)
    #expect(clubs.where { $0.location.persistableValue.latitude > 40 }.count == 1)

    // An embedded object that no Realm manages is compared by its members, too.
    let persisted = place.persistableValue
    let found = clubs.where { $0.location.persistableValue == persisted }
    #expect(found.map(\.name) == ["Continental Kennel Club"])
    #expect(clubs.filter("location == %@", persisted).map(\.name) == ["Continental Kennel Club"])
    #expect(clubs.filter("location != %@", persisted).count == 1)
    let stored = try #require(realm.dynamicObjects("Club").last?["location"] as? Location)
    #expect(clubs.filter("location == %@", stored).map(\.name) == ["Continental Kennel Club"])
    #expect(
      clubs.where { $0.location.persistableValue.equalsMemberwise(persisted) }.map(\.name)
        == ["Continental Kennel Club"])
  }

  struct WithList: CustomPersistable {
    init(persistedValue: OnlyList) { words = Array(persistedValue.words) }
    init(words: [String]) { self.words = words }

    var words: [String]
    var persistableValue: OnlyList { OnlyList(value: ["words": words]) }
  }

  class OnlyList: EmbeddedObject {
    @Persisted var words: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  struct WithLink: CustomPersistable {
    init(persistedValue: OnlyLink) { name = persistedValue.club?.name ?? "" }
    init(name: String) { self.name = name }

    var name: String
    var persistableValue: OnlyLink { OnlyLink(value: ["club": Club(value: ["name": name])]) }
  }

  class OnlyLink: EmbeddedObject {
    @Persisted var club: Club?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Unequal: Object {
    @Persisted var list: WithList?
    @Persisted var link: WithLink?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static func unequal() throws -> Results<Unequal> {
    let realm = try openRealm(
      Unequal.self, OnlyList.self, OnlyLink.self, Club.self, Location.self)
    try realm.write {
      let object = Unequal()
      object.list = WithList(words: ["a"])
      object.link = WithLink(name: "a")
      realm.add(object)
    }
    return realm.objects(Unequal.self)
  }

  @Test func `members that are collections are compared, unlike in Realm`() throws {
    let objects = try Self.unequal()
    #expect(objects.first?.list?.words == ["a"])
    #expect(objects.first?.link?.name == "a")
    #expect(objects.where { $0.list == WithList(words: ["a"]) }.count == 1)
    #expect(objects.where { $0.list == WithList(words: ["b"]) }.isEmpty)
    #expect(objects.where { $0.list != WithList(words: ["b"]) }.count == 1)
  }

  @Test func `object links compare by identity`() throws {
    class Member: Object {
      @Persisted var club: Club?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    let realm = try openRealm(Member.self, Club.self, Location.self)
    let club = Club(value: ["name": "a"])
    try realm.write {
      realm.add(Member(value: ["club": club]))
      realm.create(Member.self, value: ["club": Club(value: ["name": "a"])])
    }
    #expect(realm.objects(Member.self).where { $0.club == club }.count == 1)
    #expect(realm.objects(Member.self).filter("club == %@", club).count == 1)
  }

  @Test func `dynamic access reads persisted values and takes both`() throws {
    let club = try #require(realm.dynamicObjects("Club").last)
    #expect(club["url"] as? String == "https://ckcusa.com/")
    let location = try #require(club["location"] as? Location)
    #expect(location["latitude"] as? Double == 40.7509)
    try realm.write {
      club["url"] = URL(string: "https://a.org")
      club["location"] = CLLocationCoordinate2D(latitude: 5, longitude: 6)
    }
    let read = try #require(realm.objects(Club.self).last)
    #expect(read.url?.host() == "a.org" && read.location.longitude == 6)
    try realm.write {
      club["url"] = "https://b.org"
      let made = realm.dynamicCreate(
        "Club", value: ["name": "New", "url": URL(string: "https://c.org") as Any])
      #expect(made["url"] as? String == "https://c.org")
    }
    #expect(read.url?.host() == "b.org")
  }
}
