import Cadastre
import Foundation
import Testing

/// Results by the values of a property, compared with dictionaries of the same objects.
@Suite struct GroupingTests {
  let realm: Realm
  let airports: Results<Airport>

  init() throws {
    realm = try makeRealm()
    let all = fiveAirports()
    all[0].alternate = all[1]
    all[2].alternate = all[0]
    all[0].runways = 4
    try realm.write { [realm] in realm.add(all) }
    airports = realm.objects(Airport.self)
  }

  @Test func `groups are those of a dictionary`() {
    let byCountry = Dictionary(grouping: airports, by: \.country)
    let counts = airports.grouped(by: \.country).count()
    #expect(counts.map(\.key) == ["BE", "FJ", "FR", "NL"])
    for group in counts { #expect(group.value == byCountry[group.key]?.count) }
    for group in airports.grouped(by: \.country).sum(of: \.runways) {
      #expect(group.value == byCountry[group.key]?.reduce(0) { $0 + $1.runways })
    }
    for group in airports.grouped(by: \.country).max(of: \.elevation) {
      #expect(group.value == byCountry[group.key]?.compactMap(\.elevation).max())
    }
    for group in airports.grouped(by: \.country).min(of: \.elevation) {
      #expect(group.value == byCountry[group.key]?.compactMap(\.elevation).min())
    }
    #expect(
      airports.grouped(by: \.country).average(of: \.elevation).map(\.value)
        == [nil, 59, 341.5, -11])
  }

  @Test func `null comes first, and what lies behind a null link is null`() {
    #expect(
      airports.grouped(by: \.elevation).count().map(\.key) == [nil, -11, 59, 291, 392])
    let alternates = airports.grouped(by: \.alternate?.country).count()
    #expect(alternates == [ResultsGroup(key: nil, value: 3), ResultsGroup(key: "FR", value: 2)])
  }

  @Test func `only what was found is grouped, as it is now`() throws {
    let french = airports.where { $0.country == "FR" }.grouped(by: \.isOpen)
    #expect(french.count() == [ResultsGroup(key: true, value: 2)])
    try realm.write { airports[0].isOpen = false }
    #expect(
      french.count() == [ResultsGroup(key: false, value: 1), ResultsGroup(key: true, value: 1)])
    #expect(airports.sorted(by: \.icao).limit(2).grouped(by: \.country).count().count == 2)
    #expect(airports.where { $0.country == "XX" }.grouped(by: \.isOpen).count().isEmpty)
  }

  @Test func `what cannot be grouped by stops the process`() async {
    await #expect(processExitsWith: .failure) {
      _ = try makeRealm().objects(Airport.self).grouped(by: \.alternate).count()
    }
  }
}
