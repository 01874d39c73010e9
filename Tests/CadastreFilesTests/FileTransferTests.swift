import Cadastre
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreFiles

/// The import of files into a Realm and the export of results.
@Suite struct FileTransferTests {
  class Location: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Town: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String?
    @Persisted var area: Double?
    @Persisted var founded: Date?
    @Persisted var tags: List<String>
    @Persisted var location: Location?
    @Persisted(originProperty: "town") var visits: LinkingObjects<Visit>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Visit: Object {
    @Persisted var town: Town?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private final class Folder {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("cadastre-files-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func callAsFunction(_ name: String) -> URL { url.appendingPathComponent(name) }

    var names: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }
  }

  private struct Stop: Error {}

  private let folder: Folder

  init() throws { folder = try Folder() }

  private func realm(_ name: String) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: folder(name + ".cadastre"),
        objectTypes: [Town.self, Location.self, Visit.self]))
  }

  private func fill(_ realm: Realm, _ count: Int) throws {
    var random = SeededGenerator(seed: 26)
    try realm.write {
      for id in 0..<count {
        let town = Town(value: ["id": id])
        if !random.oneIn(5) { town.name = random.pick(["", "é", "a\"b", "x,y", "n\(id)"]) }
        if !random.oneIn(5) { town.area = random.pick([0.1, -0.0, 1e300, Double(id) / 7]) }
        if !random.oneIn(5) { town.founded = Date(timeIntervalSince1970: Double(id) * 86400) }
        town.tags.append(objectsIn: (0..<random.below(3)).map { "t\($0)" })
        if !random.oneIn(5) {
          let location = Location()
          location.coordinates.append(
            objectsIn: [random.number(-180...180), random.number(-90...90)])
          town.location = location
        }
        realm.add(town)
      }
    }
  }

  private func lines(_ towns: some Sequence<Town>, hasTags: Bool) -> [String] {
    towns.map { town in
      let parts: [Any] = [
        town.id, town.name as Any, town.area.map(\.bitPattern) as Any,
        town.founded?.timeIntervalSince1970 as Any, hasTags ? Array(town.tags) : [],
        town.location.map { Array($0.coordinates) } as Any,
      ]
      return "\(parts)"
    }
  }

  @Test(arguments: ["parquet", "fgb", "geojson"])
  func `an exported file imports with the same values`(_ format: String) throws {
    let source = try realm("source")
    try fill(source, 300)
    let file = folder("towns.\(format)")
    var last: FileProgress?
    let towns = source.objects(Town.self).where { $0.id < 250 }
    var fields = FileExportOptions()
    // A FlatGeobuf file has lists as JSON text only.
    let hasTags = format != "fgb"
    if !hasTags { fields.fields = ["id", "name", "area", "founded", "location"] }
    #expect(try towns.export(to: file, options: fields) { last = $0 } == 250)
    #expect(last?.phase == .transferring)
    let target = try realm("target")
    let all = target.objects(Town.self)
    #expect(all.isEmpty)
    var phases: [FileProgress.Phase] = []
    let report = try target.importFiles([file], into: Town.self) {
      if phases.last != $0.phase { phases.append($0.phase) }
    }
    #expect(report.insertedCount == 250 && report.rejections.isEmpty)
    #expect(phases.last == .finishing)
    // The Realm is at the version of the import.
    #expect(all.count == 250)
    let sorted = towns.sorted(byKeyPath: "id")
    #expect(
      lines(all.sorted(byKeyPath: "id"), hasTags: hasTags) == lines(sorted, hasTags: hasTags))
    // Further writes of the Realm, and links to imported objects.
    try target.write { target.add(Visit(value: ["town": all[0]])) }
    #expect(all[0].visits.count == 1)
  }

  @Test func `records update objects and are selected`() throws {
    let realm = try realm("towns")
    try fill(realm, 20)
    try Data("id,name,latitude,longitude\n3,three,10,20\n99,new,10,30\n100,far,60,30\n".utf8)
      .write(to: folder("a.csv"))
    var options = FileImportOptions()
    options.existingObjects = .update
    options.bounds = Envelope(west: 0, south: 0, east: 40, north: 40)
    let report = try realm.importFiles([folder("a.csv")], into: Town.self, options: options)
    #expect((report.insertedCount, report.updatedCount, report.skippedCount) == (1, 1, 1))
    #expect(realm.object(ofType: Town.self, forPrimaryKey: 3)?.name == "three")
    #expect(realm.object(ofType: Town.self, forPrimaryKey: 99)?.location?.coordinates[0] == 30)
    #expect(realm.object(ofType: Town.self, forPrimaryKey: 100) == nil)
    options.predicate = try QueryPredicate(parsing: "name == 'far'")
    options.bounds = nil
    #expect(
      try realm.importFiles([folder("a.csv")], into: Town.self, options: options).insertedCount == 1
    )
  }

  @Test func `an update keeps the properties that the records do not name`() throws {
    let realm = try realm("towns")
    try fill(realm, 20)
    let towns = realm.objects(Town.self).sorted(byKeyPath: "id")
    try realm.write { towns[3].name = "three" }
    let expected = lines(towns, hasTags: true)
    try realm.write { towns[3].name = nil }
    var options = FileImportOptions()
    options.existingObjects = .update
    try Data("id,name\n3,three\n".utf8).write(to: folder("a.csv"))
    try Data(#"{"id":3,"name":"three","area":-1}"#.utf8).write(to: folder("a.ndjson"))
    #expect(
      try realm.importFiles([folder("a.csv")], into: Town.self, options: options).updatedCount == 1)
    #expect(lines(towns, hasTags: true) == expected)
    options.columns = ["id", "name"]
    let report = try realm.importFiles([folder("a.ndjson")], into: Town.self, options: options)
    #expect((report.updatedCount, report.unchangedCount) == (0, 1))
    #expect(lines(towns, hasTags: true) == expected)
  }

  @Test func `longitudes move into the range, and texts mean null, on demand`() throws {
    let realm = try realm("towns")
    try Data("id,name,lon,lat\n1,NA,190,1\n".utf8).write(to: folder("a.csv"))
    var options = FileImportOptions()
    #expect(throws: FileTransferError.self) {
      try realm.importFiles([folder("a.csv")], into: Town.self, options: options)
    }
    options.wrapsLongitudes = true
    options.nullTexts = ["", "NA"]
    try realm.importFiles([folder("a.csv")], into: Town.self, options: options)
    let town = try #require(realm.object(ofType: Town.self, forPrimaryKey: 1))
    #expect(town.name == nil)
    #expect(town.location.map { Array($0.coordinates) } == [-170, 1])
    options.referenceSystem = "EPSG:none"
    #expect(throws: FileTransferError.self) {
      try realm.importFiles([folder("a.csv")], into: Town.self, options: options)
    }
  }

  @Test func `links are the primary keys of their targets`() throws {
    let realm = try realm("towns")
    try fill(realm, 3)
    try realm.write {
      for town in realm.objects(Town.self) {
        let visit = Visit()
        visit.town = town
        realm.add(visit)
      }
      realm.add(Visit())
    }
    try realm.objects(Visit.self).export(to: folder("visits.csv"))
    let ids = realm.objects(Visit.self).map { $0.town.map { "\($0.id)" } ?? "\"\"" }
    #expect(
      try String(contentsOf: folder("visits.csv"), encoding: .utf8)
        == "town\n" + ids.map { $0 + "\n" }.joined())
    try realm.objects(Visit.self).export(to: folder("visits.geojson"))
    let json = try String(contentsOf: folder("visits.geojson"), encoding: .utf8)
    #expect(
      json.contains("\"town\":\(ids[0])") && json.contains(#""town":null"#), "\(json)")
  }

  @Test func `an error of the closure cancels an import and an export`() throws {
    let realm = try realm("towns")
    try fill(realm, 50)
    let file = folder("towns.parquet")
    #expect(throws: Stop.self) {
      try realm.objects(Town.self).export(to: file) { _ in throw Stop() }
    }
    #expect(!folder.names.contains { $0.contains("parquet") })
    try realm.objects(Town.self).export(to: file)
    let other = try self.realm("other")
    for phase in [FileProgress.Phase.transferring, .finishing] {
      #expect(throws: Stop.self) {
        try other.importFiles([file], into: Town.self) { if $0.phase == phase { throw Stop() } }
      }
      #expect(other.objects(Town.self).isEmpty)
    }
    // The write lock is free.
    #expect(try other.importFiles([file], into: Town.self).insertedCount == 50)
  }

  @Test func `a cancelled task ends an import and an export`() async throws {
    let source = try realm("towns")
    try fill(source, 50)
    let (file, other) = (folder("towns.fgb"), folder("b.fgb"))
    try source.objects(Town.self).export(to: file)
    let frozen = source.objects(Town.self).freeze()
    nonisolated(unsafe) let results = frozen
    let configuration = source.configuration
    let task = Task.detached {
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(throws: CancellationError.self) { try results.export(to: other) }
      let realm = try Realm(configuration: configuration)
      var options = FileImportOptions()
      options.existingObjects = .skip
      #expect(throws: CancellationError.self) {
        try realm.importFiles([file], into: Town.self, options: options)
      }
    }
    try await task.value
    #expect(folder.names.filter { $0.hasSuffix(".fgb") } == ["towns.fgb"])
  }

  @Test func `a sorted result is written in its order`() throws {
    let realm = try realm("towns")
    try fill(realm, 40)
    var options = FileExportOptions()
    options.fields = ["id"]
    let file = folder("ids.csv")
    try realm.objects(Town.self).sorted(byKeyPath: "id", ascending: false)
      .export(to: file, options: options)
    let text = try String(contentsOf: file, encoding: .utf8)
    let ids: [Int] = text.split(whereSeparator: \.isNewline).dropFirst().compactMap { Int($0) }
    #expect(ids == Array((0..<40).reversed()))
    #expect(throws: FileTransferError.self) { try realm.objects(Town.self).export(to: file) }
    options.overwrites = true
    #expect(try realm.objects(Town.self).export(to: file, options: options) == 40)
  }

  @Test func `a Parquet file has the order of a sorted result`() throws {
    let source = try realm("source")
    try fill(source, 40)
    let sorted = source.objects(Town.self).sorted(byKeyPath: "id", ascending: false)
    let results = [sorted, sorted.where { $0.id < 30 }, sorted.limit(20).where { $0.id > 25 }]
    for (number, result) in results.enumerated() {
      let file = folder("\(number).parquet")
      try result.export(to: file)
      let target = try realm("target\(number)")
      try target.importFiles([file], into: Town.self)
      #expect(target.objects(Town.self).map(\.id) == result.map(\.id))
    }
  }

  @Test func `texts that a spreadsheet would run as formulas are guarded on demand`() throws {
    let realm = try realm("towns")
    try fill(realm, 1)
    try realm.write { realm.objects(Town.self).first?.name = "=1+1" }
    var options = FileExportOptions()
    options.fields = ["name"]
    for (isGuarded, text) in [(false, "name\n=1+1\n"), (true, "name\n'=1+1\n")] {
      options.guardsFormulas = isGuarded
      options.overwrites = isGuarded
      let file = folder("names.csv")
      try realm.objects(Town.self).export(to: file, options: options)
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
  }

  @Test func `errors are typed and name the file and the location`() throws {
    let realm = try realm("towns")
    try fill(realm, 5)
    func failure(_ body: () throws -> Void) -> FileTransferError? {
      do { try body() } catch { return error as? FileTransferError }
      return nil
    }
    let missing = failure { try realm.importFiles([folder("no.parquet")], into: Town.self) }
    #expect(missing?.kind == .invalidFile && missing?.fileURL == folder("no.parquet"))
    try Data("PAR1 is cut".utf8).write(to: folder("cut.parquet"))
    #expect(
      failure { try realm.importFiles([folder("cut.parquet")], into: Town.self) }?.kind
        == .invalidFile)
    try Data("id,name\n7,a\n8,b,c\n".utf8).write(to: folder("ragged.csv"))
    let ragged = failure { try realm.importFiles([folder("ragged.csv")], into: Town.self) }
    #expect(ragged?.description.contains("line 3") == true)
    #expect(realm.objects(Town.self).count == 5)
    let unknown = failure { try realm.objects(Town.self).export(to: folder("a.xyz")) }
    #expect(unknown?.kind == .refused)
    let store = failure {
      var options = FileExportOptions()
      options.overwrites = true
      let other = try self.realm("other.csv")
      try FileManager.default.linkItem(
        at: try #require(other.configuration.fileURL), to: folder("link.csv"))
      try realm.objects(Town.self).export(to: folder("link.csv"), options: options)
    }
    #expect(store?.kind == .notWritten)
    #expect(throws: Realm.Error.self) {
      try realm.write {
        try realm.importFiles([folder("ragged.csv")], into: Town.self)
      }
    }
    #expect(throws: Realm.Error.self) {
      try realm.write { try realm.objects(Town.self).export(to: folder("w.csv")) }
    }
    var options = FileExportOptions()
    options.fields = ["nothing"]
    #expect(throws: QueryPredicateError.self) {
      try realm.objects(Town.self).export(to: folder("f.csv"), options: options)
    }
    #expect(!folder.names.contains("f.csv"))
  }
}
