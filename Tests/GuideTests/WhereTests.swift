import Cadastre
import Foundation
import Testing
import TestingSupport

/// The conditions of `Where.md`: each row of its tables selects the same boats in all its forms.
@Suite struct WhereTests {
  enum Kind: String, PersistableEnum, Codable { case dinghy, yacht, ferry }

  class Boat: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var nick: String?
    @Persisted var crew = 0
    @Persisted var seats = 0
    @Persisted var isFast = false
    @Persisted var kind: Kind
    @Persisted var built: Date?
    @Persisted var plate = Data()
    @Persisted(fullText: true) var log = ""
    @Persisted var home: Harbour?
    @Persisted var paint: Paint?
    @Persisted var place: Place?
    @Persisted var marks: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var trips: List<Trip>
    @Persisted var specs: Map<String, Double>
    @Persisted var extra: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Harbour: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var border: Geometry
    @Persisted(originProperty: "home") var boats: LinkingObjects<Boat>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Trip: Object {
    @Persisted var miles = 0
    @Persisted var goal: Harbour?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Paint: EmbeddedObject {
    @Persisted var colour = ""
    @Persisted var year = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Place: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    var latitude: Double { coordinates[1] }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let realm: Realm
  private let ost: Harbour
  private let first: Boat

  init() throws {
    realm = try openRealm(Boat.self, Harbour.self, Trip.self, Paint.self, Place.self)
    (ost, first) = try Self.fill(realm)
  }

  private static func fill(_ realm: Realm) throws -> (Harbour, Boat) {
    try realm.write {
      let ost = Harbour(value: ["name": "Ost"])
      ost.border = try Geometry(wkt: "POLYGON ((16 48, 17 48, 17 49, 16 49, 16 48))")
      let west = Harbour(value: ["name": "West"])
      west.border = try Geometry(wkt: "POLYGON ((2 48, 3 48, 3 49, 2 49, 2 48))")
      realm.add([ost, west])
      let albatros = realm.create(
        Boat.self,
        value: [
          "id": 1, "name": "Albatros", "nick": "Alba", "crew": 3, "seats": 6, "isFast": true,
          "kind": "yacht", "built": Date(timeIntervalSince1970: 1_000_000_000),
          "plate": Data([1, 2, 3]), "log": "A northern wind", "home": ost,
          "paint": ["colour": "blue", "year": 2010],
          "place": ["coordinates": [16.4, 48.2]], "marks": [1, 4, 5], "tags": ["red", "old"],
          "trips": [["miles": 12, "goal": ost], ["miles": 30, "goal": west]],
          "specs": ["hp": 80, "keel": 2],
          "extra": ["seats": 8, "codes": ["A1", NSNull()]] as [String: Any],
        ] as [String: Any])
      realm.create(
        Boat.self,
        value: [
          "id": 2, "name": "Élan", "crew": 5, "seats": 4, "kind": "ferry", "log": "Calm wind",
          "home": west, "place": ["coordinates": [2.35, 48.85]],
          "trips": [["miles": 5, "goal": west]], "extra": 8,
        ] as [String: Any])
      realm.create(
        Boat.self,
        value: [
          "id": 3, "name": "Möwe", "nick": "Mo", "seats": 3, "log": "wind wind from the north",
          "paint": ["colour": "red", "year": 2010], "marks": [7], "tags": ["new"],
          "specs": ["hp": 5], "extra": "8",
        ] as [String: Any])
      return (ost, albatros)
    }
  }

  /// Expects that the forms of a condition select the same boats.
  private func expect(
    _ ids: [Int], _ condition: ((Query<Boat>) -> Query<Bool>)? = nil, _ text: String? = nil,
    _ arguments: [Any?] = [], _ predicate: Foundation.Predicate<Boat>? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let boats = realm.objects(Boat.self)
    if let condition {
      #expect(
        Set(boats.where(condition).map(\.id)) == Set(ids), "where", sourceLocation: sourceLocation)
    }
    if let text {
      let found = try boats.filter(parsing: text, arguments: arguments)
      #expect(Set(found.map(\.id)) == Set(ids), "text", sourceLocation: sourceLocation)
    }
    if let predicate {
      let found = try boats.filter(predicate)
      #expect(Set(found.map(\.id)) == Set(ids), "#Predicate", sourceLocation: sourceLocation)
    }
  }

  @Test func comparisons() throws {
    try expect([1], { $0.crew == 3 }, "crew == 3", [], #Predicate { $0.crew == 3 })
    try expect([2, 3], { $0.crew != 3 }, "crew != 3", [], #Predicate { $0.crew != 3 })
    try expect([2], { $0.crew > 3 }, "crew > 3", [], #Predicate { $0.crew > 3 })
    try expect([1, 2], { $0.crew >= 3 }, "crew >= 3", [], #Predicate { $0.crew >= 3 })
    try expect([3], { $0.crew < 3 }, "crew < 3", [], #Predicate { $0.crew < 3 })
    try expect([1, 3], { $0.crew <= 3 }, "crew <= 3", [], #Predicate { $0.crew <= 3 })
    try expect(
      [1], { $0.crew.contains(1...3) }, "crew BETWEEN {1, 3}", [],
      #Predicate { (1...3).contains($0.crew) })
    try expect(
      [3], { $0.crew.contains(0..<3) }, "crew >= 0 AND crew < 3", [],
      #Predicate { (0..<3).contains($0.crew) })
    try expect(
      [2, 3], { $0.crew.in([0, 5]) }, "crew IN {0, 5}", [], #Predicate { [0, 5].contains($0.crew) })
    try expect([1], { $0.built.year == 2001 }, "year(built) == 2001")
    try expect([1], nil, "built.year == 2001")
    try expect([1], { $0.built.month.in([8, 9]) }, "month(built) IN {8, 9}")
    try expect(
      [], { $0.built > Date(timeIntervalSinceNow: -86_400) }, "built > now() - 86400")
    let (crews, nicks, kinds) = ([0, 5], ["Alba", "Ost"], Set([Kind.yacht]))
    try expect([2, 3], { crews.contains($0.crew) && [0, 5].contains($0.crew) })
    try expect([1], { nicks.contains($0.nick) && kinds.contains($0.kind) })
    try expect([2], { [nil].contains($0.nick) })
    try expect([], { [Int]().contains($0.crew) })
    try expect([2], { !(0...3).contains($0.crew) && !(0..<4).contains($0.crew) })
    try expect([1], { ("A"..."B").contains($0.nick) && ("A"..<"B").contains($0.name) })
    try expect(
      [1, 3], { $0.crew < $0.seats }, "crew < seats", [], #Predicate { $0.crew < $0.seats })
    try expect([2], { $0.nick == nil }, "nick == NULL", [], #Predicate { $0.nick == nil })
    try expect([1, 3], { $0.nick != nil }, "nick != NULL", [], #Predicate { $0.nick != nil })
    let yacht = Kind.yacht
    try expect([1], { $0.kind == .yacht }, "kind == 'yacht'", [], #Predicate { $0.kind == yacht })
    try expect([1], { $0.isFast }, "isFast == true", [], #Predicate { $0.isFast })
    try expect([2, 3], { !$0.isFast }, "isFast == false", [], #Predicate { !$0.isFast })
    let day = Date(timeIntervalSince1970: 978_307_200)
    try expect(
      [1], { $0.built > day }, "built > '2001-01-01'", [], #Predicate { $0.built! > day })
    try expect([1, 3], nil, "crew + 2 < seats", [], #Predicate { $0.crew + 2 < $0.seats })
  }

  @Test func `and, or, not`() throws {
    try expect(
      [2], { $0.crew > 3 && $0.seats < 6 }, "crew > 3 AND seats < 6", [],
      #Predicate { $0.crew > 3 && $0.seats < 6 })
    try expect(
      [2, 3], { $0.crew > 3 || $0.seats == 3 }, "crew > 3 OR seats == 3", [],
      #Predicate { $0.crew > 3 || $0.seats == 3 })
    try expect([2], { !($0.nick != nil) }, "NOT nick != NULL", [], #Predicate { !($0.nick != nil) })
    try expect([1, 2], { $0.nick != "Mo" }, "nick != 'Mo'", [], #Predicate { $0.nick != "Mo" })
    try expect([], { $0.nick > "Z" }, "nick > 'Z'")
    try expect(
      [1, 2, 3], { !($0.nick > "Z") }, "NOT nick > 'Z'", [], #Predicate { !($0.nick! > "Z") })
  }

  @Test func texts() throws {
    try expect(
      [1], { $0.name.contains("tro") }, "name CONTAINS 'tro'", [],
      #Predicate { $0.name.contains("tro") })
    try expect(
      [1], { $0.name.starts(with: "Alb") }, "name BEGINSWITH 'Alb'", [],
      #Predicate { $0.name.starts(with: "Alb") })
    try expect([1], { $0.name.ends(with: "tros") }, "name ENDSWITH 'tros'")
    try expect([3], { $0.name.like("M?w*") }, "name LIKE 'M?w*'")
    try expect([1], { $0.name.hasPrefix("Alb") && $0.name.hasSuffix("tros") })
    try expect([1, 3], { $0.nick.hasPrefix("Al") || $0.tags.hasSuffix("ew") })
    try expect([1], { $0.name.matches("[A-D].*s") }, "name MATCHES '[A-D].*s'")
    try expect([1, 3], { $0.nick.matches("(al|m).*", caseInsensitive: true) })
    try expect([1, 3], { $0.tags.matches("[on]..") })
    #expect(throws: QueryPredicateError.self) {
      try realm.objects(Boat.self).where(checking: { $0.name.matches("(") })
    }
    try expect(
      [2], { $0.name.starts(with: "é", options: .caseInsensitive) }, "name BEGINSWITH[c] 'é'")
    try expect(
      [2], { $0.name.contains("Elan", options: .diacriticInsensitive) }, "name CONTAINS[d] 'Elan'")
    try expect(
      [2], { $0.name.equals("elan", options: [.caseInsensitive, .diacriticInsensitive]) },
      "name ==[cd] 'elan'")
    try expect(
      [1, 3], { $0.name.notEquals("élan", options: .caseInsensitive) }, "name !=[c] 'élan'")
    try expect([3], { $0.name.like("mö*", caseInsensitive: true) }, "name LIKE[c] 'mö*'")
    try expect([1], { $0.name.contains($0.nick) }, "name CONTAINS nick")
    try expect(
      [], { $0.name.contains("") }, "name CONTAINS ''", [], #Predicate { $0.name.contains("") })
    try expect([], { $0.name == "" }, "name == ''", [], #Predicate { $0.name.isEmpty })
    try expect([1, 3], { $0.log.hasWords("north*") }, "log TEXT 'north*'")
    try expect([1], nil, "name.@count == 8")
    try expect(
      [1], { $0.plate.starts(with: Data([1, 2])) }, "plate BEGINSWITH binary('\u{1}\u{2}')")
  }

  @Test func links() throws {
    try expect([1, 2], { $0.home != nil }, "home != NULL", [], #Predicate { $0.home != nil })
    try expect(
      [1], { $0.home.name == "Ost" }, "home.name == 'Ost'", [],
      #Predicate { $0.home?.name == "Ost" })
    try expect([1], { $0.home == ost }, "home == $0", [ost])
    try expect([1], { $0.home == ost }, "home == obj('Harbour', 'Ost')")
    try expect(
      [1, 3], { $0.paint.year == 2010 }, "paint.year == 2010", [],
      #Predicate { $0.paint?.year == 2010 })
    let blue = Paint(value: ["colour": "blue", "year": 2010])
    try expect([1], { $0.paint == blue }, "paint == $0", [blue])
    let paint = try #require(first.paint)
    try expect(
      [1], { $0.paint.equalsMemberwise(paint) }, "paint == $0",
      [PredicateArgument.memberwise(paint)])
    let harbours = realm.objects(Harbour.self)
    #expect(harbours.where { $0.boats.crew > 3 }.map(\.name) == ["West"])
    #expect(harbours.filter("boats.crew > 3").map(\.name) == ["West"])
    #expect(harbours.filter("@links.Boat.home.crew > 3").map(\.name) == ["West"])
    #expect(
      try harbours.filter(#Predicate<Harbour> { $0.boats.contains { $0.crew > 3 } }).map(\.name)
        == ["West"])
    #expect(harbours.where { $0.boats.count == 1 }.map(\.name).sorted() == ["Ost", "West"])
  }

  @Test func collections() throws {
    try expect([1, 3], { $0.marks.contains(4) || $0.marks == 7 }, "4 IN marks OR ANY marks == 7")
    try expect([3], { $0.marks == 7 }, "ANY marks == 7")
    try expect([1, 2], { !($0.marks == 7) }, "NOT ANY marks == 7")
    try expect(
      [1], { $0.marks.contains(4) }, "ANY marks == 4", [], #Predicate { $0.marks.contains(4) })
    try expect(
      [1, 3], { $0.marks.containsAny(in: [4, 7]) }, "ANY marks IN {4, 7}", [],
      #Predicate { $0.marks.contains { [4, 7].contains($0) } })
    try expect(
      [1, 3], { $0.marks > 4 }, "ANY marks > 4", [], #Predicate { $0.marks.contains { $0 > 4 } })
    try expect(
      [2, 3], { !($0.marks < 4) }, "NONE marks < 4", [],
      #Predicate { !$0.marks.contains { $0 < 4 } })
    try expect(
      [2, 3], { !($0.marks <= 5) }, "ALL marks > 5", [],
      #Predicate { $0.marks.allSatisfy { $0 > 5 } })
    try expect(
      [1], { $0.marks.contains(1...5) }, "marks.@min >= 1 AND marks.@max <= 5")
    try expect([1], { $0.marks[0] == 1 }, "marks[0] == 1", [], #Predicate { $0.marks[0] == 1 })
    try expect([1], nil, "marks[FIRST] == 1", [], #Predicate { $0.marks.first == 1 })
    try expect([3], nil, "marks[LAST] == 7", [], #Predicate { $0.marks.last == 7 })
    try expect(
      [1], { $0.marks.count > 1 }, "marks.@count > 1", [], #Predicate { $0.marks.count > 1 })
    try expect(
      [2], { $0.marks.count == 0 }, "marks.@count == 0", [], #Predicate { $0.marks.isEmpty })
    try expect([1], { $0.tags.starts(with: "ol") }, "ANY tags BEGINSWITH 'ol'")
    try expect(
      [1], { $0.trips.miles > 10 }, "ANY trips.miles > 10", [],
      #Predicate { $0.trips.contains { $0.miles > 10 } })
    try expect([1], { $0.trips.goal == ost }, "ANY trips.goal == $0", [ost])
  }

  @Test func `whole collections`() throws {
    try expect(
      [1], { $0.marks == [1, 4, 5] }, "marks == {1, 4, 5}", [],
      #Predicate { $0.marks == [1, 4, 5] })
    try expect([1, 2], { $0.marks != [7] }, "marks != {7}", [], #Predicate { $0.marks != [7] })
    try expect(
      [1], { $0.tags == ["old", "red"] }, "tags == {'old', 'red'}", [],
      #Predicate { $0.tags == ["old", "red"] })
    try expect(
      [1], { $0.specs == ["hp": 80, "keel": 2] }, "specs == map('hp': 80, 'keel': 2)", [],
      #Predicate { $0.specs == ["hp": 80, "keel": 2] })
    let trips = Array(first.trips)
    try expect([1], { $0.trips == trips }, "trips == $0", [trips])
    let codes = AnyRealmValue.fromArray([.string("A1"), .int(8)])
    try realm.write { first.extra = codes }
    try expect([1], { $0.extra == codes }, "extra == $0", [codes])
    try expect([1], nil, "extra == list('A1', 8)")
  }

  @Test func aggregates() throws {
    try expect([1], { $0.marks.sum > 9 }, "marks.@sum > 9")
    try expect([3], { $0.marks.avg > 4 }, "marks.@avg > 4")
    try expect(
      [1], { $0.marks.min == 1 }, "marks.@min == 1", [], #Predicate { $0.marks.min() == 1 })
    try expect(
      [3], { $0.marks.max == 7 }, "marks.@max == 7", [], #Predicate { $0.marks.max() == 7 })
    try expect([1], { $0.trips.miles.sum > 40 }, "trips.@sum.miles > 40")
    try expect([1, 2], { $0.trips.miles.min > 4 }, "trips.@min.miles > 4")
    try expect([1], { $0.specs.max > 50 }, "specs.@max > 50")
    try expect([2], nil, "marks.@max == NULL", [], #Predicate { $0.marks.max() == nil })
  }

  @Test func subqueries() throws {
    try expect(
      [1], { ($0.trips.miles > 10 && $0.trips.goal.name == "Ost").count >= 1 },
      "SUBQUERY(trips, $t, $t.miles > 10 AND $t.goal.name == 'Ost').@count >= 1", [],
      #Predicate { $0.trips.filter { $0.miles > 10 && $0.goal?.name == "Ost" }.count >= 1 })
    try expect(
      [1], { ($0.trips.miles > 20 && $0.trips.goal.name == "West").count > 0 },
      "SUBQUERY(trips, $t, $t.miles > 20 AND $t.goal.name == 'West').@count > 0", [],
      #Predicate { $0.trips.contains { $0.miles > 20 && $0.goal?.name == "West" } })
    try expect(
      [2, 3], { ($0.trips.miles > 10).count == 0 },
      "SUBQUERY(trips, $t, $t.miles > 10).@count == 0",
      [], #Predicate { $0.trips.allSatisfy { $0.miles <= 10 } })
    try expect(
      [1], { ($0.trips.miles > $0.crew).count >= 1 },
      "SUBQUERY(trips, $t, $t.miles > crew).@count >= 1", [],
      #Predicate { boat in boat.trips.contains { $0.miles > boat.crew } })
  }

  @Test func maps() throws {
    try expect([1], { $0.specs["hp"] > 50 }, "specs['hp'] > 50")
    try expect([2], { $0.specs["hp"] == nil }, "specs['hp'] == NULL")
    try expect([1], { $0.specs.keys == "keel" }, "ANY specs.@keys == 'keel'")
    try expect([1], { $0.specs.keys.starts(with: "k") }, "ANY specs.@keys BEGINSWITH 'k'")
    try expect([1], { $0.specs.values > 50 }, "ANY specs.@values > 50")
    try expect([1], { $0.specs.contains(80) }, "ANY specs == 80")
    try expect(
      [1], { $0.specs.count == 2 }, "specs.@count == 2", [], #Predicate { $0.specs.count == 2 })
  }

  @Test func `values of any type`() throws {
    try expect([2], { $0.extra == .int(8) }, "extra == 8")
    try expect([2], { $0.extra > .int(5) }, "extra > 5")
    try expect([1], { $0.extra["seats"] == .int(8) }, "extra['seats'] == 8")
    try expect([1], { $0.extra["codes"][0] == .string("A1") }, "extra['codes'][0] == 'A1'")
    try expect([1], { $0.extra["codes"].any == .string("A1") }, "extra['codes'][*] == 'A1'")
    try expect([3], { $0.extra.starts(with: .string("8")) }, "extra BEGINSWITH '8'")
    try expect([3], nil, "extra.@type == 'string'")
  }

  @Test func geometries() throws {
    let point = try #require(GeoPoint(latitude: 48.2, longitude: 16.4))
    let limit = try #require(Distance.kilometers(50))
    let circle = GeoCircle(center: point, radius: limit)
    let box = try #require(GeoBox(bottomLeft: (48, 16), topRight: (49, 17)))
    try expect(
      [1], { $0.place.geoWithin(circle) }, "place GEOWITHIN $0", [circle],
      #Predicate { circle.contains($0.place) })
    try expect(
      [1], { $0.place.within(limit, of: point) },
      "place GEOWITHIN geoCircle([16.4, 48.2], 50km)")
    try expect(
      [1], { $0.place.geoWithin(box, edges: .planar) },
      "place GEOWITHIN[planar] geoBox([16, 48], [17, 49])", [],
      #Predicate { box.within.planar.contains($0.place) })
    try expect(
      [1], { $0.place.geoDistance(to: point) < limit },
      "GEODISTANCE(place, geometry('POINT (16.4 48.2)')) < 50km", [],
      #Predicate { circle.distancesInMeters[$0.place] < 5_000 })
    try expect(
      [1], { $0.place.geoDistance(to: point) < $0.crew },
      "GEODISTANCE(place, geometry('POINT (16.4 48.2)')) < crew")
    try expect([1, 2], { $0.place.latitude > 48 }, "place.latitude > 48")
    try expect([1, 2], { $0.place.geoWithin($0.home.border) }, "place GEOWITHIN home.border")
    try expect([1, 2], { $0.home.border.area > 1_000_000 }, "home.border.area > 1000000", [])
  }

  @Test func `three forms give one predicate`() throws {
    let byClosure = realm.objects(Boat.self).where { $0.crew > 3 && $0.home.name == "West" }
    let byText = try realm.objects(Boat.self).filter(parsing: "crew > 3 AND home.name == 'West'")
    let byPredicate = try realm.objects(Boat.self).filter(
      #Predicate<Boat> { $0.crew > 3 && $0.home?.name == "West" })
    #expect([byClosure, byText, byPredicate].allSatisfy { $0.map(\.id) == [2] })
    #expect(Set([byClosure, byText, byPredicate].map { $0.explain() }).count == 1)
    #expect(throws: QueryPredicateError.self) {
      try realm.objects(Boat.self).filter(
        #Predicate<Boat> { $0.name.count > 3 })
    }
  }

  @Test func `conditions of two elements may be met by different ones`() throws {
    try expect([1], { $0.trips.miles > 20 && $0.trips.goal.name == "Ost" })
    try expect([], { ($0.trips.miles > 20 && $0.trips.goal.name == "Ost").count > 0 })
    try expect([], { ($0.trips.miles > 10).count > 0 && $0.crew > 3 })
  }

  func boats(named name: String?, minimumCrew: Int?, in realm: Realm) -> Results<Boat> {
    var boats = realm.objects(Boat.self)
    if let name { boats = boats.where { $0.name.contains(name, options: .caseInsensitive) } }
    if let minimumCrew { boats = boats.where { $0.crew >= minimumCrew } }
    return boats
  }

  @Test func `conditions are assembled`() {
    #expect(boats(named: "A", minimumCrew: 4, in: realm).map(\.id) == [2])
    #expect(boats(named: nil, minimumCrew: nil, in: realm).count == 3)
  }

  @Test func `the article shows this code`() throws {
    let article = Article("Where.md")
    try article.expectSamplesAreCompiled(count: 3)
    try article.expectCellsAreCompiled(count: 98, ofTablesHeaded: "`where`")
  }
}
