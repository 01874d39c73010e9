/// How far a JSON document is read.
struct JSONDocumentState {
  /// What comes next.
  enum Stage {
    case start, firstElement, element, firstMember, member, end, done
  }

  var stage = Stage.start
  /// Where reading goes on in the window.
  var at = 0
  /// Whether the bytes before that are kept, as the whole object may be the record.
  var isHeld = false
  /// Whether the object says that it is a FeatureCollection.
  var isCollection = false
  /// Whether the elements come from the member `features` of an object.
  var hasFeatures = false
  /// The members met that may be there once only.
  var seen: Set<String> = []
  /// What is wrong if the object is a FeatureCollection.
  var objection: DatasetError?
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
        if try passMember(&record) { return true }
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
    let byte = try need(.objectOrArray)
    switch byte {
    case UInt8(ascii: "["):
      leave(through: document.at + 1)
      document.stage = .firstElement
    case UInt8(ascii: "{"):
      leave(through: document.at)
      document.isHeld = true
      document.at = 1
      document.stage = .firstMember
    default:
      throw fatal(.unexpected(.byte(byte), expected: .objectOrArray), at: document.at)
    }
  }

  // MARK: - Records

  /// Reads the next element of the array of records; false at its end.
  private func nextElement(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    let isFirst = document.stage == .firstElement
    let byte = try need(isFirst ? .valueOrEnd : .commaOrBracket)
    if byte == UInt8(ascii: "]") {
      leave(through: document.at + 1)
      document.stage = document.hasFeatures ? .member : .end
      return false
    }
    if !isFirst { _ = try passComma(byte, .commaOrBracket, before: .value) }
    document.stage = .element
    leave(through: document.at)
    return try deliver(&record)
  }

  /// Hands out the value that begins with the first byte of the window.
  private func deliver(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    record.lineNumber = place.line
    record.byteOffset = window.offset
    let tokenizer = try tokenize(&record, from: 0)
    defer { consume(tokenizer.at) }
    if let found = take(&record, 0..<tokenizer.at, tokenizer) {
      throw failure(found.problem, at: found.offset, scope: .row)
    }
    if let problem = refusal(of: record) { throw failure(problem, at: 0, scope: .row) }
    return true
  }

  // MARK: - Members of the outermost object

  /// Passes over a member, or enters its features; true if the object turned out to be the record.
  private func passMember(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    let isFirst = document.stage == .firstMember
    var byte = try need(isFirst ? .nameOrEnd : .commaOrBrace)
    if byte == UInt8(ascii: "}") { return try endObject(&record) }
    if !isFirst { byte = try passComma(byte, .commaOrBrace, before: .name) }
    document.stage = .member
    guard byte == UInt8(ascii: "\"") else {
      throw fatal(.unexpected(.byte(byte), expected: isFirst ? .nameOrEnd : .name), at: document.at)
    }
    try readAside()
    let name = scratch.text(JSONRecord.root)
    byte = try need(.colon)
    guard byte == UInt8(ascii: ":") else {
      throw fatal(.unexpected(.byte(byte), expected: .colon), at: document.at)
    }
    document.at += 1
    byte = try need(.value)
    if ["type", "features", "crs"].contains(name), !document.seen.insert(name).inserted {
      throw fatal(.repeatedName(name), at: document.at)
    }
    switch name {
    case "type":
      if try !passType() { return try deliverWhole(&record) }
    case "features" where byte == UInt8(ascii: "["):
      try becomeCollection()
      document.hasFeatures = true
      leave(through: document.at + 1)
      document.stage = .firstElement
      return false
    case "features":
      try object(.featuresNotArray, at: document.at)
      try passValue()
    case "crs":
      let at = document.at
      try readAside()
      if let system = GeoJSONSystem.foreignName(ofSystem: JSONRecord.root, scratch) {
        try object(.foreignCoordinates(system: system, path: path), at: at)
      }
    default:
      try passValue()
    }
    if !document.isHeld { leave(through: document.at) }
    return false
  }

  /// Reads the type; false if the object is a record itself.
  private func passType() throws(DatasetError) -> Bool {
    let at = document.at
    try readAside()
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
      return try deliverWhole(&record)
    }
    if !document.isCollection { throw fatal(.notACollection(type: nil), at: document.at) }
    leave(through: document.at + 1)
    document.stage = .end
    return false
  }

  /// Hands out the outermost object, which was held for this.
  private func deliverWhole(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    guard document.isHeld else {
      throw fatal(.tooLong(limitBytes: options.recordLimitBytes), at: document.at)
    }
    document.isHeld = false
    document.at = 0
    document.stage = .end
    return try deliver(&record)
  }

  private func becomeCollection() throws(DatasetError) {
    document.isHeld = false
    if let objection = document.objection {
      finish()
      throw objection
    }
  }

  /// Remembers what would be wrong with a FeatureCollection; throws it if the object is one.
  private func object(_ problem: JSONProblem, at offset: Int) throws(DatasetError) {
    if document.isCollection || document.hasFeatures { throw fatal(problem, at: offset) }
    document.objection =
      document.objection ?? failure(problem, at: offset, scope: .file)
  }

  // MARK: - Values

  /// Reads a value that is no record into `scratch` and moves behind it.
  private func readAside() throws(DatasetError) {
    let at = document.at
    let tokenizer = try tokenize(&scratch, from: at)
    if let found = take(&scratch, at..<at + tokenizer.at, tokenizer) {
      throw fatal(found.problem, at: found.offset)
    }
    document.at = at + tokenizer.at
  }

  /// Reads the value at an offset of the window, which then holds it whole.
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
        if !isTooLong { try fill(behind: at + tokenizer.at, expected) }
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

  /// Passes over a value of any size; it is JSON and UTF-8, but names may come twice.
  private func passValue() throws(DatasetError) {
    var tokenizer = JSONTokenizer(keepsNodes: false, depthLimit: options.depthLimit)
    while true {
      let at = document.at
      let before = tokenizer.at
      let outcome = scratch.nodes.withUnsafeMutableBufferPointer {
        tokenizer.run(
          window.bytes + at, limit: window.count - at, isLast: window.isAtEnd, $0)
      }
      let passed = at + before..<at + tokenizer.at
      if let offset = UTF8Check.firstInvalidOffset(in: window.slice(passed)) {
        let offset = passed.lowerBound + offset
        throw fatal(.invalidUTF8(byteOffset: window.offset + offset), at: offset)
      }
      switch outcome {
      case .complete:
        document.at = passed.upperBound
        return
      case .failed(let problem):
        throw fatal(problem, at: passed.upperBound)
      case .needsNodes:
        preconditionFailure("There is room for as many nodes as may be open at once.")
      case .needsMore(let expected):
        holdNoMoreThanARecord()
        if !document.isHeld {
          leave(through: passed.upperBound)
          tokenizer.at = 0
          // A number is all that can be as long as this and not be passed piece by piece.
          if window.count > options.recordLimitBytes {
            throw fatal(.tooLong(limitBytes: options.recordLimitBytes), at: 0)
          }
        }
        try fill(behind: document.at + tokenizer.at, expected)
      }
    }
  }

  // MARK: - The window

  /// Moves to the next byte that is not blank, reading on as need be; nil at the end of the file.
  private func peek() throws(DatasetError) -> UInt8? {
    while true {
      var scan = JSONScan(bytes: window.bytes, limit: window.count, at: document.at)
      scan.passBlanks()
      document.at = scan.at
      if scan.at < window.count { return scan.byte }
      if window.isAtEnd { return nil }
      holdNoMoreThanARecord()
      if !document.isHeld { leave(through: document.at) }
      try window.fill()
    }
  }

  private func need(_ expected: JSONProblem.Expectation) throws(DatasetError) -> UInt8 {
    guard let byte = try peek() else {
      throw fatal(.unexpected(.endOfFile, expected: expected), at: window.count)
    }
    return byte
  }

  /// Moves over the byte if it is a comma, to the next one that is not blank.
  private func passComma(
    _ byte: UInt8, _ expected: JSONProblem.Expectation, before next: JSONProblem.Expectation
  ) throws(DatasetError) -> UInt8 {
    guard byte == UInt8(ascii: ",") else {
      throw fatal(.unexpected(.byte(byte), expected: expected), at: document.at)
    }
    document.at += 1
    return try need(next)
  }

  /// Reads on, at least as much as will be looked at again.
  private func fill(
    behind at: Int, _ expected: JSONProblem.Expectation
  ) throws(DatasetError) {
    if window.isAtEnd {
      throw fatal(.unexpected(.endOfFile, expected: expected), at: window.count)
    }
    try window.fill(wanted: max(window.count - at, 1))
  }

  /// Lets go of what is too long to be a record.
  private func holdNoMoreThanARecord() {
    if window.count > options.recordLimitBytes { document.isHeld = false }
  }

  /// Leaves behind all that is before an offset; reading goes on there.
  private func leave(through offset: Int) {
    consume(offset)
    document.at = 0
  }

  // MARK: - Errors

  /// Makes an error after which there is nothing left to read.
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
