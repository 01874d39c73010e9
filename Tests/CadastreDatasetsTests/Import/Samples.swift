import Foundation

@testable import CadastreDatasets

/// A folder for the files of one test; removed when the instance is deinitialised.
final class ScratchFolder {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("cadastre-datasets-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Writes a file and returns its path.
  func file(_ name: String = "table.csv", _ bytes: some Sequence<UInt8>) throws -> String {
    let file = url.appendingPathComponent(name)
    try Data(bytes).write(to: file)
    return file.path
  }

  /// Writes a file of text and returns its path.
  func file(_ name: String = "table.csv", _ text: String) throws -> String {
    try file(name, text.utf8)
  }
}

/// The result of reading a table: its rows and the errors of single rows.
struct Reading: Equatable {
  var header: [String] = []
  var rows: [[String]] = []
  var lines: [Int] = []
  var rowErrors: [DatasetError] = []

  init(path: String, options: CSVOptions = CSVOptions()) throws {
    let reader = try CSVReader(path: path, options: options)
    header = reader.header
    var record = CSVRecord()
    var isMore = true
    while isMore {
      do {
        isMore = try reader.nextRecord(&record)
        guard isMore else { return }
        rows.append(record.texts)
        lines.append(record.lineNumber)
      } catch {
        guard error.scope == .row else { throw error }
        rowErrors.append(error)
      }
    }
  }
}

/// Applies a field parser to a text.
func parse<Value>(
  _ text: String, _ parser: (UnsafeBufferPointer<UInt8>) -> Value?
) -> Value? {
  Array(text.utf8).withUnsafeBufferPointer(parser)
}

/// The root folder of the repository.
let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// The folder of the files that the tests of this target read.
let fixtures = repository.appendingPathComponent("Tests/CadastreDatasetsTests/Fixtures")

/// The rows that Python's csv module reads, written by `Fixtures/make_oracle.py`.
struct PythonRows {
  let rows: [[String]]

  init(_ file: URL) throws {
    rows = try JSONDecoder().decode([[String]].self, from: Data(contentsOf: file))
  }
}
