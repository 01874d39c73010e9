import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// The files of `Fixtures/Cases/cases.zip`, built after public bug reports against other programs, and read from the
/// archive.
///
/// `expected.tsv` has the number of rows of each file, or a part of the message with which it is refused; `peers.tsv`
/// has the numbers of rows that GDAL and DuckDB read. `Scripts/cases` prints both as one table.
struct CaseFileTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Fixtures/Cases").standardized

  /// The rows of a table with tabs, without the header, by their first field.
  private static func table(_ name: String) throws -> [(file: String, fields: [String])] {
    let text = try String(contentsOf: fixtures.appendingPathComponent(name), encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return (fields[0], Array(fields.dropFirst()))
    }
  }

  @Test(.enabled(if: CoordinateTransformation.libraryVersion != nil, "PROJ is not installed"))
  func `each file is read with its rows, or refused with its reason`() throws {
    let imports = try FeatureImport()
    let archive = Self.fixtures.appendingPathComponent("cases.zip").path
    for (file, fields) in try Self.table("expected.tsv") {
      let found: String
      do {
        let (report, objects) = try imports.objects("\(archive)/\(file)") { settings in
          settings.maximumRejects = .max
        }
        let rejected = report.rejects.isEmpty ? "" : ", \(report.rejects.count) rejected"
        found = "\(objects.count)\(rejected)"
      } catch {
        found = "\(error)"
      }
      // The library of one compression is optional.
      if file == "parquet/brotli.parquet", found.contains("is not installed") { continue }
      if fields[0].first?.isNumber == true {
        #expect(found == fields[0], "\(file)")
      } else {
        #expect(found.contains(fields[0]), "\(file): \(found)")
      }
    }
  }

  @Test func `every file of the archive is in the tables`() throws {
    let archive = try ZipArchive(path: Self.fixtures.appendingPathComponent("cases.zip").path)
    let expected = Set(try Self.table("expected.tsv").map(\.file))
    #expect(expected == Set(try Self.table("peers.tsv").map(\.file)))
    for entry in archive.entries where !expected.contains(entry.name) {
      #expect(
        [".dbf", ".shx", ".prj", ".cpg", ".qix"].contains { entry.name.hasSuffix($0) },
        "\(entry.name)")
    }
  }
}
