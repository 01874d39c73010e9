import Cadastre
import Foundation
import Testing

/// The classes of the README, and a store that the command line made.
@Suite struct RoundTripTests {
  private enum Readme {
    // <model>
    class Airport: Object {
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
      @Persisted(primaryKey: true) var icao: String
      @Persisted var name = ""
      @Persisted(indexed: true) var country = ""
      @Persisted var elevation: Double?
      @Persisted var location: Location?
    }
    // </model>

    class Location: EmbeddedObject {
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>
    }
  }

  private func configuration(_ store: String, version: UInt64 = 0) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: store), schemaVersion: version,
      objectTypes: [Readme.Airport.self, Readme.Location.self])
    configuration.deletesUnusedColumns = false
    return configuration
  }

  @Test func `the class is that of the README`() throws {
    func lines(_ text: Substring) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && !$0.contains("shouldIncludeInDefaultSchema") }
    }
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let model = try #require(source.firstMatch(of: /(?s)\/\/ <model>\n(.*?)\/\/ <\/model>/)).1
    let readme = try String(
      contentsOf: repository.appendingPathComponent("README.md"), encoding: .utf8)
    let shown = try #require(readme.firstMatch(of: /(?s)(class Airport: Object.*?\n}\n)/)).1
    #expect(lines(model) == lines(shown))
  }

  @Test func `the classes of the README open a store with their columns`() throws {
    let scratch = try Scratch()
    let store = scratch.path("a")
    try succeed(
      "import", Airports.csv, "--store", store, "--into", "Airport", "--pk", "icao", "--index",
      "country", "--columns", "icao,name,country,elevation,lat,lon", "--types", "elevation=double?")
    do {
      let realm = try Realm(configuration: configuration(store))
      let paris = try #require(GeoPoint(latitude: 48.8566, longitude: 2.3522))
      let circle = GeoCircle(center: paris, radius: try #require(Distance.radians(0.0157)))
      let near = realm.objects(Readme.Airport.self).where {
        $0.location.geoWithin(circle) && $0.elevation > 300 && $0.country == "FR"
      }
      #expect(near.map { $0.icao }.sorted() == Airports.matches.map(\.icao).sorted())
      try realm.write {
        realm.create(
          Readme.Airport.self, value: ["icao": "LFPG", "elevation": nil] as [String: Any?],
          update: .modified)
      }
    }
    #expect(
      try succeed(
        "query", store, "Airport", "elevation == nil", "--select", "icao", "--format", "csv"
      )
      .stdout == "icao\nLFPG\n")
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `classes with fewer properties delete nothing`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let before = try scratch.bytes("airports.cadastre")
    for version: UInt64 in [0, 1] {
      do {
        _ = try Realm(configuration: configuration(store, version: version))
        Issue.record("expected an error")
      } catch {
        let text = "\(error)"
        #expect(text.contains("Airport.iata'") && text.contains("Airport.tz'"))
        // Without a higher version, differences of nulls are told, too.
        #expect(text.contains("'Airport.elevation' has been made optional") == (version == 0))
      }
    }
    #expect(try scratch.bytes("airports.cadastre") == before)
    #expect(
      try succeed(
        "query", store, "Airport", "iata == 'CDG'", "--select", "icao,tz", "--format", "csv"
      ).stdout == "icao,tz\nLFPG,Europe/Paris\n")
  }
}
