import Foundation

/// Rows as Python's csv module read them, written by `Fixtures/make_oracle.py`.
struct PythonRows {
  let rows: [[String]]

  init(_ file: URL) throws {
    rows = try JSONDecoder().decode([[String]].self, from: Data(contentsOf: file))
  }
}
