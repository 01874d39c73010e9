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

  /// Takes a text that is followed by the padding; returns why it is not an object.
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
  ///   - end: A description of the bytes after the text, for the message about an incomplete text.
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

extension JSONRecord {
  /// Returns the node of a name that occurs twice in one object; nil if there is none.
  ///
  /// - Complexity: O(n) in the number of nodes.
  func repeatedName() -> Int? {
    for node in 0..<nodeCount where nodes[node].kind == .object {
      if let repeated = repeatedName(in: node) { return repeated }
    }
    return nil
  }

  private func repeatedName(in object: Int) -> Int? {
    // Up to 16 names, pairwise comparison is as fast as hashing, measured with names of 3 to 20
    // bytes.
    let fewNames = 16
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: fewNames) { signatures in
      var seen = 0
      for member in members(of: object) {
        guard seen < fewNames else { return repeatedNameAmongMany(in: object) }
        let signature = signature(member.name)
        for earlier in 0..<seen where signatures[earlier] == signature {
          // Different names may have the same signature, so the names are compared.
          return repeatedNameAmongMany(in: object)
        }
        signatures[seen] = signature
        seen += 1
      }
      return nil
    }
  }

  /// Returns a mix of length, first and last bytes of a name; equal names have equal signatures.
  private func signature(_ node: Int) -> UInt64 {
    let (start, end) = (Int(nodes[node].start), Int(nodes[node].end))
    let length = UInt64(end - start)
    return bytes.withUnsafeBytes { bytes in
      let first = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
      // The multiplier is 2^64 divided by the golden ratio, made odd (Fibonacci hashing).
      let mixed = length &* 0x9E37_79B9_7F4A_7C15
      guard length >= 8 else { return first & ((1 << (8 * length)) - 1) ^ mixed }
      let last = bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self).littleEndian
      return first &* 0x9E37_79B9_7F4A_7C15 ^ last ^ mixed
    }
  }

  /// Returns the node of a repeated name in an object of any size, with a hash table.
  private func repeatedNameAmongMany(in object: Int) -> Int? {
    var count = 0
    for _ in members(of: object) { count += 1 }
    var size = 2
    while size < 2 * count { size *= 2 }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { table in
      // The node 0 is the root, which is not a name, so 0 marks a free slot.
      table.initialize(repeating: 0)
      for member in members(of: object) {
        var slot = hash(member.name) & (size - 1)
        while table[slot] != 0 {
          if haveSameText(Int(table[slot]), member.name) { return member.name }
          slot = (slot + 1) & (size - 1)
        }
        table[slot] = UInt32(member.name)
      }
      return nil
    }
  }

  /// Returns a hash with a random seed per process, so that files cannot be crafted to collide.
  private func hash(_ node: Int) -> Int {
    withText(node) { text in
      var hasher = Hasher()
      hasher.combine(bytes: UnsafeRawBufferPointer(text))
      return hasher.finalize()
    }
  }

  private func haveSameText(_ first: Int, _ second: Int) -> Bool {
    withText(first) { first in withText(second) { first.elementsEqual($0) } }
  }
}

/// Decoding of escapes in strings.
///
/// Source: RFC 8259, section 7.
enum JSONEscapes {
  /// Returns the character for a letter after a backslash, except `u`; nil if it is not an escape.
  static func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// Decodes the escapes of a string in place; the tokenizer has validated their syntax.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the record.
  ///   - node: The string; its end is moved to the end of the decoded text.
  /// - Returns: The first unpaired surrogate and its offset; it is removed from the string. Nil if
  ///   there is none.
  static func remove(
    from bytes: UnsafeMutableBufferPointer<UInt8>, _ node: inout JSONNode
  ) -> (unit: UInt16, offset: Int)? {
    var from = Int(node.start)
    var to = from
    let end = Int(node.end)
    var lone: (unit: UInt16, offset: Int)?
    while from < end {
      guard bytes[from] == UInt8(ascii: "\\") else {
        bytes[to] = bytes[from]
        from += 1
        to += 1
        continue
      }
      if let byte = meaning(of: bytes[from + 1]) {
        bytes[to] = byte
        from += 2
        to += 1
        continue
      }
      let (scalar, length) = scalar(bytes, from, end)
      if let scalar {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          bytes[to] = byte
          to += 1
        }
      } else if lone == nil {
        lone = (unit(bytes, from), from)
      }
      from += length
    }
    node.end = UInt32(to)
    node.hasEscapes = false
    return lone
  }

  /// Returns the character of one or two escapes `\u`, and the number of their bytes.
  private static func scalar(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ at: Int, _ end: Int
  ) -> (Unicode.Scalar?, Int) {
    let first = unit(bytes, at)
    guard UTF16.isLeadSurrogate(first), at + 12 <= end, bytes[at + 6] == UInt8(ascii: "\\"),
      bytes[at + 7] == UInt8(ascii: "u"), UTF16.isTrailSurrogate(unit(bytes, at + 6))
    else {
      return (Unicode.Scalar(first), 6)
    }
    let pair = UTF16.EncodedScalar([first, unit(bytes, at + 6)])
    return (UTF16.decode(pair), 12)
  }

  /// Returns the UTF-16 code unit of the escape `\uXXXX` at an offset.
  private static func unit(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ at: Int) -> UInt16 {
    var unit: UInt16 = 0
    for byte in bytes[at + 2..<at + 6] {
      unit = unit << 4 | UInt16(FieldParsing.hexDigit(byte) ?? 0)
    }
    return unit
  }
}
