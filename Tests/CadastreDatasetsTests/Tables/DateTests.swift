import CadastreColumnar
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets
@testable import CadastreStore

/// Dates keep their values through imports and exports, and days stay days.
@Suite struct DateTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static func fixture(_ name: String) -> String {
    fixtures.appendingPathComponent("Dates/\(name)").path
  }

  private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

  private func settings(_ file: String, store: String = "s") -> ImportSettings {
    ImportSettings(files: [file], store: path(store), className: "T")
  }

  private func query(_ predicate: String? = nil, store: String = "s") throws -> StoreQuery {
    try StoreQuery(store: path(store), className: "T", predicate: predicate)
  }

  private func export(_ format: FormatDescriptor, store: String = "s") throws -> [UInt8] {
    let query = try query(store: store)
    var export = ObjectExport(query, format)
    export.keys = try query.keys()
    var bytes: [UInt8] = []
    _ = try export.write(to: .stream { bytes += $0 })
    return bytes
  }

  private func lines(store: String = "s") throws -> [String] {
    String(decoding: try export(.csv, store: store), as: UTF8.self).split(separator: "\n")
      .dropFirst().map(String.init)
  }

  // MARK: Values

  @Test func `dates of all years are written with the fewest digits`() throws {
    _ = try Importer(settings(Self.fixture("sentinel.csv"))).run()

    #expect(
      try lines() == [
        "9999-12-31T23:59:59.99999Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59Z",
        "2020-01-01T23:59:59.999999999Z", "2020-01-01T23:59:59.9999999Z",
        "1970-01-01T00:00:00.000000001Z", "1969-12-31T23:59:59.999999999Z",
        "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z",
      ])
  }

  @Test func `a date is found by the text that was imported`() throws {
    _ = try Importer(settings(Self.fixture("sentinel.csv"))).run()
    let texts = try String(contentsOfFile: Self.fixture("sentinel.csv"), encoding: .utf8)
      .split(separator: "\n").dropFirst()

    #expect(texts.count == 9)
    for (index, text) in texts.enumerated() {
      #expect(try query("d == '\(text)'").keys().contains(Int64(index) + 1), "\(text)")
    }
  }

  @Test func `a repeated upsert changes nothing`() throws {
    var settings = settings(Self.fixture("up.csv"))
    settings.primaryKey = "id"
    settings.keyPolicy = .update
    #expect(try Importer(settings).run().inserted == 3)

    let report = try Importer(settings).run()
    #expect(report.unchanged == 3 && report.updated == 0)
    // The exported value equals the imported one.
    let copy = path("copy.csv")
    try Data(try export(.csv)).write(to: URL(fileURLWithPath: copy))
    settings.files = [copy]
    #expect(try Importer(settings).run().unchanged == 3)
  }

  @Test func `Parquet files keep timestamps of all years`() throws {
    _ = try Importer(settings(Self.fixture("ts_range.parquet"))).run()
    #expect(
      try lines() == [
        "2020-01-01T01:02:03.456789Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.99999Z",
      ])

    try Data(try export(.parquet)).write(to: URL(fileURLWithPath: path("out.parquet")))
    _ = try Importer(settings(path("out.parquet"), store: "other")).run()
    #expect(try lines(store: "other") == lines())
  }

  @Test func `Parquet files have nanoseconds where microseconds are not enough`() throws {
    let file = try folder.file(
      "n.csv", "d\n2020-01-01T00:00:00.123456789Z\n1969-12-31T23:59:59.1Z\n")
    _ = try Importer(settings(file)).run()
    try Data(try export(.parquet)).write(to: URL(fileURLWithPath: path("n.parquet")))
    _ = try Importer(settings(path("n.parquet"), store: "other")).run()

    #expect(
      try lines(store: "other") == ["2020-01-01T00:00:00.123456789Z", "1969-12-31T23:59:59.1Z"])
  }

  @Test func `Parquet files note dates that microseconds cannot hold`() throws {
    let file = try folder.file(
      "n.csv",
      "a,d,e\n1,2024-06-30T00:00:00.123456789Z,2024-06-30T00:00:00.123456Z\n"
        + "2,1600-01-01T00:00:00Z,1600-01-01T00:00:00Z\n")
    _ = try Importer(settings(file)).run()
    let query = try query()
    var export = ObjectExport(query, .parquet)
    export.keys = try query.keys()
    var notices: [String] = []
    export.notice = { notices.append($0) }
    _ = try export.write(to: .stream { _ in })
    #expect(notices == ["rounded down to microseconds: 1 date in 'd'"])

    let parts = try PartitionedOutput(query, by: "a", select: nil)
    let count = try parts.write(
      query.keys(), groupRows: 10, to: OutputFolder(path: path("parts")))
    #expect(count.files == 2)
    #expect(count.notices == notices)
  }

  // MARK: Days

  private static let days = ["2024-05-01", "0001-01-01", "9999-12-31", ""]

  /// Imports days and a column of midnights.
  private func importDays() throws {
    let rows = Self.days.enumerated().map { "\($0),\($1),2024-05-01T00:00:00Z,1,2" }
    let file = try folder.file(
      "days.csv", "id,day,midnight,lon,lat\n" + rows.joined(separator: "\n") + "\n")
    var settings = settings(file)
    settings.primaryKey = "id"
    _ = try Importer(settings).run()
  }

  private var expectedLines: [String] {
    Self.days.enumerated().map { "\($0),\($1),2024-05-01T00:00:00Z,1,2" }
  }

  @Test func `days stay days in text, and midnights stay midnights`() throws {
    try importDays()

    #expect(try lines() == expectedLines)
    let features = String(decoding: try export(.geojson), as: UTF8.self)
    #expect(features.contains(#""day":"2024-05-01","midnight":"2024-05-01T00:00:00Z""#))
    #expect(features.contains(#""day":null"#))
  }

  @Test(arguments: [FormatDescriptor.parquet, .gpkg, .geojsonseq])
  func `days stay days through files`(format: FormatDescriptor) throws {
    try importDays()
    let file = path("days.\(format == .geojsonseq ? "ndjson" : format.name)")
    let query = try query()
    var export = ObjectExport(query, format)
    export.keys = try query.keys()
    export.keepsOrder = true
    _ = try export.write(to: .file(OutputFile(path: file, OutputRules(replacing: .none))))
    _ = try Importer(settings(file, store: "other")).run()

    let copied = try self.query(store: "other")
    let column = try #require(try copied.columns("day").first)
    #expect(column.isDay && column.type == .date)
    #expect(try copied.columns("midnight").first?.isDay == false)
    let values = try copied.keys().map { key in
      FieldText.plain(try #require(try copied.record(key)).written(column))
    }
    #expect(values == Self.days)
  }

  @Test func `the columns of typed files are dates`() throws {
    try importDays()
    let file = path("t.gpkg")
    let query = try query()
    var export = ObjectExport(query, .gpkg)
    export.keys = try query.keys()
    _ = try export.write(to: .file(OutputFile(path: file, OutputRules(replacing: .none))))

    let connection = try Connection.readingForeign(file, isImmutable: false)
    let types = "SELECT type FROM pragma_table_info('T') WHERE name = "
    #expect(try connection.text(types + "'day'") == "DATE")
    #expect(try connection.text(types + "'midnight'") == "DATETIME")
    #expect(try connection.text("SELECT day FROM T WHERE id = 0") == "2024-05-01")
  }

  private func days(of className: String) throws -> [String] {
    try StoreQuery(store: path("s"), className: className, predicate: nil).columns(nil)
      .filter(\.isDay).map(\.path.description)
  }

  @Test func `days follow fields and classes that are copied or renamed`() throws {
    try importDays()
    let edit = SchemaEdit(store: path("s"))
    #expect(try edit.copy(class: "T", to: "U") == 4)
    #expect(try days(of: "U") == ["day"])
    try edit.copy(field: "day", of: "T", to: "copy")
    #expect(try days(of: "T") == ["day", "copy"])
    try edit.rename(field: "day", of: "T", to: "date")
    #expect(try days(of: "T") == ["date", "copy"])
    try edit.rename(class: "T", to: "V")
    #expect(try days(of: "V") == ["date", "copy"])
    #expect(try days(of: "U") == ["day"])
  }

  @Test func `fields and classes with the names of former ones have no days`() throws {
    try importDays()
    let edit = SchemaEdit(store: path("s"))
    try edit.drop(field: "day", of: "T")
    try edit.rename(field: "midnight", of: "T", to: "day")
    #expect(try days(of: "T") == [])
    try edit.rename(class: "T", to: "V")
    try importDays()
    #expect(try days(of: "T") == ["day"])
    try edit.rename(class: "T", to: "W")
    let file = try folder.file("times.csv", "id,day\n0,2024-05-01T00:00:00Z\n")
    _ = try Importer(settings(file)).run()
    #expect(try days(of: "T") == [])
    #expect(try days(of: "W") == ["day"])
  }

  @Test func `a time that is written later is not lost`() throws {
    try importDays()
    let store = try OpenStores.store(at: path("s"))
    let transaction = try store.beginWrite()
    let layout = try transaction.layout("T")
    let column = try #require(layout.columns.firstIndex { $0.name == "day" })
    try transaction.update("T", ObjectKey(1), [(column, .date(Timestamp(seconds: 1)))])
    try transaction.commit()

    #expect(try lines().first == "0,1970-01-01T00:00:01Z,2024-05-01T00:00:00Z,1,2")
    let query = try query()
    #expect(try query.typedColumns("day").first?.isDay == false)
  }
}
