/// Reads a file of JSON object by object, holding no more of it than one piece and one object.
///
///     let reader = try JSONReader(path: "places.geojson")
///     var record = JSONRecord()
///     while try reader.nextRecord(&record) { … }
///
/// Records are the features of a FeatureCollection, the elements of an array, the lines of a
/// sequence, or else the one object that the file is. They are checked: the text is JSON as RFC
/// 8259 has it and UTF-8, escapes make whole characters, names in one object differ, and the
/// coordinate system is WGS 84. A record that fails throws an error of scope `.row`, is left in
/// `record` as far as it could be read, and does not stop the next call; an error of scope
/// `.file` does. In a sequence all errors are of scope `.row`. In a document that is not JSON
/// the error is of scope `.file`, as nothing tells where the next record begins.
package final class JSONReader {
  /// How records follow each other in a file.
  package enum Framing: Hashable, Sendable {
    /// One JSON text: a FeatureCollection, an array of objects, or an object.
    case document
    /// A JSON text on each line, or behind each record separator (RFC 8142).
    case sequence
  }

  /// How records follow each other, given or found out.
  package let framing: Framing
  /// The file, as it was named by the caller.
  package var path: String { window.path }
  /// How far reading has come, in bytes from the start of the text.
  package var bytesRead: Int { window.offset }
  /// How far reading has come, in bytes of `totalBytes`; the file may be compressed.
  package var progressBytes: Int { window.bytesConsumed }
  /// The size of the file on the disk; nil for a pipe.
  package var totalBytes: Int? { window.totalBytes }

  let options: JSONOptions
  let window: FileWindow
  /// The place of the first byte in the window.
  var place = TextPlace()
  /// What is read on the way to a record.
  var scratch = JSONRecord()
  var document = JSONDocumentState()
  var sequence = JSONSequenceState()

  /// Opens a file and finds out how records follow each other.
  package init(
    path: String, framing: Framing? = nil, options: JSONOptions = JSONOptions()
  ) throws(DatasetError) {
    self.options = options
    window = try FileWindow(path: path, chunkBytes: options.chunkBytes)
    while window.count < 4, !window.isAtEnd { try window.fill() }
    window.consume(try TextSignature.byteOrderMark(window.slice(0..<min(window.count, 4)), path))
    if let framing {
      self.framing = framing
    } else {
      self.framing = try JSONFramingSniffer.framing(of: window, options)
    }
    scratch.reserveNodes(options.depthLimit + 1)
  }

  /// Reads the next record.
  ///
  /// - Parameter record: Receives the record.
  /// - Returns: False when there is no further record.
  /// - Throws: What is wrong with the record, or with the file from here on.
  /// - Complexity: O(n) in the bytes of the record and of what is passed over before it.
  package func nextRecord(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    switch framing {
    case .document: try nextInDocument(&record)
    case .sequence: try nextInSequence(&record)
    }
  }

  // MARK: - For both framings

  /// Takes a text out of the window that the tokenizer has found to be JSON, and checks the rest.
  ///
  /// - Parameters:
  ///   - record: Receives the text; the nodes are there already.
  ///   - range: Where the text is in the window.
  ///   - tokenizer: What has read it.
  /// - Returns: What is wrong with it, and where in the window; nil if it is good.
  func take(
    _ record: inout JSONRecord, _ range: Range<Int>, _ tokenizer: JSONTokenizer
  ) -> (problem: JSONProblem, offset: Int)? {
    let text = window.slice(range)
    record.take(text)
    record.nodeCount = tokenizer.nodeCount
    if tokenizer.mayHoldUnicode, let offset = UTF8Check.firstInvalidOffset(in: text) {
      let offset = range.lowerBound + offset
      return (.invalidUTF8(byteOffset: window.offset + offset), offset)
    }
    if tokenizer.hasEscapes, let lone = record.removeEscapes() {
      return (.loneSurrogate(lone.unit), range.lowerBound + lone.offset)
    }
    if let name = record.repeatedName() {
      return (.repeatedName(record.text(name)), range.lowerBound + Int(record[name].start) - 1)
    }
    return nil
  }

  /// What keeps a good text from being a record, if anything.
  func refusal(of record: JSONRecord) -> JSONProblem? {
    let kind = record[JSONRecord.root].kind
    if kind != .object { return .notAnObject(found: kind) }
    if let system = GeoJSONSystem.foreignName(in: record) {
      return .foreignCoordinates(system: system, path: path)
    }
    return nil
  }

  /// Leaves bytes of the window behind.
  func consume(_ count: Int) {
    place.advance(over: window.slice(0..<count))
    window.consume(count)
  }

  /// Makes an error out of a problem at an offset in the window.
  func failure(
    _ problem: JSONProblem, at offset: Int, scope: DatasetError.Scope
  ) -> DatasetError {
    let found = place.advanced(over: window.slice(0..<offset))
    return DatasetError(
      path: path, line: found.line, column: found.column, scope: scope, problem: .json(problem))
  }
}

// Not Sendable: every call moves its place in the file.
@available(*, unavailable)
extension JSONReader: Sendable {}
