import CadastreFormatting
import CadastreStore

/// The files of an import, all of one format: it opens them, infers a schema and converts records to rows.
///
/// Files are read twice. In the first pass every record is observed to infer the schema; in the
/// second pass every record is converted.
protocol Dataset {
  associatedtype Reader: RecordReader
  associatedtype Converter: RecordConverter where Converter.Record == Reader.Record

  /// Whether files declare the types of all values, so that the first pass only opens them.
  var declaresTypes: Bool { get }

  /// Whether the reader leaves out the columns that the settings do not select.
  var selectsColumns: Bool { get }

  /// Returns whether the first pass must read all of a file, also where a limit needs fewer records.
  func needsAllRecords(of path: String) -> Bool

  /// Opens a file.
  mutating func open(_ path: String) throws(DatasetError) -> Reader

  /// Observes a record.
  mutating func observe(_ record: Reader.Record)

  /// The inferred schema; complete once every record was observed.
  ///
  /// - Throws: ``ImportError`` if the records have too many fields for a class.
  var inferredSchema: DatasetSchema { get throws(ImportError) }

  /// Returns a converter of records to rows of a table.
  ///
  /// - Throws: ``ImportError`` if a setting does not match the files.
  func converter(_ target: RowTarget) throws(ImportError) -> Converter

  /// Remarks for the user about the files, one clause each.
  var notices: [String] { get }
}

extension Dataset {
  var declaresTypes: Bool { false }

  var selectsColumns: Bool { false }

  func needsAllRecords(of path: String) -> Bool { false }

  var notices: [String] { [] }
}

/// A sequential reader of records.
protocol RecordReader: AnyObject {
  associatedtype Record: PositionedRecord

  /// The number of bytes of the file that have been read.
  var progressBytes: Int { get }
  /// The size of the file in bytes; nil if it is unknown.
  var totalBytes: Int? { get }

  /// Reads the next record; returns false at the end of the file.
  ///
  /// - Parameter record: The record to fill.
  /// - Returns: False at the end of the file.
  /// - Throws: ``DatasetError``; after one of scope `.row` the next record can be read.
  func next(_ record: inout Record) throws(DatasetError) -> Bool
}

/// A record with its position in the file.
protocol PositionedRecord {
  init()
  /// The start of the record.
  var position: RecordPosition { get }
  /// The number of bytes of the text; 0 for a record of a format that declares the types of all values.
  var byteCount: Int { get }
}

extension PositionedRecord {
  var byteCount: Int { 0 }
}

/// The position of a record in its file.
enum RecordPosition: Hashable, Sendable {
  /// The first line of the record, from 1, and its column if an earlier record begins in the line.
  case line(Int, column: Int?)
  /// The number of the record, from 1, in files without lines.
  case record(Int)
}

/// A converter of records to rows of a table.
protocol RecordConverter {
  associatedtype Record

  /// The indexes of the properties that the records contain.
  var properties: [Int] { get }

  /// Converts a record to a row.
  ///
  /// - Parameter record: The record.
  /// - Returns: The row.
  /// - Throws: ``Rejection`` with the field, what was found and what was expected.
  mutating func row(_ record: Record) throws(Rejection) -> ImportRow
}

/// The reason why a record cannot become an object.
struct Rejection: Error, Hashable {
  /// The invalid field; nil if the error concerns the record.
  var field: String?
  /// The column of the error in its line, in characters from 1; nil if it is unknown.
  var column: Int?
  /// What was found and what was expected.
  var reason: String
}

extension Rejection {
  /// Creates the rejection of a field, with its name before the detail.
  init(_ field: String, _ detail: String) {
    self.init(field: field, reason: "'\(printable(field))': \(detail)")
  }
}
