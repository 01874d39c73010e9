import Cadastre
import Foundation
import Testing
import TestingSupport

/// The samples of `Performance.md`.
@Suite struct PerformanceTests {
  class Station: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var country = ""
    @Persisted var elevation = 0
    @Persisted(fullText: true) var report = ""
    @Persisted var place: Place?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Place: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let realm: Realm

  init() throws {
    realm = try openRealm(Station.self, Place.self)
    let countries = ["AT", "CH"] + (0..<48).map { "country \($0)" }
    let reports = ["a storm", "snowstorm, storms, snow"]
    try realm.write {
      for id in 0..<5_000 {
        realm.create(
          Station.self,
          value: [
            "id": id, "country": countries[id % 50], "elevation": id % 3_000,
            "report": id % 100 < 2 ? reports[id % 100] : "calm",
            "place": ["coordinates": [Double(id % 360) - 180, Double(id % 170) - 85]],
          ] as [String: Any])
      }
    }
  }

  @Test func `the plans are those of the article`() throws {
    let high = realm.objects(Station.self).where {
      $0.country == "AT" && $0.elevation > 2_000
    }
    print(high.explain())
    let page = try String(
      contentsOf: Article.file("Sources/Cadastre/Cadastre.docc/Performance.md"), encoding: .utf8)
    #expect(page.contains("```\n\(high.explain())\n```"), "\(high.explain())")
    let plans = [
      realm.objects(Station.self).where { $0.report.contains("storm") },
      realm.objects(Station.self).where { $0.elevation > 2_000 },
      realm.objects(Station.self).where { $0.country.equals("at", options: [.caseInsensitive]) },
    ].map { $0.explain() }
    #expect(plans.allSatisfy { $0.contains("Scan Station") }, "\(plans)")
  }

  @Test func `a prepared query takes other arguments`() throws {
    let above = try realm.prepare("country == $0 AND elevation > $1", on: Station.self)
    print(try above("AT", 2_000).count, try above("CH", 1_500).count)
    let same = realm.objects(Station.self).where { $0.country == "CH" && $0.elevation > 1_500 }
    #expect(try above("CH", 1_500).count == same.count)
    #expect(same.explain(.shape).hasSuffix("shape: reused"))
  }

  @Test func `words are found by their index`() {
    let high = realm.objects(Station.self).where { $0.elevation > 1_000 }
    let stormy = realm.objects(Station.self).search("storm* -snow", in: \.report)
    let words = high.where { $0.report.hasWords("storm*") }
    #expect(stormy.count == 50 && stormy.explain().contains("TextSearch"), "\(stormy.explain())")
    #expect(words.count > 0 && words.explain().contains("TextSearch"), "\(words.explain())")
  }

  @Test func `values are read without objects`() throws {
    let high = realm.objects(Station.self).where { $0.country == "AT" && $0.elevation > 2_000 }
    let count = high.count
    let highest = realm.objects(Station.self).max(of: \.elevation)
    let elevations = high.values(of: \.elevation)
    let countries = realm.objects(Station.self).grouped(by: \.country).average(of: \.elevation)
    #expect(highest == 2_999 && count == elevations.count && elevations.allSatisfy { $0 > 2_000 })
    #expect(countries.count == 50)

    let vienna = try #require(GeoPoint(latitude: 48.21, longitude: 16.37))
    let first = realm.objects(Station.self).sorted(by: \.country).limit(10)
    let page = realm.objects(Station.self).where { $0.id > 50_000 }.sorted(by: \.id).limit(10)
    let near = realm.objects(Station.self).where { $0.elevation > 500 }.nearest(5, to: vienna)
    #expect(first.count == 10 && first.explain().contains("OrderedSearch"), "\(first.explain())")
    #expect(page.explain().contains("OrderedSearch Station.id (50000"), "\(page.explain())")
    #expect(near.count == 5 && near.explain().contains("NearestSearch"), "\(near.explain())")
  }

  @Test func `columns stay in memory`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).cadastre")
    var configuration = Realm.Configuration(fileURL: url, objectTypes: [Station.self, Place.self])
    configuration.columnMemoryLimit = 512 << 20
    defer { _ = try? Realm.deleteFiles(for: configuration) }
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Station.self, value: ["id": 1, "elevation": 7]) }
    #expect(realm.objects(Station.self).where { $0.elevation > 5 }.count == 1)
    let memory = realm.columnMemory
    print(memory.byteCount, memory.limit, memory.byteCountByClass, memory.byteCountByColumn)
    #expect(
      memory.byteCount > 0 && memory.limit == 512 << 20 && memory.byteCountByClass["Station"] != nil
    )
  }

  @Test func `many objects are written in one transaction`() throws {
    let readings = (4_990..<5_010).map { ["id": $0, "elevation": 1] }
    try realm.write {
      for reading in readings {
        realm.create(Station.self, value: reading, update: .modified)
      }
    }
    #expect(realm.objects(Station.self).count == 5_010)
  }

  @Test func `the article shows this code`() throws {
    try Article("Performance.md").expectSamplesAreCompiled(count: 9)
  }
}
