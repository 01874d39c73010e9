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
    var isComplete = false
    while !isComplete {
      let outcome = nodes.withUnsafeMutableBufferPointer {
        tokenizer.run(base, limit: text.count, isLast: true, $0)
      }
      switch outcome {
      case .complete: isComplete = true
      case .failed(let problem): return problem
      case .needsMore(let expected): return .unexpected(.endOfFile, expected: expected)
      case .needsNodes:
        guard growNodes(limit: options.nodeLimit) else {
          return .tooManyValues(limit: options.nodeLimit)
        }
      }
    }
    var scan = JSONScan(bytes: base, limit: text.count, at: tokenizer.at)
    scan.skipBlanks()
    if scan.at < text.count { return .unexpected(.byte(scan.byte), expected: .nothing) }
    let read = UnsafeBufferPointer(rebasing: text[..<tokenizer.at])
    if let error = take(read, tokenizer, offset: 0) { return error.problem }
    let kind = self[Self.root].kind
    return kind == .object ? nil : .notAnObject(found: kind)
  }
}
