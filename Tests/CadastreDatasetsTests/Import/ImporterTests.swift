import CadastreFormatting
import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct ImporterTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func settings(_ text: String, store: String = "s") throws -> ImportSettings {
    ImportSettings(
      files: [try folder.file("\(UUID().uuidString).csv", text)],
      store: folder.url.appendingPathComponent(store).path, className: "T")
  }

  /// Returns the properties of the class that an import creates, as text.
  private func properties(_ text: String) throws -> [String] {
    let report = try Importer(try settings(text, store: UUID().uuidString)).run()
    return report.schemaText.split(separator: "\n").dropFirst().map {
      String($0.drop { $0 == " " })
    }
  }

  private func values(_ name: String, store: String = "s") throws -> [String] {
    let query = try StoreQuery(
      store: folder.url.appendingPathComponent(store).path, className: "T", predicate: nil)
    return try query.keys().compactMap {
      try query.record($0).map { FieldText.plain($0.content(PropertyPath(name))) }
    }
  }

  private func message(_ settings: ImportSettings) -> String {
    do {
      _ = try Importer(settings).run()
      return ""
    } catch {
      return "\(error)"
    }
  }

  private var storeExists: Bool {
    FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("s").path)
  }

  @Test func `one fraction in the last row makes a column of doubles`() throws {
    let rows = (0..<5000).map { "\($0)\n" }.joined()

    #expect(try properties("n\n" + rows) == ["n: int"])
    #expect(try properties("n\n" + rows + "0.5\n") == ["n: double"])
    #expect(try properties("n\n" + rows + "x\n") == ["n: string"])
    #expect(try properties("n\n" + rows + "007\n") == ["n: string"])
  }

  @Test func `one null makes a column optional, and only nulls a column of strings`() throws {
    #expect(try properties("a,b\n1,x\n,y\n") == ["a: int, optional", "b: string"])
    #expect(try properties("a,b\n,1\n,2\n") == ["a: string, optional", "b: int"])
  }

  @Test func `blanks around a value that is no text are not part of it`() throws {
    let text = "n,t,d,lat,lon\n 1, a , 2026-11-21, 52.5,13.4 \n2.5\t,b,2026-11-22 ,-1, -2\n"
    let report = try Importer(try settings(text)).run()
    #expect(report.schemaText.contains("n: double") && report.schemaText.contains("d: date"))
    #expect(try values("n") == ["1", "2.5"])
    #expect(try values("t") == [" a ", "b"])
    #expect(try values("location") == ["13.4 52.5", "-2 -1"])
  }

  @Test func `a file with only a header creates the class`() throws {
    #expect(
      try properties("a,lat,lon\n") == ["a: string, optional", "location: Location, optional"])
  }

  @Test func `coordinate columns at any position become the location`() throws {
    #expect(
      try properties("Lon,a,LAT\n1,x,2\n") == ["a: string", "location: Location, optional"])
    #expect(
      try properties("the_geom,a\nPOINT (1 2),x\n")
        == ["a: string", "location: Location, optional"])
    #expect(try properties("x,a,z\n1,2,3\n") == ["x: int", "a: int", "z: int"])
  }

  @Test func `full stops and leading number signs are removed from names`() throws {
    #expect(try properties("#id,a.b.c\n1,2\n") == ["id: int", "a_b_c: int"])
    #expect(try properties("a.b,a_b\n1,2\n") == ["a_b: int", "a_b_2: int"])
    #expect(
      try properties("a.b,a_b_2,a_b\n1,2,x\n") == ["a_b: int", "a_b_2: int", "a_b_3: string"])
  }

  @Test func `a field with the name of the location has a free name`() throws {
    let text = "location,lat,lon\nParis,1,2\n"
    #expect(try properties(text) == ["location_2: string", "location: Location, optional"])
    let report = try Importer(try settings(text)).run()
    #expect(
      report.notices.contains(
        "the field 'location' becomes the property 'location_2', because the rows have a location of their "
          + "own"))
    #expect(try values("location_2") == ["Paris"])
    // The same file again has the same properties.
    _ = try Importer(try settings(text)).run()
    #expect(try values("location_2") == ["Paris", "Paris"])
    #expect(try properties("location\nParis\n") == ["location: string"])
    var renamed = try settings(text, store: "r")
    renamed.table.renames = ["location=city"]
    #expect(try Importer(renamed).run().schemaText.contains("city: string"))
  }

  @Test func `fields of all formats are renamed, and clash with no geometry`() throws {
    let text = #"""
      {"type":"FeatureCollection","features":[{"type":"Feature",
      "properties":{"geometry":"x","location":"Paris","n":1},
      "geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]}
      """#
    func imported(_ renames: [String], _ store: String) throws -> String {
      var settings = ImportSettings(
        files: [try folder.file("\(UUID().uuidString).geojson", text)],
        store: folder.url.appendingPathComponent(store).path, className: "T")
      settings.table.renames = renames
      return try Importer(settings).run().schemaText
    }
    let plain = try imported([], "g")
    #expect(plain.contains("geometry_2: string") && plain.contains("location: string"))
    let renamed = try imported(["geometry=shape", "n=number"], "h")
    #expect(renamed.contains("shape: string") && renamed.contains("number: int"))
    #expect(throws: ImportError.self) { try imported(["missing=x"], "i") }
  }

  /// Regression: points were lost without an error if the class had the name `Location`.
  @Test func `a class without a point property rejects points`() throws {
    var named = try settings("a,lat,lon\n1,1,2\n")
    named.className = "Location"
    #expect(message(named).contains("class 'Location' is reserved for embedded points"))
    #expect(!storeExists)

    _ = try Importer(try settings("a,location\n1,Paris\n")).run()
    #expect(
      message(try settings("a,lat,lon\n1,1,2\n"))
        .contains("'location': point in the files, string in the class"))
    #expect(try values("location") == ["Paris"])
  }

  @Test func `existing keys fail, update or are skipped`() throws {
    var first = try settings("id,n\n1,10\n2,20\n")
    first.primaryKey = "id"
    _ = try Importer(first).run()

    var second = try settings("id,n\n2,21\n3,30\n3,31\n")
    #expect(message(second).contains("line 2: an object with this 'id' exists already"))
    #expect(try values("n") == ["10", "20"])
    second.keyPolicy = .skip
    let skipping = try Importer(second).run()
    #expect(try values("n") == ["10", "20", "30"])
    #expect((skipping.read, skipping.inserted, skipping.skipped) == (3, 1, 2))
    second.keyPolicy = .update
    let updating = try Importer(second).run()
    #expect(try values("n") == ["10", "21", "31"])
    #expect((updating.read, updating.inserted) == (3, 0))
    #expect((updating.updated, updating.unchanged) == (2, 1))
    // The second row with the key 3 restores what the first one changed.
    let again = try Importer(second).run()
    #expect((again.updated, again.unchanged) == (2, 1))
  }

  @Test func `the report counts every row once`() throws {
    var settings = try settings(
      "id,n,lat,lon\n1,1,1,1\n2,1,50,1\n3,1,1,1\n3,1,1,1\n4,1,91,1\n5\n6,1,1,1\n7,1,1,1\n")
    settings.primaryKey = "id"
    settings.bounds = BoundingBox("0,0,10,10")
    settings.offset = 1
    settings.maximumRejects = 3
    let report = try Importer(settings).run()

    #expect(report.read == 8)
    #expect(report.rejects.map(\.line) == [5, 6, 7])
    #expect(report.skipped == 2)
    #expect(report.inserted == 3)
    #expect(try values("id") == ["3", "6", "7"])
  }

  /// A row of a file, and the expected result of its import.
  private enum ExpectedRow { case stored, duplicate, invalid }

  @Test(arguments: Seeds.usual(1...8))
  func `duplicates and invalid rows are rejected in the order of the file`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = random.pick([70, 600, 1400])
    var (text, seen): (String, Set<Int>) = ("id,n\n", [])
    var rows: [ExpectedRow] = []
    var keys: [Int] = []
    for _ in 0..<count {
      let key = random.below(count * random.pick([3, 300]))
      if random.oneIn(50) {
        text += "\(key)\n"
        rows.append(.invalid)
        keys.append(key)
        continue
      }
      text += "\(key),\(rows.count)\n"
      rows.append(seen.insert(key).inserted ? .stored : .duplicate)
      keys.append(key)
    }
    var settings = try settings(text)
    settings.primaryKey = "id"
    settings.maximumRejects = count
    settings.limit = random.oneIn(2) ? 1 + random.below(count) : nil
    let report = try Importer(settings).run()

    var (stored, rejected): ([Int], [Int]) = ([], [])
    for (index, row) in rows.enumerated() where stored.count < settings.limit ?? .max {
      // The header is line 1.
      if row == .stored { stored.append(keys[index]) } else { rejected.append(index + 2) }
    }
    #expect(report.rejects.map(\.line) == rejected)
    #expect(report.inserted == stored.count)
    #expect(report.read == stored.count + rejected.count)
    #expect(try values("id") == stored.map { "\($0)" })

    // An import that allows no rejected rows reports the first one of them.
    guard let first = rejected.first else { return }
    var strict = settings
    strict.store += "2"
    strict.maximumRejects = 0
    #expect(message(strict).contains("line \(grouped(first))"))
  }

  @Test func `too many rejected rows roll back all files of the import`() throws {
    var settings = try settings("a\n1\n2\n")
    settings.files.append(try folder.file("second.csv", "a\n3\n4,5\n"))

    #expect(
      message(settings).contains(
        "second.csv, line 3: found 2 fields; expected 1, as in the header. --comment '#'"))
    #expect(!storeExists)
    settings.maximumRejects = 1
    #expect(try Importer(settings).run().inserted == 3)
    #expect(try values("a") == ["1", "2", "3"])
  }

  @Test func `types of rows of very different lengths are inferred from all of them`() throws {
    let long = String(repeating: "x", count: 700_000)
    let rows = (0..<400).map { row in
      row % 90 == 7 ? "\(row),\(long)\n" : row == 250 ? "too,many,fields\n" : "\(row),a\n"
    }
    var settings = try settings("n,t\n" + rows.joined() + "0.5,a\n")
    settings.maximumRejects = 1
    let report = try Importer(settings).run()

    #expect(report.schemaText.contains("n: double") && report.schemaText.contains("t: string"))
    #expect(report.fields[0].reason.contains("the first with a fraction: line 402 has '0.5'"))
    #expect((report.inserted, report.rejects.map(\.line)) == (400, [252]))
  }

  @Test func `progress reports its phases in order and ends with all bytes`() throws {
    var seen: [Importer.Progress] = []
    _ = try Importer(try settings("a\n1\n2\n")) { seen.append($0) }.run()

    #expect(seen.map(\.phase) == [.checking, .storing, .finishing])
    #expect(seen.last?.bytes == seen.last?.totalBytes)
    #expect(seen.last?.rows == 2)
  }

  @Test func `a header with more columns than a class can have is refused at once`() throws {
    let names = (0...2000).map { "c\($0)" }.joined(separator: ",")
    // Reading on would throw an error about this row.
    let settings = try settings(names + "\n1,2\n")

    #expect(message(settings).contains("found 2,001 columns; a class has 2,000 at most"))
    #expect(!storeExists)
  }

  @Test func `records after the limit are not read, unless a condition can need them`() throws {
    var settings = try settings("n\n1\n2\n3\n4\nx\n")
    settings.limit = 2
    settings.offset = 1
    let report = try Importer(settings).run()
    #expect(report.inserted == 2)
    #expect(report.schemaText.contains("n: int"))

    settings.store += "2"
    settings.bounds = BoundingBox("-180,-90,180,90")
    #expect(settings.maximumRecords == nil)
    settings.bounds = nil
    settings.keyPolicy = .skip
    #expect(settings.maximumRecords == nil)
    settings.keyPolicy = .fail
    settings.limit = .max
    #expect(settings.maximumRecords == nil)
  }

  @Test func `rejected rows count towards the records that are read`() throws {
    var settings = try settings("n,lat,lon\n1,95,1\n2,96,1\n3,1,1\n4,1,1\n")
    settings.limit = 1
    settings.maximumRejects = 2
    let report = try Importer(settings).run()

    #expect(report.inserted == 1 && report.rejects.count == 2)
  }
}
