/// The state of reading a JSON document.
struct JSONDocumentState {
  /// The next element of the syntax.
  enum Stage {
    case start, firstElement, element, firstMember, member, end, done
    /// In an object on the path to the records.
    case firstWrapper, wrapper
    /// In an object whose members are the records.
    case firstNamed, named
  }

  var stage = Stage.start
  /// The current offset in the window.
  var at = 0
  /// The line in which the last record begins; 0 before the first one.
  var lastLine = 0
  /// Whether the bytes before the offset stay in the window, because the object may be the record.
  var isBuffered = false
  /// Whether the type of the object is FeatureCollection.
  var isCollection = false
  /// Whether the elements come from the member `features` of an object.
  var hasFeatures = false
  /// The path to the records, if they are not the document; see ``JSONOptions/recordsPath``.
  var path: [String] = []
  /// The number of open objects inside the outermost one, on the path to the records.
  var depth = 0
  /// Whether the records at the path were read.
  var hasRecords = false
  /// The names of the members read so far that may occur only once.
  var seen: Set<String> = []
  /// An error that applies only if the object is a FeatureCollection.
  var collectionError: DatasetError?
}

extension JSONReader {
  /// Reads the next record of a document.
  func nextInDocument(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    while true {
      switch document.stage {
      case .start:
        try enterDocument()
      case .firstElement, .element:
        if try nextElement(&record) { return true }
      case .firstMember, .member:
        if try readMember(&record) { return true }
      case .firstWrapper, .wrapper:
        try readWrapper()
      case .firstNamed, .named:
        if try nextNamed(&record) { return true }
      case .end:
        if let byte = try peek() {
          throw fatal(.unexpected(.byte(byte), expected: .nothing), at: document.at)
        }
        document.stage = .done
      case .done:
        return false
      }
    }
  }

  private func enterDocument() throws(DatasetError) {
    let byte = try require(.objectOrArray)
    switch byte {
    case UInt8(ascii: "["):
      discard(to: document.at + 1)
      document.stage = .firstElement
    case UInt8(ascii: "{"):
      discard(to: document.at)
      document.at = 1
      if let path = options.recordsPath, !path.isEmpty {
        document.path = path
        document.stage = .firstWrapper
      } else {
        document.isBuffered = true
        document.stage = .firstMember
      }
    default:
      throw fatal(.unexpected(.byte(byte), expected: .objectOrArray), at: document.at)
    }
  }

  // MARK: - Records

  /// Reads the next element of the array of records; returns false at its end.
  private func nextElement(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    let isFirst = document.stage == .firstElement
    let byte = try require(isFirst ? .valueOrEnd : .commaOrBracket)
    if byte == UInt8(ascii: "]") {
      discard(to: document.at + 1)
      document.stage = document.hasFeatures ? .member : afterRecords
      return false
    }
    if !isFirst { _ = try skipComma(byte, .commaOrBracket, before: .value) }
    document.stage = .element
    discard(to: document.at)
    return try deliver(&record)
  }

  /// Reads the record at the start of the window.
  private func deliver(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    record.columnNumber = position.line == document.lastLine ? position.column : nil
    document.lastLine = position.line
    record.lineNumber = position.line
    record.byteOffset = window.offset
    let tokenizer = try tokenize(&record, from: 0)
    defer { consume(tokenizer.at) }
    if let error = take(&record, 0..<tokenizer.at, tokenizer) {
      throw failure(error.problem, at: error.offset, scope: .row)
    }
    if let problem = rejection(of: &record) { throw failure(problem, at: 0, scope: .row) }
    return true
  }

  // MARK: - Members of the outermost object

  /// Reads a member, or enters the array of features; returns true if the object is the record.
  private func readMember(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    let isFirst = document.stage == .firstMember
    var byte = try require(isFirst ? .nameOrEnd : .commaOrBrace)
    if byte == UInt8(ascii: "}") { return try endObject(&record) }
    if !isFirst { byte = try skipComma(byte, .commaOrBrace, before: .name) }
    document.stage = .member
    let name = try readName(byte, isFirst)
    byte = try require(.value)
    if ["type", "features", "crs"].contains(name), !document.seen.insert(name).inserted {
      throw fatal(.repeatedName(name), at: document.at)
    }
    switch name {
    case "type":
      if try !readType() { return try deliverObject(&record) }
    case "features" where byte == UInt8(ascii: "["):
      try becomeCollection()
      document.hasFeatures = true
      discard(to: document.at + 1)
      document.stage = .firstElement
      return false
    case "features":
      try collectionError(.featuresNotArray, at: document.at)
      try skipValue()
    case "crs":
      let at = document.at
      try readIntoScratch()
      if !ignoresSystems,
        let system = GeoJSONSystem.foreignName(ofSystem: JSONRecord.root, scratch)
      {
        if !adopt(system) {
          try collectionError(.foreignCoordinates(system: system, path: path), at: at)
        }
      }
    default:
      try skipValue()
    }
    if !document.isBuffered { discard(to: document.at) }
    return false
  }

  /// Reads the name of a member and the colon after it.
  private func readName(_ byte: UInt8, _ isFirst: Bool) throws(DatasetError) -> String {
    guard byte == UInt8(ascii: "\"") else {
      throw fatal(.unexpected(.byte(byte), expected: isFirst ? .nameOrEnd : .name), at: document.at)
    }
    try readIntoScratch()
    let name = scratch.text(JSONRecord.root)
    let colon = try require(.colon)
    guard colon == UInt8(ascii: ":") else {
      throw fatal(.unexpected(.byte(colon), expected: .colon), at: document.at)
    }
    document.at += 1
    return name
  }

  /// Reads the type; returns false if the object is the record.
  private func readType() throws(DatasetError) -> Bool {
    let at = document.at
    try readIntoScratch()
    let isText = scratch[JSONRecord.root].kind == .string
    let type = isText ? scratch.text(JSONRecord.root) : nil
    if type == "FeatureCollection" {
      document.isCollection = true
      try becomeCollection()
      return true
    }
    if document.hasFeatures { throw fatal(.notACollection(type: type), at: at) }
    return false
  }

  private func endObject(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    if !document.hasFeatures {
      if document.isCollection { throw fatal(.noFeatures, at: document.at) }
      return try deliverObject(&record)
    }
    if !document.isCollection { throw fatal(.notACollection(type: nil), at: document.at) }
    discard(to: document.at + 1)
    document.stage = .end
    return false
  }

  /// Reads the outermost object, which is buffered, as the record.
  private func deliverObject(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    guard document.isBuffered else {
      throw fatal(.tooLong(limitBytes: options.recordLimitBytes), at: document.at)
    }
    document.isBuffered = false
    document.at = 0
    if options.recordsPath == nil {
      let tokenizer = try tokenize(&record, from: 0)
      if take(&record, 0..<tokenizer.at, tokenizer) == nil,
        let inner = JSONInnerRecords.detected(in: record)
      {
        notices.add(inner.notice)
        document.path = inner.path
        document.at = 1
        document.stage = inner.path.isEmpty ? .firstNamed : .firstWrapper
        return false
      }
    }
    document.stage = .end
    return try deliver(&record)
  }

  // MARK: - Records inside an object

  /// The stage after the array or the object with the records.
  private var afterRecords: JSONDocumentState.Stage { document.path.isEmpty ? .end : .wrapper }

  /// Reads a member of an object on the path to the records, or enters it.
  private func readWrapper() throws(DatasetError) {
    let isFirst = document.stage == .firstWrapper
    var byte = try require(isFirst ? .nameOrEnd : .commaOrBrace)
    if byte == UInt8(ascii: "}") {
      guard document.hasRecords else {
        throw fatal(.noRecords(path: document.path), at: document.at)
      }
      discard(to: document.at + 1)
      if document.depth == 0 {
        document.stage = .end
      } else {
        document.depth -= 1
        document.stage = .wrapper
      }
      return
    }
    if !isFirst { byte = try skipComma(byte, .commaOrBrace, before: .name) }
    document.stage = .wrapper
    let name = try readName(byte, isFirst)
    byte = try require(.value)
    if document.hasRecords || name != document.path[document.depth] {
      try skipValue()
      discard(to: document.at)
      return
    }
    let isLast = document.depth + 1 == document.path.count
    switch byte {
    case UInt8(ascii: "[") where isLast:
      document.hasRecords = true
      document.stage = .firstElement
    case UInt8(ascii: "{") where isLast:
      document.hasRecords = true
      document.stage = .firstNamed
    case UInt8(ascii: "{"):
      document.depth += 1
      document.stage = .firstWrapper
    default:
      throw fatal(
        .notRecords(path: Array(document.path[...document.depth])), at: document.at)
    }
    discard(to: document.at + 1)
  }

  /// Reads the next member of an object whose members are the records; returns false at its end.
  private func nextNamed(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    let isFirst = document.stage == .firstNamed
    var byte = try require(isFirst ? .nameOrEnd : .commaOrBrace)
    if byte == UInt8(ascii: "}") {
      discard(to: document.at + 1)
      document.stage = afterRecords
      return false
    }
    if !isFirst { byte = try skipComma(byte, .commaOrBrace, before: .name) }
    document.stage = .named
    let name = try readName(byte, isFirst)
    _ = try require(.value)
    discard(to: document.at)
    let line = position
    let offset = window.offset
    _ = try deliver(&record)
    let key = JSONInnerRecords.key
    guard record.member(key, of: JSONRecord.root) == nil else {
      throw DatasetError(
        path: path, line: line.line, column: line.column, scope: .row,
        problem: .json(.repeatedName(key)))
    }
    record.byteOffset = offset
    record.addMember(key, name)
    return true
  }

  private func becomeCollection() throws(DatasetError) {
    document.isBuffered = false
    if let collectionError = document.collectionError {
      finish()
      throw collectionError
    }
  }

  /// Stores an error of a FeatureCollection; throws the error if the object has that type.
  private func collectionError(_ problem: JSONProblem, at offset: Int) throws(DatasetError) {
    if document.isCollection || document.hasFeatures { throw fatal(problem, at: offset) }
    document.collectionError =
      document.collectionError ?? failure(problem, at: offset, scope: .file)
  }

  // MARK: - Values

  /// Reads a value that is not a record into `scratch` and moves after it.
  private func readIntoScratch() throws(DatasetError) {
    let at = document.at
    let tokenizer = try tokenize(&scratch, from: at)
    if let error = take(&scratch, at..<at + tokenizer.at, tokenizer) {
      throw fatal(error.problem, at: error.offset)
    }
    document.at = at + tokenizer.at
  }

  /// Tokenizes the value at an offset; afterwards the window contains all of it.
  private func tokenize(
    _ record: inout JSONRecord, from at: Int
  ) throws(DatasetError) -> JSONTokenizer {
    var tokenizer = JSONTokenizer(keepsNodes: true, depthLimit: options.depthLimit)
    while true {
      let limit = window.count - at
      let outcome = record.nodes.withUnsafeMutableBufferPointer {
        tokenizer.run(window.bytes + at, limit: limit, isLast: window.isAtEnd, $0)
      }
      let isTooLong: Bool
      switch outcome {
      case .complete:
        if tokenizer.at <= options.recordLimitBytes { return tokenizer }
        isTooLong = true
      case .needsMore(let expected):
        isTooLong = limit > options.recordLimitBytes
        if !isTooLong { try fill(after: at + tokenizer.at, expected) }
      case .needsNodes:
        isTooLong = false
        guard record.growNodes(limit: options.nodeLimit) else {
          throw fatal(.tooManyValues(limit: options.nodeLimit), at: at)
        }
      case .failed(let problem):
        throw fatal(problem, at: at + tokenizer.at)
      }
      if isTooLong { throw fatal(.tooLong(limitBytes: options.recordLimitBytes), at: at) }
    }
  }

  /// Skips a value of any size; syntax and UTF-8 are validated, but names may be repeated.
  private func skipValue() throws(DatasetError) {
    var tokenizer = JSONTokenizer(keepsNodes: false, depthLimit: options.depthLimit)
    while true {
      let at = document.at
      let before = tokenizer.at
      let outcome = scratch.nodes.withUnsafeMutableBufferPointer {
        tokenizer.run(
          window.bytes + at, limit: window.count - at, isLast: window.isAtEnd, $0)
      }
      let scanned = at + before..<at + tokenizer.at
      if let offset = UTF8Check.firstInvalidOffset(in: window.slice(scanned)) {
        let offset = scanned.lowerBound + offset
        throw fatal(.invalidUTF8(byteOffset: window.offset + offset), at: offset)
      }
      switch outcome {
      case .complete:
        document.at = scanned.upperBound
        return
      case .failed(let problem):
        throw fatal(problem, at: scanned.upperBound)
      case .needsNodes:
        preconditionFailure("scratch has a node for each level of nesting")
      case .needsMore(let expected):
        limitBuffering()
        if !document.isBuffered {
          discard(to: scanned.upperBound)
          tokenizer.at = 0
          // Only a number can be this long, because strings are skipped in pieces.
          if window.count > options.recordLimitBytes {
            throw fatal(.tooLong(limitBytes: options.recordLimitBytes), at: 0)
          }
        }
        try fill(after: document.at + tokenizer.at, expected)
      }
    }
  }

  // MARK: - The window

  /// Moves to the next byte that is not blank and returns it; nil at the end of the file.
  private func peek() throws(DatasetError) -> UInt8? {
    while true {
      var scan = JSONScan(bytes: window.bytes, limit: window.count, at: document.at)
      scan.skipBlanks()
      document.at = scan.at
      if scan.at < window.count { return scan.byte }
      if window.isAtEnd { return nil }
      limitBuffering()
      if !document.isBuffered { discard(to: document.at) }
      try window.fill()
    }
  }

  /// Moves to the next byte that is not blank and returns it; throws at the end of the file.
  private func require(_ expected: JSONProblem.Expectation) throws(DatasetError) -> UInt8 {
    guard let byte = try peek() else {
      throw fatal(.unexpected(.endOfFile, expected: expected), at: window.count)
    }
    return byte
  }

  /// Skips a comma and returns the next byte that is not blank; throws if `byte` is not a comma.
  private func skipComma(
    _ byte: UInt8, _ expected: JSONProblem.Expectation, before next: JSONProblem.Expectation
  ) throws(DatasetError) -> UInt8 {
    guard byte == UInt8(ascii: ",") else {
      throw fatal(.unexpected(.byte(byte), expected: expected), at: document.at)
    }
    document.at += 1
    return try require(next)
  }

  /// Reads more bytes, at least as many as are scanned again.
  private func fill(
    after at: Int, _ expected: JSONProblem.Expectation
  ) throws(DatasetError) {
    if window.isAtEnd {
      throw fatal(.unexpected(.endOfFile, expected: expected), at: window.count)
    }
    try window.fill(additional: max(window.count - at, 1))
  }

  /// Stops buffering if the object is too long for a record.
  private func limitBuffering() {
    if window.count > options.recordLimitBytes { document.isBuffered = false }
  }

  /// Discards the bytes before an offset.
  private func discard(to offset: Int) {
    consume(offset)
    document.at = 0
  }

  // MARK: - Errors

  /// Moves to the end of the file and returns an error of scope `.file`.
  private func fatal(_ problem: JSONProblem, at offset: Int) -> DatasetError {
    let error = failure(problem, at: offset, scope: .file)
    finish()
    return error
  }

  private func finish() {
    document.stage = .done
    window.close()
  }
}
