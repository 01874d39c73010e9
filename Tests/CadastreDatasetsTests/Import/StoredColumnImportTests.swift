import CadastreModel
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Imports store the columns of the class that they fill.
@Suite struct StoredColumnImportTests {
  private let folder: ScratchFolder
  private let store: String

  init() throws {
    folder = try ScratchFolder()
    store = folder.url.appendingPathComponent("s.cadastre").path
  }

  /// Imports rows with the numbers in a range into a class.
  private func importRows(
    _ numbers: Range<Int>, into className: String,
    _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> ImportReport {
    let rows = numbers.map { "\($0),name \($0 % 50),\(Double($0) / 4)\n" }.joined()
    var settings = ImportSettings(
      files: [try folder.file("\(UUID().uuidString).csv", "n,name,share\n" + rows)], store: store,
      className: className)
    change(&settings)
    return try Importer(settings).run()
  }

  /// The number of stored segments of each class; nil without the tables of segments.
  private func segments() throws -> [String: Int]? {
    let connection = try Connection(path: store, mode: .read)
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'cadastre_segment'")
    guard tables == 1 else { return nil }
    let rows = try connection.statement(
      "SELECT table_name, count(*) FROM cadastre_segment AS s JOIN cadastre_segment_column AS c "
        + "ON s.id >> 40 = c.id GROUP BY 1")
    var segments: [String: Int] = [:]
    while try rows.step() { segments[rows.text(0)] = Int(rows.integer(1)) }
    return segments
  }

  @Test func `an import stores the columns of its class`() throws {
    _ = try importRows(0..<9000, into: "Usual")
    // There are fewer than 100,000 objects.
    #expect(try segments() == nil)
    _ = try importRows(0..<9000, into: "Never") { $0.columnStorage = .never }
    #expect(try segments() == nil)
    let report = try importRows(0..<9000, into: "Always") { $0.columnStorage = .always }
    #expect(!report.notices.contains { $0.hasPrefix(Importer.missingColumns) })
    // Two full segments of three columns and of the set of rows.
    #expect(try segments() == ["Always": 8])
    _ = try importRows(9000..<9100, into: "Always") { $0.columnStorage = .always }
    #expect(try segments() == ["Always": 8])
    _ = try importRows(9100..<13_200, into: "Always") { $0.columnStorage = .always }
    #expect(try segments() == ["Always": 12])
    #expect(try StoreCheck(OpenStores.store(at: store).snapshot()).problems() == [])
  }

  @Test func `a large class is stored without a setting`() throws {
    _ = try importRows(0..<100_001, into: "Many")
    #expect(try segments() == ["Many": 24 * 4])
  }

  @Test func `a dry run stores nothing`() throws {
    _ = try importRows(0..<5000, into: "Usual")
    _ = try importRows(5000..<20_000, into: "Usual") {
      $0.columnStorage = .always
      $0.isDryRun = true
    }
    #expect(try segments() == nil)
  }
}
