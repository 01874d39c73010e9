extension JSONRecord {
  /// Parses a JSON object in memory, by the rules of ``JSONReader``.
  ///
  /// - Parameter bytes: The text.
  /// - Throws: ``ChangeError`` with what was found and what was expected.
  /// - Complexity: O(n) in the size of the text.
  package init(parsing bytes: [UInt8]) throws(ChangeError) {
    var record = JSONRecord()
    let padded = bytes + repeatElement(0, count: FileWindow.padding)
    let problem = padded.withUnsafeBufferPointer { padded in
      record.problem(in: UnsafeBufferPointer(rebasing: padded[..<bytes.count]))
    }
    if let problem { throw ChangeError("the body is no JSON object: \(problem.sentence)") }
    self = record
  }

  /// Takes a text that is followed by the padding; returns why it is no object.
  private mutating func problem(in text: UnsafeBufferPointer<UInt8>) -> JSONProblem? {
    let options = JSONOptions()
    guard let base = text.baseAddress, !text.isEmpty else {
      return .unexpected(.endOfFile, expected: .value)
    }
    reserveNodes(64)
    var tokenizer = JSONTokenizer(keepsNodes: true, depthLimit: options.depthLimit)
    if let problem = tokenize(base, text.count, &tokenizer, options, end: .endOfFile) {
      return problem
    }
    var scan = JSONScan(bytes: base, limit: text.count, at: tokenizer.at)
    scan.skipBlanks()
    if scan.at < text.count { return .unexpected(.byte(scan.byte), expected: .nothing) }
    let read = UnsafeBufferPointer(rebasing: text[..<tokenizer.at])
    if let error = take(read, tokenizer, offset: 0) { return error.problem }
    let kind = self[Self.root].kind
    return kind == .object ? nil : .notAnObject(found: kind)
  }

  /// Tokenizes a complete text, which is followed by the padding, into the nodes of the record.
  ///
  /// - Parameters:
  ///   - start: The first byte of the text.
  ///   - count: The number of bytes.
  ///   - tokenizer: A tokenizer at the start; it moves to the end of the value, or to the error.
  ///   - options: The limits of the reader.
  ///   - end: What follows the text, for the message of a text that is incomplete.
  /// - Returns: The error; nil if the text begins with a valid value.
  mutating func tokenize(
    _ start: UnsafePointer<UInt8>, _ count: Int, _ tokenizer: inout JSONTokenizer,
    _ options: JSONOptions, end: JSONProblem.Found
  ) -> JSONProblem? {
    while true {
      let outcome = nodes.withUnsafeMutableBufferPointer {
        tokenizer.run(start, limit: count, isLast: true, $0)
      }
      switch outcome {
      case .complete: return nil
      case .failed(let problem): return problem
      case .needsMore(let expected):
        tokenizer.at = count
        return .unexpected(end, expected: expected)
      case .needsNodes:
        guard growNodes(limit: options.nodeLimit) else {
          return .tooManyValues(limit: options.nodeLimit)
        }
      }
    }
  }
}
