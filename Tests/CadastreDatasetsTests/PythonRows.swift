import Foundation

/// The rows that Python's csv module reads, written by `Fixtures/make_oracle.py`.
struct PythonRows {
  let rows: [[String]]

  init(_ file: URL) throws {
    rows = try JSONDecoder().decode([[String]].self, from: Data(contentsOf: file))
  }
}
