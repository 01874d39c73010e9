import CadastreFormatting

/// What is wrong with a file that was to be read, and where.
///
/// An error of scope `.row` concerns one record: the reader has stepped past it and can go on.
/// An error of scope `.file` ends the reading.
package struct DatasetError: Error, Hashable, Sendable {
  /// How much of the file an error spoils.
  package enum Scope: Hashable, Sendable {
    case file, row
  }

  /// What was found in place of what was expected.
  package enum Problem: Hashable, Sendable {
    /// There is no file of that name.
    case missing
    /// The path leads to a directory.
    case directory
    /// The file may not be read by this user.
    case notPermitted
    /// The system refused to open or read, for a reason of its own.
    case unreadable(reason: String)
    /// There is no header: the file is empty or holds nothing but line ends.
    case empty
    /// The first bytes belong to something that is not UTF-8 text.
    case foreignContent(found: String)
    /// A column of the header, counted from 1, has no name.
    case unnamedColumn(number: Int)
    /// Two columns of the header, counted from 1, share a name.
    case repeatedColumn(name: String, first: Int, second: Int)
    /// A file has other columns than those before it.
    case otherColumns(found: [String], expected: [String])
    /// A row has more or fewer fields than the header.
    case ragged(expected: Int, found: Int)
    /// Bytes that are not UTF-8, the first of them at an offset from the start of the file.
    case invalidUTF8(column: String, byteOffset: Int)
    /// A quoted field goes on after its closing quote.
    case textAfterQuote(column: String)
    /// A quote was opened and the file ended.
    case unterminatedQuote
    /// A field or a row is larger than the reader accepts.
    case tooLong(limitBytes: Int, inQuotes: Bool)
    /// Something about the file's compression.
    case gzip(GzipProblem)
    /// Something about a Shapefile or one of its records.
    case shapefile(ShapefileProblem)
    /// Something about a GeoPackage or one of its rows.
    case geoPackage(GeoPackageProblem)
    /// A text is not JSON, or not the GeoJSON that was expected.
    case json(JSONProblem)
  }

  /// The file, as it was named by the caller.
  package var path: String
  /// The line on which the trouble begins, counted from 1; nil for the file as a whole.
  package var line: Int?
  /// The column of the line, in Unicode scalars counted from 1; nil where the line is enough.
  package var column: Int?
  /// The record in trouble, counted from 1, of a file that has records in place of lines.
  package var record: Int?
  /// Whether one row is lost or the whole file.
  package var scope: Scope
  /// What was found.
  package var problem: Problem

  /// States a problem and its place.
  package init(
    path: String, line: Int? = nil, column: Int? = nil, record: Int? = nil, scope: Scope = .file,
    problem: Problem
  ) {
    self.path = path
    self.line = line
    self.column = column
    self.record = record
    self.scope = scope
    self.problem = problem
  }
}

extension DatasetError: CustomStringConvertible {
  /// One sentence: place, what was found, what was expected.
  package var description: String {
    var place = printable(path)
    if let line { place += ", line \(line)" }
    if let column { place += ", column \(column)" }
    if let record { place += ", record \(record)" }
    return "\(place): \(problem.sentence)"
  }
}

extension DatasetError.Problem {
  var sentence: String {
    switch self {
    case .missing:
      "there is no such file"
    case .directory:
      "is a directory; expected a file"
    case .notPermitted:
      "may not be read by this user; check the permissions of the file and its folders"
    case .unreadable(let reason):
      "cannot be read: \(reason)"
    case .empty:
      "the file is empty; expected a header line with column names"
    case .foreignContent(let found):
      "looks like \(found); expected text in UTF-8"
    case .unnamedColumn(let number):
      "column \(number) of the header has no name; expected a name for every column"
    case .repeatedColumn(let name, let first, let second):
      "columns \(first) and \(second) are both called '\(printable(name))'; "
        + "expected different names"
    case .otherColumns(let found, let expected):
      "its columns are \(listed(found)); expected those of the file before it: \(listed(expected))"
    case .ragged(let expected, let found):
      "found \(counted(found, "field")); expected \(expected), as in the header"
    case .invalidUTF8(let column, let byteOffset):
      "column '\(printable(column))' is not valid UTF-8 (byte \(byteOffset) of the file)"
    case .textAfterQuote(let column):
      "column '\(printable(column))' goes on after its closing quote; "
        + "expected a delimiter or the end of the line (a quote inside quotes is doubled)"
    case .unterminatedQuote:
      "a quote opens here and is never closed"
    case .tooLong(let limit, let inQuotes):
      "found more than \(limit) bytes in one value or row"
        + (inQuotes ? "; is the quote that opens here ever closed?" : "; is this a text table?")
    case .gzip(let problem): problem.sentence
    case .shapefile(let problem): problem.sentence
    case .geoPackage(let problem): problem.sentence
    case .json(let problem): problem.sentence
    }
  }
}
