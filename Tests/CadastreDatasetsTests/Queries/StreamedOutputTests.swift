import Foundation
import Testing

@testable import CadastreDatasets

/// Output in pieces; a reader may stop after the first one.
@Suite struct StreamedOutputTests {
  /// The error by which a reader stops.
  private struct Stop: Error {}

  private static let formats: [RecordWriter.Format] = [
    .table, .json, .ndjson, .named("csv") ?? .table, .named("geojson") ?? .table,
    .named("geojsonseq") ?? .table,
  ]

  @Test func `a reader that stops at the first piece leaves most objects unread`() throws {
    let count = 12_000
    let folder = try ScratchFolder()
    var csv = "id,rank,name\n"
    for id in 0..<count { csv += "\(id),\(id * 7919 % count),object \(id)\n" }
    let store = folder.url.appendingPathComponent("s").path
    _ = try Importer(
      ImportSettings(files: [try folder.file("a.csv", csv)], store: store, className: "T")
    ).run()
    for format in Self.formats {
      for order in [nil, "rank"] {
        var query = try StoreQuery(
          store: store, className: "T", predicate: nil, order: order)
        let keys = try query.keys()
        var read = 0
        query.progress = { read = max(read, $0) }
        var writer = RecordWriter(format, columns: try query.columns(nil))
        var pieces = 0
        #expect(throws: Stop.self) {
          try query.write(keys, with: &writer) { _ in
            pieces += 1
            throw Stop()
          }
        }

        #expect(keys.count == count && pieces == 1)
        #expect(writer.count < 5000 && read < 5000, "\(format.name): \(writer.count), \(read)")
      }
    }
  }

  @Test func `the first windows of rows are small, and the windows cover all rows`() {
    for indexes in [0..<0, 3..<4, 5..<1029, 0..<5000, 7..<200_000] {
      let windows = Array(RowWindows(of: indexes))

      #expect(windows.flatMap { $0 } == Array(indexes))
      #expect((windows.first?.count ?? 0) <= 1024)
      for (window, next) in zip(windows, windows.dropFirst()) {
        #expect(next.count <= 2 * window.count && next.count <= 65_536)
      }
    }
  }
}
