@testable import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Predicates on collections that no Realm manages.
@Suite struct UnmanagedPredicateTests {
  private static let texts = [
    "#any == 1", "#any.@type == 'string'", "#any[*] == 1", "#any['k'] == 2", "#any.@count > 1",
    "#any == null", "#any[0] < 3", "#any > 'a'", "optionalGrade == null", "decimal >= 2",
    "optionalDecimal == null", "decimal + 1 > 3", "ANY bools == true", "ANY ints > 3",
    "ALL ints < 4", "NONE ints == 2", "ints.@count == 0", "ints.@sum > 5", "ints.@avg >= 2.5",
    "ints[0] == 1", "ints[LAST] > 2", "ints == {1}", "ints == {}", "optionalInts == null",
    "optionalInts.@max == 4", "ANY small == 3", "doubles.@min == 0.5", "floats.@sum == 1.5",
    "ANY strings BEGINSWITH[c] 'a'", "strings LIKE '?b'", "ANY strings ==[d] 'e'",
    "strings.length == 2", "ANY optionalStrings < 'a'", "ANY blobs BEGINSWITH bin('a')",
    "ANY dates > T1:0", "ANY decimals == 2", "ANY anys == 2", "anys[0][0] == 1",
    "ANY intSet IN {1, 2}", "stringSet CONTAINS 'b'", "intSet == {1, 2}", "doubleSet.@max > 1",
    "intMap['k'] > 2", "intMap.@keys == 'l'", "ANY intMap > 3", "intMap.@count == 2",
    "intMap.@sum > ints.@count", "stringMap['k'] == null", "stringMap.@values == 'ab'",
    "anyMap['m'] == 1", "anyMap.k.@count == 2", "link == null", "link.name == 'ann'",
    "link.rank > 1", "link.rank == null", "link.next.name != 'bob'", "link.friends.@count == 0",
    "link.@count == 1", "ANY link.friends.rank == 1", "ALL link.friends.rank == 1",
    "ANY links.name == 'eve'", "ALL links.rank != null", "links.@count > 1",
    "SUBQUERY(links, $x, $x.rank > 1 AND $x.name != 'eve').@count > 0", "links.@max.rank == 3",
    "links[0].name == 'ann'", "links[1].rank < 2", "ANY links.next == null",
    "ANY links.friends.name == 'dée'", "ANY linkSet.rank == 2", "linkMap['k'].name == 'ann'",
    "linkMap.@values.rank > 1", "linkMap['l'] == null", "linkMap.@count > 1", "spot == null",
    "spot.name == 'ab'", "ANY spot.words == 'a'", "spot.words.@count > 1", "spot.seen.rank == 2",
    "spot.seen == link", "spot.seen.friends.@count > 1", "ANY knots.text == 'a'",
    "knots.numbers == 2", "ALL knots.numbers > 1", "knots.@count == 2", "knots[0].text == ''",
    "SUBQUERY(knots, $k, ANY $k.numbers == 1).@count > 0", "knots.seen.name == 'bob'",
    "knotMap['k'].text == 'b'", "ANY ints > 1 AND (link == null OR spot != null)",
  ]

  @Test(arguments: Seeds.usual(1...3))
  func `unmanaged objects match what stored ones match`(seed: UInt64) throws {
    var unmanaged = RandomEveries(seed: seed)
    let objects = unmanaged.objects(12).everies
    let stored = try RandomEveries.checks(seed: seed, count: 12).realm.objects(Every.self)
    for text in Self.texts.flatMap({ [$0, "NOT (\($0))"] }) {
      let matching = Set(try stored.filter(parsing: text).map(\.id))
      let all = List<Every>()
      all.append(objectsIn: objects)
      #expect(
        try all.index(parsing: text) == objects.firstIndex { matching.contains($0.id) },
        "seed \(seed): \(text)")
      for object in objects {
        let one = List<Every>()
        one.append(object)
        #expect(
          try (one.index(parsing: text) == 0) == matching.contains(object.id),
          "seed \(seed): \(text), \(object.id)")
      }
    }
  }

  @Test func `links are compared by identity`() throws {
    let realm = try everyRealm()
    let (ann, bob, eve) = (Other("ann"), Other("bob"), Other("eve"))
    try realm.write { realm.add([ann, bob]) }
    let list = List<Every>()
    for link in [ann, bob, nil, eve] {
      let every = Every()
      every.link = link
      if let link { every.links.append(objectsIn: [eve, link]) }
      every.any = link.map { .object($0) } ?? .none
      list.append(every)
    }
    #expect(try list.index(parsing: "link == %@", arguments: [bob]) == 1)
    #expect(try list.index(parsing: "link != %@", arguments: [ann]) == 1)
    #expect(try list.index(parsing: "ANY links == %@", arguments: [bob]) == 1)
    #expect(try list.index(parsing: "link IN %@", arguments: [[bob, ann]]) == 0)
    #expect(try list.index(parsing: "#any == %@", arguments: [bob]) == 1)
    #expect(try list.index(parsing: "#any.name == 'eve'") == 3)
    // An object that is stored nowhere is equal to no object.
    #expect(try list.index(parsing: "link == %@", arguments: [eve]) == nil)
    #expect(try list.index(parsing: "link != %@", arguments: [eve]) == 0)
    // Two unmanaged objects with the same values are two objects.
    let other = Every()
    other.link = Other("x")
    other.spot = Spot()
    other.spot?.seen = Other("x")
    list.append(other)
    #expect(try list.index(parsing: "link == spot.seen") == 2)
    other.spot?.seen = other.link
    #expect(try list.index(parsing: "link == spot.seen AND link != null") == 4)
  }

  @Test func `an object that leads back to itself is tested`() throws {
    let (one, two) = (Other("one"), Other("two"))
    one.next = two
    two.next = one
    one.friends.append(objectsIn: [two, one])
    let list = List<Other>()
    list.append(objectsIn: [two, one])
    #expect(try list.index(parsing: "next.next.name == 'one'") == 1)
    #expect(try list.index(parsing: "ANY friends.next.name == 'two'") == 1)
    #expect(try list.index(parsing: "byNext.@count == 0 AND @links.@count == 0") == 0)
  }

  final class Stop: Object {
    @Persisted var place: Location?
    @Persisted var border: Geometry?
    @Persisted var places: List<Location>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `points and geometries are tested`() throws {
    let list = List<Stop>()
    for longitude in [10.0, 20, 30] {
      let stop = Stop()
      if longitude < 30 {
        stop.place = Location()
        stop.place?.coordinates.append(objectsIn: [longitude, 50])
        stop.border = try Geometry(wkt: "LINESTRING (\(longitude) 0, \(longitude) 10)")
      }
      if let place = stop.place {
        let copy = Location()
        copy.coordinates.append(objectsIn: Array(place.coordinates))
        stop.places.append(copy)
      }
      list.append(stop)
    }
    #expect(try list.index(parsing: "place GEOWITHIN geoBox([15, 40], [25, 60])") == 1)
    #expect(try list.index(parsing: "NOT place GEOWITHIN geoBox([5, 40], [15, 60])") == 1)
    #expect(try list.index(parsing: "ANY places GEOWITHIN geoCircle([20, 50], 10km)") == 1)
    #expect(try list.index(parsing: "place.longitude > 15") == 1)
    #expect(try list.index(parsing: "place == null") == 2)
    #expect(try list.index(parsing: "place.coordinates.@count == 2 AND place.type == 'Point'") == 0)
    #expect(
      try list.index(parsing: "border GEOINTERSECTS geometry('LINESTRING (15 5, 25 5)')") == 1)
    #expect(try list.index(parsing: "GEODISTANCE(place, geometry('POINT (20 50)')) < 1km") == 1)
    #expect(try list.index(parsing: "border.centroid.longitude > 15") == 1)
  }
}
