import CadastreFormatting
import Foundation
import Synchronization

/// A reader of JSON files, object by object, in bounded memory.
///
///     let reader = try JSONReader(path: "places.geojson")
///     var record = JSONRecord()
///     while try reader.nextRecord(&record) { … }
///
/// Records are the features of a FeatureCollection, the elements of an array, the texts of a
/// sequence, the objects that a member of the document holds, or the only object of the file. A
/// record must be valid JSON (RFC 8259) in UTF-8 without unpaired surrogates, with distinct names
/// in each object, and in WGS 84. An invalid record throws an error of scope `.row`; the record
/// then contains the part that was read, and the next record can be read. After an error of scope
/// `.file` the reader is at its end. In a sequence all errors have the scope `.row`. A syntax error
/// in a document has the scope `.file`, because the start of the next record is unknown.
package final class JSONReader {
  /// The arrangement of records in a file.
  package enum Framing: Hashable, Sendable {
    /// One JSON text: a FeatureCollection, an array of objects, or an object.
    case document
    /// A JSON text on each line, or after each record separator (RFC 8142).
    case sequence
  }

  /// The framing, specified or detected.
  package let framing: Framing
  /// The file, as named by the caller.
  package var path: String { window.path }
  /// The number of bytes of the decompressed text that have been read.
  package var bytesRead: Int { window.offset }
  /// The number of bytes of the possibly compressed file that have been read.
  package var progressBytes: Int { window.bytesConsumed }
  /// The size of the file on disk; nil for a pipe.
  package var totalBytes: Int? { window.totalBytes }

  let options: JSONOptions
  let window: FileWindow
  private let conversion: CoordinateConversion
  /// The conversion of the coordinates of all records that name no system; nil for degrees.
  var transformation: CoordinateTransformation?
  /// The conversions from the systems that records or the file name.
  private var transformations: [String: CoordinateTransformation] = [:]
  /// The position of the first byte in the window.
  var position = TextPosition()
  /// A buffer for values that are not records.
  var scratch = JSONRecord()
  var document = JSONDocumentState()
  var sequence = JSONSequenceState()
  /// Remarks for the user about the file.
  let notices = ReaderNotices()
  private let trailingSystems: TrailingSystems

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - framing: The framing; nil to detect it.
  ///   - options: The limits of the reader.
  ///   - conversion: The treatment of coordinates in other systems than WGS 84.
  ///   - trailingSystems: The systems that files name after their features.
  /// - Throws: ``DatasetError`` if the file cannot be read or is not UTF-8 text.
  package init(
    path: String, framing: Framing? = nil, options: JSONOptions = JSONOptions(),
    conversion: CoordinateConversion = .none, trailingSystems: TrailingSystems = TrailingSystems()
  ) throws(DatasetError) {
    self.options = options
    self.trailingSystems = trailingSystems
    self.conversion = conversion
    transformation = try conversion.transformation(path: path, nil) { .missing }
    window = try FileWindow(path: path, chunkBytes: options.chunkBytes)
    while window.count < 4, !window.isAtEnd { try window.fill() }
    window.consume(try TextSignature.byteOrderMark(window.slice(0..<min(window.count, 4)), path))
    if let framing {
      self.framing = framing
    } else {
      self.framing = try JSONFramingSniffer.framing(of: window, options)
    }
    scratch.reserveNodes(options.depthLimit + 1)
    if let system = trailingSystems[path] { _ = adopt(system) }
  }

  /// Reads the next record.
  ///
  /// - Parameter record: Receives the record.
  /// - Returns: False at the end of the file.
  /// - Throws: ``DatasetError``, of scope `.row` for an invalid record.
  /// - Complexity: O(n) in the size of the record and of the skipped text before it.
  package func nextRecord(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    switch framing {
    case .document: try nextInDocument(&record)
    case .sequence: try nextInSequence(&record)
    }
  }

  // MARK: - Both framings

  /// Copies a tokenized text from the window to a record and validates it.
  ///
  /// - Parameters:
  ///   - record: Receives the text; it has the nodes already.
  ///   - range: The range of the text in the window.
  ///   - tokenizer: The tokenizer at the end of the text.
  /// - Returns: The first error and its offset in the window; nil for a valid text.
  func take(
    _ record: inout JSONRecord, _ range: Range<Int>, _ tokenizer: JSONTokenizer
  ) -> (problem: JSONProblem, offset: Int)? {
    record.take(window.slice(range), tokenizer, offset: window.offset + range.lowerBound)
      .map { ($0.problem, range.lowerBound + $0.offset) }
  }

  /// Gives a record the conversion of its coordinates; returns the reason why a valid text cannot be
  /// a record, nil if it can.
  func rejection(of record: inout JSONRecord) -> JSONProblem? {
    let kind = record[JSONRecord.root].kind
    if kind != .object { return .notAnObject(found: kind) }
    record.transformation = transformation
    guard conversion.system == nil, let system = GeoJSONSystem.foreignName(in: record) else {
      return nil
    }
    record.transformation = transformation(from: system)
    return record.transformation == nil ? .foreignCoordinates(system: system, path: path) : nil
  }

  /// Applies the system of the whole file.
  ///
  /// - Parameter system: The name of a system other than WGS 84.
  /// - Returns: Whether its coordinates can be converted.
  func adopt(_ system: String) -> Bool {
    guard let transformation = transformation(from: system) else { return false }
    if document.hasFeatures { trailingSystems[path] = system }
    self.transformation = transformation
    return true
  }

  /// Returns the conversion from a system other than WGS 84; nil if there is none.
  func transformation(from system: String) -> CoordinateTransformation? {
    if let known = transformations[system] { return known }
    let transformation = try? conversion.transformation(from: [system])
    transformations[system] = transformation
    return transformation
  }

  /// Whether the reference system of the caller replaces the reference system of the file.
  var ignoresSystems: Bool { conversion.system != nil }

  /// Moves the window forward.
  func consume(_ count: Int) {
    position.advance(over: window.slice(0..<count))
    window.consume(count)
  }

  /// Returns the error for a problem at an offset in the window.
  func failure(
    _ problem: JSONProblem, at offset: Int, scope: DatasetError.Scope
  ) -> DatasetError {
    let location = position.advanced(over: window.slice(0..<offset))
    return DatasetError(
      path: path, line: location.line, column: location.column, scope: scope,
      problem: .json(problem))
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension JSONReader: Sendable {}

/// The systems that files name after their features, by path.
///
/// The first pass of an import finds them, and the second pass converts the coordinates.
package final class TrailingSystems: Sendable {
  private let names = Mutex<[String: String]>([:])

  /// Creates an empty list.
  package init() {}

  /// Returns whether a file may name a system after its features: in its last bytes, or if they are compressed.
  static func mayBeNamed(in path: String) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: path) else { return true }
    defer { try? handle.close() }
    guard let first = try? handle.read(upToCount: 2), first != Data([0x1F, 0x8B]),
      let size = try? handle.seekToEnd(),
      (try? handle.seek(toOffset: size - min(size, tailBytes))) != nil,
      let tail = try? handle.readToEnd()
    else { return true }
    return tail.firstRange(of: Data("\"crs\"".utf8)) != nil
  }

  /// The number of bytes at the end of a file that contain a system.
  private static let tailBytes: UInt64 = 1 << 14

  /// The system of a file; nil if it names none after its features.
  subscript(path: String) -> String? {
    get { names.withLock { $0[path] } }
    set { names.withLock { $0[path] = newValue } }
  }
}

/// The limits of a JSON reader.
package struct JSONOptions: Hashable, Sendable {
  /// The number of bytes per read from the system; see ``CSVOptions/chunkBytes``.
  package var chunkBytes = 512 * 1024
  /// The maximum size of a record, in bytes; at most 4 GiB, because offsets in nodes have 32 bits.
  package var recordLimitBytes = 64 * 1024 * 1024
  /// The maximum nesting of arrays and objects.
  ///
  /// GeoJSON without foreign members needs eight levels.
  package var depthLimit = 128
  /// The number of bytes that are read to detect the framing.
  package var sniffBytes = 64 * 1024
  /// The names of the members of a document that lead to its records; empty for the document itself,
  /// nil to detect them.
  package var recordsPath: [String]?

  /// Creates limits for untrusted files.
  package init() {}

  /// The maximum number of nodes in a record, which bounds memory: one per four bytes.
  ///
  /// In practice a position of two coordinates has three nodes and at least fourteen bytes.
  var nodeLimit: Int { max(recordLimitBytes / 4, 64) }
}

/// Detection whether a JSON file is a document or a sequence of texts.
enum JSONFramingSniffer {
  /// The byte before each text of a sequence in RFC 8142.
  static let recordSeparator: UInt8 = 0x1E

  /// Detects the framing from the file name, else from the content.
  ///
  /// A file is a sequence if it begins with a record separator, or with two objects separated by a
  /// line end. All other files are documents, including those that are not JSON.
  ///
  /// - Parameters:
  ///   - window: The window at the start of the file.
  ///   - options: The limits of the reader.
  /// - Returns: The framing.
  /// - Throws: ``DatasetError`` if the file cannot be read.
  static func framing(
    of window: FileWindow, _ options: JSONOptions
  ) throws(DatasetError) -> JSONReader.Framing {
    if FormatDescriptor.named(byFile: window.path) == .geojsonseq { return .sequence }
    var tokenizer = JSONTokenizer(keepsNodes: false, depthLimit: options.depthLimit)
    var record = JSONRecord()
    record.reserveNodes(options.depthLimit + 1)
    while true {
      let first = window.slice(0..<window.count).first { !JSONScan.isBlank($0) }
      if first == recordSeparator { return .sequence }
      if let first, first != UInt8(ascii: "{") { return .document }
      if first != nil {
        let outcome = record.nodes.withUnsafeMutableBufferPointer {
          tokenizer.run(window.bytes, limit: window.count, isLast: window.isAtEnd, $0)
        }
        switch outcome {
        case .complete:
          if let framing = framing(after: window.slice(tokenizer.at..<window.count)) {
            return framing
          }
        case .needsMore: break
        case .needsNodes, .failed: return .document
        }
      }
      if window.isAtEnd || window.count >= options.sniffBytes { return .document }
      try window.fill()
    }
  }

  /// Returns the framing for the bytes after an object; nil if they are blank.
  private static func framing(after rest: UnsafeBufferPointer<UInt8>) -> JSONReader.Framing? {
    guard let next = rest.firstIndex(where: { !JSONScan.isBlank($0) }) else { return nil }
    let isOnNextLine = rest[..<next].contains(UInt8(ascii: "\n"))
    return isOnNextLine && rest[next] == UInt8(ascii: "{") ? .sequence : .document
  }
}

/// The records inside a document that is a single object.
///
/// Two structures are recognized: an array of objects in one of the members, as in the replies of
/// many services, and members whose values are all objects of one kind.
struct JSONInnerRecords {
  /// The property with the names of members that are records.
  static let key = "key"

  /// The path to the array or object with the records; empty for the members of the document.
  let path: [String]
  /// A remark for the user, as a clause.
  let notice: String

  /// Returns the records inside a document; nil if it is a record itself.
  static func detected(in document: JSONRecord) -> JSONInnerRecords? {
    let parts = GeoJSONParts(document)
    guard !parts.isGeographic, !parts.isCollection else { return nil }
    return array(in: document) ?? named(in: document)
  }

  /// Returns the only array of objects among the members.
  private static func array(in document: JSONRecord) -> JSONInnerRecords? {
    var (arrays, others): ([String], [String]) = ([], [])
    for (name, value) in document.members(of: JSONRecord.root) {
      let elements = document.elements(of: value)
      let isTable =
        document[value].kind == .array && elements.contains { _ in true }
        && elements.allSatisfy { document[$0].kind == .object }
      if isTable { arrays.append(document.text(name)) } else { others.append(document.text(name)) }
    }
    guard arrays.count == 1 else { return nil }
    var notice = "the records are the elements of '\(printable(arrays[0]))'"
    if !others.isEmpty {
      notice += "; not imported: \(listed(others)). With --records . the file is one object"
    }
    return JSONInnerRecords(path: arrays, notice: notice)
  }

  /// Returns the members, if there are several and all of them are objects that share a name.
  private static func named(in document: JSONRecord) -> JSONInnerRecords? {
    var (count, first): (Int, Set<String>) = (0, [])
    for (_, value) in document.members(of: JSONRecord.root) {
      guard document[value].kind == .object else { return nil }
      let names = Set(document.members(of: value).map { document.text($0.name) })
      if count == 0 { first = names }
      guard !first.isDisjoint(with: names), !names.contains(key) else { return nil }
      count += 1
    }
    guard count > 1 else { return nil }
    return JSONInnerRecords(
      path: [],
      notice: "the records are the members of the file; their names are the property '\(key)'")
  }
}
