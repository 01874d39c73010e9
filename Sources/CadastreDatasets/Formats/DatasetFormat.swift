/// A way in which files hold records: how they are read, surveyed and turned into objects.
///
/// Files are gone through twice. First every record is observed, so that the class fits all of them;
/// then every record is converted.
protocol DatasetFormat {
  associatedtype Reader: RecordReader
  associatedtype Converter: RecordConverter where Converter.Record == Reader.Record

  /// Opens a file.
  mutating func open(_ path: String) throws(DatasetError) -> Reader

  /// Takes a record into account.
  mutating func observe(_ record: Reader.Record)

  /// What the files hold, once every record was observed.
  ///
  /// - Throws: Why that is too much for a class.
  var inferredSchema: DatasetSchema { get throws(ImportError) }

  /// How records become rows of a table.
  func converter(_ target: RowTarget) -> Converter
}

/// Reads records one after the other.
protocol RecordReader: AnyObject {
  associatedtype Record: PlacedRecord

  /// How far into the file on disk reading has come, in bytes.
  var progressBytes: Int { get }
  /// The size of the file on disk.
  var totalBytes: Int? { get }

  /// Reads the next record; false at the end of the file.
  ///
  /// - Throws: An error of scope `.row` when this record is lost, and reading can go on.
  func next(_ record: inout Record) throws(DatasetError) -> Bool
}

/// A record that knows where it stands in its file.
protocol PlacedRecord {
  init()
  /// Where it begins.
  var recordPlace: RecordPlace { get }
}

/// Where a record stands in its file.
enum RecordPlace: Hashable, Sendable {
  /// The line on which it begins, from 1.
  case line(Int)
  /// Its number, from 1, in files without lines.
  case record(Int)
}

/// Turns records into rows of a table.
protocol RecordConverter {
  associatedtype Record

  /// The properties of the class that records say something about, by their indexes.
  var properties: [Int] { get }

  /// The row for a record.
  ///
  /// - Throws: `Refusal`, which names the field, what was found and what was expected.
  mutating func row(_ record: Record) throws(Refusal) -> ImportRow
}

/// Why a record does not become an object.
struct Refusal: Error, Hashable {
  /// The field at fault, if it is one.
  var field: String?
  /// The column of the line at fault, in characters from 1, where it is known.
  var column: Int?
  /// What was found and what was expected.
  var reason: String
}
