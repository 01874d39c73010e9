import CadastreFormatting

/// An error in an input file, with its location.
///
/// After an error of scope `.row` the next record can be read. An error of scope `.file` ends the
/// reading.
package struct DatasetError: Error, Hashable, Sendable {
  /// The part of the file that cannot be read.
  package enum Scope: Hashable, Sendable {
    case file, row
  }

  /// The kind of error.
  package enum Problem: Hashable, Sendable {
    /// The file does not exist.
    case missing
    /// The path is a directory.
    case directory
    /// The user has no permission to read the file.
    case notPermitted
    /// The system reported another error.
    case unreadable(reason: String)
    /// There is no header: the file is empty or contains only line ends.
    case empty
    /// The first bytes belong to a format other than UTF-8 text.
    case foreignContent(found: String)
    /// The file is XML or HTML, but neither KML nor GPX.
    case markup(root: String)
    /// The text begins with a statement of SQL.
    case statements
    /// Two columns of the header have the same name; their numbers are counted from 1.
    case repeatedColumn(name: String, first: Int, second: Int)
    /// The header has more columns than a class can have.
    case tooManyColumns(found: Int, maximum: Int)
    /// The columns of a file differ from those of the first file.
    case otherColumns(found: [String], expected: [String])
    /// A row has more or fewer fields than the header.
    case ragged(expected: Int, found: Int)
    /// A field is not valid UTF-8; the offset of the first invalid byte is counted from the start of
    /// the file.
    case invalidUTF8(column: String, byteOffset: Int)
    /// A closing quote is followed by more text.
    case textAfterQuote(column: String)
    /// The file ends inside quotes.
    case unterminatedQuote
    /// A field or a row exceeds the maximum size.
    case tooLong(limitBytes: Int, inQuotes: Bool)
    /// An error of a format or a compression.
    case format(AnyFormatProblem)
    /// The reference system of the coordinates is not WGS 84, and they cannot be converted.
    case projection(system: String, reason: String)
    /// The geometry of a record is invalid, or is not a point where a point is required.
    case geometry(detail: String)
    /// The types of the columns of a file differ from those of the first file.
    case otherTypes(column: String)
  }

  /// The file, as named by the caller.
  package var path: String
  /// The line of the error, from 1; nil if the error concerns the file.
  package var line: Int?
  /// The column in the line, in Unicode scalars from 1; nil if it is unknown.
  package var column: Int?
  /// The record with the error, from 1, in files without lines.
  package var record: Int?
  /// The part of the file that cannot be read.
  package var scope: Scope
  /// The kind of error.
  package var problem: Problem

  /// Creates an error.
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
  /// One sentence: the location, what was found and what was expected.
  package var description: String {
    let location = FileLocation(path, line: line, column: column, record: record)
    return "\(location): \(problem.sentence)"
  }
}

/// A location in a file, for messages: `a.csv, line 3, column 7`.
struct FileLocation: CustomStringConvertible {
  let description: String

  init(_ path: String, line: Int?, column: Int?, record: Int?) {
    var text = printable(path)
    if let line { text += ", line \(line)" }
    if let column { text += ", column \(column)" }
    if let record { text += ", record \(record)" }
    description = text
  }
}

extension DatasetError.Problem {
  /// The error as a clause that follows the location.
  var sentence: String {
    switch self {
    case .projection(let system, let reason):
      "the coordinates are in '\(printable(system))'; \(reason). --crs names another system, such as EPSG:4326"
    case .missing:
      "the file does not exist"
    case .directory:
      "is a directory without files of a format that is read; expected a file"
    case .notPermitted:
      "permission denied; check the permissions of the file and its folders"
    case .unreadable(let reason):
      "cannot be read: \(reason)"
    case .empty:
      "the file is empty; expected a header line with column names"
    case .foreignContent(let found):
      "looks like \(found); expected text in UTF-8"
    case .markup(let root):
      "is XML or HTML with the root element '\(printable(root))'; expected KML, GPX, JSON or a table"
    case .statements:
      "contains SQL statements; expected a table. Run them in a database, and export its tables as CSV"
    case .repeatedColumn(let name, let first, let second):
      "columns \(first) and \(second) are both named '\(printable(name))'; "
        + "expected different names"
    case .tooManyColumns(let found, let maximum):
      "found \(grouped(found)) columns; a class has \(grouped(maximum)) at most, and --columns A,B picks some"
    case .otherColumns(let found, let expected):
      "found columns \(listed(found)); expected those of the first file: \(listed(expected))"
    case .ragged(let expected, let found):
      "found \(counted(found, "field")); expected \(expected), as in the header"
        + (found < expected
          ? ". With --pad-rows the missing fields at the end are null"
          : expected == 1
            ? ". --comment '#' or --skip-lines 1 passes over lines before the header" : "")
    case .invalidUTF8(let column, let byteOffset):
      "column '\(printable(column))' is not valid UTF-8 (byte \(byteOffset) of the file); name "
        + "another encoding, for example --encoding windows-1252"
    case .textAfterQuote(let column):
      "column '\(printable(column))' has text after its closing quote; "
        + "expected a delimiter or the end of the line (double a quote inside quotes)"
    case .unterminatedQuote:
      "the quote that opens here is never closed"
    case .tooLong(let limit, let inQuotes):
      "found more than \(limit) bytes in one value or row; "
        + (inQuotes ? "expected a closing quote" : "expected a text table")
    case .format(let problem): problem.sentence
    case .geometry(let detail): "the geometry is invalid: \(detail)"
    case .otherTypes(let column):
      "column '\(printable(column))' has another type than in the first file; expected the same type"
    }
  }
}

/// An error of a format or a compression, which is declared beside its reader.
package protocol FormatProblem: Hashable, Sendable {
  /// The error as a clause that follows the location.
  var sentence: String { get }
}

/// An error of any format.
package struct AnyFormatProblem: Hashable, Sendable {
  /// The error.
  package let base: any FormatProblem

  /// Wraps an error of one format.
  package init(_ base: any FormatProblem) { self.base = base }

  var sentence: String { base.sentence }

  /// Returns whether two errors are of the same type and equal.
  package static func == (left: AnyFormatProblem, right: AnyFormatProblem) -> Bool {
    AnyHashable(left.base) == AnyHashable(right.base)
  }

  /// Hashes the error of the format.
  package func hash(into hasher: inout Hasher) { base.hash(into: &hasher) }
}

extension DatasetError.Problem {
  /// Returns the error of a format; nil for other errors.
  package func problem<Problem: FormatProblem>(of type: Problem.Type) -> Problem? {
    if case .format(let problem) = self { problem.base as? Problem } else { nil }
  }
}
