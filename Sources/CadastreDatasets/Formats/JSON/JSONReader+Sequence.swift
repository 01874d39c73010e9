/// The state of reading a sequence of JSON texts.
struct JSONSequenceState {
  /// The byte after each text; nil before the first text.
  var separator: UInt8?
  /// Whether the rest of a text that is too long must be skipped.
  var isInLongText = false
}

extension JSONReader {
  /// Reads the next text of a sequence; blank texts are skipped.
  func nextInSequence(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    if sequence.separator == nil { sequence.separator = try findSeparator() }
    let separator = sequence.separator ?? UInt8(ascii: "\n")
    while true {
      let length = try findText(separator)
      let hasSeparator = length < window.count
      if sequence.isInLongText {
        consume(length + (hasSeparator ? 1 : 0))
        if hasSeparator { sequence.isInLongText = false }
        if !hasSeparator, window.isAtEnd { return false }
        continue
      }
      if length > options.recordLimitBytes {
        sequence.isInLongText = true
        throw tooLong(&record)
      }
      if length == 0, !hasSeparator { return false }
      let blanks = blanks(length)
      consume(blanks)
      let rest = length - blanks
      defer { consume(rest + (hasSeparator ? 1 : 0)) }
      if rest > 0 {
        // The tokenizer requires a zero after the text.
        window.bytes[rest] = 0
        defer { window.bytes[rest] = hasSeparator ? separator : 0 }
        return try readText(&record, rest)
      }
    }
  }

  /// Returns the byte after each text: a record separator if the file begins with one, else a line
  /// feed.
  private func findSeparator() throws(DatasetError) -> UInt8 {
    while true {
      if let at = window.slice(0..<window.count).firstIndex(where: { !JSONScan.isBlank($0) }) {
        guard window.bytes[at] == JSONFramingSniffer.recordSeparator else { break }
        consume(at + 1)
        return JSONFramingSniffer.recordSeparator
      }
      if window.isAtEnd || window.count >= options.sniffBytes { break }
      try window.fill()
    }
    return UInt8(ascii: "\n")
  }

  /// Returns the length of the next text; a text that is too long may be longer.
  private func findText(_ separator: UInt8) throws(DatasetError) -> Int {
    var searched = 0
    while true {
      let rest = window.slice(searched..<window.count)
      if let offset = ByteSearch.offset(of: separator, in: rest) { return searched + offset }
      searched = window.count
      let isEnough = searched > (sequence.isInLongText ? 0 : options.recordLimitBytes)
      if window.isAtEnd || isEnough { return searched }
      try window.fill()
    }
  }

  private func blanks(_ length: Int) -> Int {
    var count = 0
    while count < length, JSONScan.isBlank(window.bytes[count]) { count += 1 }
    return count
  }

  /// Reads a text that is completely in the window, at its start.
  private func readText(
    _ record: inout JSONRecord, _ length: Int
  ) throws(DatasetError) -> Bool {
    record.lineNumber = position.line
    record.byteOffset = window.offset
    var tokenizer = JSONTokenizer(keepsNodes: true, depthLimit: options.depthLimit)
    var problem = record.tokenize(
      window.bytes, length, &tokenizer, options, end: end(length))
    var offset = tokenizer.at
    if problem == nil {
      var scan = JSONScan(bytes: window.bytes, limit: length, at: tokenizer.at)
      scan.skipBlanks()
      if scan.at < length {
        problem = .unexpected(.byte(scan.byte), expected: .nothing)
        offset = scan.at
      }
    }
    if let problem {
      record.take(window.slice(0..<length))
      throw failure(problem, at: offset, scope: .row)
    }
    if let error = take(&record, 0..<tokenizer.at, tokenizer) {
      throw failure(error.problem, at: error.offset, scope: .row)
    }
    if let problem = rejection(of: &record) { throw failure(problem, at: 0, scope: .row) }
    return true
  }

  private func end(_ length: Int) -> JSONProblem.Found {
    if length == window.count { return .endOfFile }
    return sequence.separator == JSONFramingSniffer.recordSeparator ? .endOfText : .endOfLine
  }

  private func tooLong(_ record: inout JSONRecord) -> DatasetError {
    record.lineNumber = position.line
    record.byteOffset = window.offset
    record.take(window.slice(0..<0))
    return failure(.tooLong(limitBytes: options.recordLimitBytes), at: 0, scope: .row)
  }
}
