/// A value of a JSON file as a flat list of nodes.
///
///     while try reader.nextRecord(&record) {
///       guard let geometry = record.member("geometry", of: JSONRecord.root) else { continue }
///       for (name, value) in record.members(of: geometry) { … }
///     }
///
/// Passing the same record to the reader for every value reuses its memory. Nodes are converted to
/// `String` or numbers only on request.
package struct JSONRecord: Sendable {
  /// The node of the record, which is an object if it was returned by a reader.
  package static let root = 0

  /// The first line of the value, from 1.
  package internal(set) var lineNumber = 0
  /// The first column of the value in this line, from 1; nil if it is the first value that begins in the line.
  var columnNumber: Int?
  /// The offset of the value, in bytes from the start of the text.
  package internal(set) var byteOffset = 0
  /// The number of nodes; 0 in a record that is not JSON.
  package internal(set) var nodeCount = 0
  /// The number of bytes of the text.
  package private(set) var byteCount = 0
  /// The text, with strings decoded in place, followed by at least eight more bytes.
  private(set) var bytes: [UInt8] = []
  /// The conversion of the coordinates of the geometry; nil for degrees.
  var transformation: CoordinateTransformation?
  /// The nodes, followed by unused ones.
  var nodes: [JSONNode] = []

  /// Creates an empty record.
  package init() {}

  /// Returns the node at an index.
  package subscript(node: Int) -> JSONNode {
    precondition(node < nodeCount, "node \(node) of a record with \(nodeCount) nodes")
    return nodes[node]
  }

  /// Copies a text; the caller sets the nodes.
  mutating func take(_ text: UnsafeBufferPointer<UInt8>) {
    nodeCount = 0
    byteCount = text.count
    let missing = text.count + FileWindow.padding - bytes.count
    if missing > 0 {
      bytes.append(contentsOf: repeatElement(0, count: max(missing, bytes.count)))
    }
    bytes.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(text)) }
  }

  /// Copies a tokenized text, whose nodes the record has already, and validates it.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - tokenizer: The tokenizer at the end of the text.
  ///   - offset: The offset of the text in its file, for messages.
  /// - Returns: The first error and its offset in the text; nil for a valid text.
  mutating func take(
    _ text: UnsafeBufferPointer<UInt8>, _ tokenizer: JSONTokenizer, offset: Int
  ) -> (problem: JSONProblem, offset: Int)? {
    take(text)
    nodeCount = tokenizer.nodeCount
    if tokenizer.mayContainNonASCII, let invalid = UTF8Check.firstInvalidOffset(in: text) {
      return (.invalidUTF8(byteOffset: offset + invalid), invalid)
    }
    if tokenizer.hasEscapes, let lone = removeEscapes() {
      return (.loneSurrogate(lone.unit), lone.offset)
    }
    if let name = repeatedName() {
      return (.repeatedName(self.text(name)), Int(self[name].start) - 1)
    }
    return nil
  }

  /// Allocates at least `count` nodes.
  mutating func reserveNodes(_ count: Int) {
    let unused = JSONNode(kind: .null, start: 0, end: 0, next: 0)
    nodes.append(contentsOf: repeatElement(unused, count: max(count - nodes.count, 0)))
  }

  /// Doubles the number of allocated nodes; returns false if the limit is reached.
  mutating func growNodes(limit: Int) -> Bool {
    guard nodes.count < limit else { return false }
    reserveNodes(min(max(2 * nodes.count, 64), limit))
    return true
  }

  /// Appends a member to the root, which is an object.
  ///
  /// The text of the record stays as it is.
  mutating func addMember(_ name: String, _ value: String) {
    reserveNodes(nodeCount + 2)
    // The padding after the text must remain.
    var end = byteCount + FileWindow.padding
    bytes.removeSubrange(end...)
    for text in [name, value] {
      bytes.append(contentsOf: text.utf8)
      nodes[nodeCount] = JSONNode(
        kind: .string, start: UInt32(end), end: UInt32(bytes.count), next: UInt32(nodeCount + 1))
      nodeCount += 1
      end = bytes.count
    }
    bytes.append(contentsOf: repeatElement(0, count: FileWindow.padding))
    nodes[Self.root].next = UInt32(nodeCount)
  }

  /// Decodes the escapes of all strings.
  ///
  /// - Returns: The first unpaired surrogate and its offset in the text; nil if there is none.
  mutating func removeEscapes() -> (unit: UInt16, offset: Int)? {
    let count = nodeCount
    return bytes.withUnsafeMutableBufferPointer { bytes in
      var lone: (unit: UInt16, offset: Int)?
      nodes.withUnsafeMutableBufferPointer { nodes in
        for index in 0..<count where nodes[index].hasEscapes {
          let surrogate = JSONEscapes.remove(from: bytes, &nodes[index])
          lone = lone ?? surrogate
        }
      }
      return lone
    }
  }
}

extension JSONRecord {
  /// Calls a closure with the bytes of a number, a word or a string.
  ///
  /// The bytes of a string are decoded and valid UTF-8. The bytes of a number are those of the
  /// file.
  ///
  /// - Parameters:
  ///   - node: The index of the node.
  ///   - body: The closure; the bytes are valid only during the call.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package func withText<Result, Failure: Error>(
    _ node: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let node = self[node]
    return try bytes.withUnsafeBufferPointer { all throws(Failure) in
      try body(UnsafeBufferPointer(rebasing: all[Int(node.start)..<Int(node.end)]))
    }
  }

  /// Returns the text of a number, a word or a string.
  package func text(_ node: Int) -> String {
    withText(node) { String(decoding: $0, as: UTF8.self) }
  }

  /// The complete text, for the list of rejected records; invalid bytes become U+FFFD.
  package var text: String { String(decoding: bytes[..<byteCount], as: UTF8.self) }

  /// Returns the members of an object, as nodes of names and values; none for other nodes.
  package func members(of node: Int) -> Members {
    Members(children: children(of: node, .object))
  }

  /// Returns the elements of an array, as nodes; none for other nodes.
  package func elements(of node: Int) -> Children { children(of: node, .array) }

  /// Returns the node of the value of a member; nil if there is none or the node is not an object.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - node: The node of the object.
  /// - Returns: The node of the value.
  /// - Complexity: O(n) in the number of members.
  package func member(_ name: String, of node: Int) -> Int? {
    guard self[node].kind == .object else { return nil }
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        nodes.withUnsafeBufferPointer { nodes in
          let end = Int(nodes[node].next)
          var at = node + 1
          while at < end {
            let (text, value) = (nodes[at], Int(nodes[at].next))
            let range = Int(text.start)..<Int(text.end)
            if range.count == name.count,
              ByteSearch.areEqual(UnsafeBufferPointer(rebasing: bytes[range]), name)
            {
              return value
            }
            at = Int(nodes[value].next)
          }
          return nil
        }
      }
    }
  }

  private func children(of node: Int, _ kind: JSONNode.Kind) -> Children {
    let parent = self[node]
    let isOpen = parent.kind == kind
    return Children(nodes: nodes, at: node + 1, end: isOpen ? Int(parent.next) : node + 1)
  }

  /// A sequence of sibling nodes.
  package struct Children: Sequence, IteratorProtocol {
    fileprivate let nodes: [JSONNode]
    fileprivate var at: Int
    fileprivate let end: Int

    package mutating func next() -> Int? {
      guard at < end else { return nil }
      defer { at = Int(nodes[at].next) }
      return at
    }
  }

  /// A sequence of members, as nodes of names and values.
  package struct Members: Sequence, IteratorProtocol {
    fileprivate var children: Children

    package mutating func next() -> (name: Int, value: Int)? {
      guard let name = children.next(), let value = children.next() else { return nil }
      return (name, value)
    }
  }
}

extension JSONRecord {
  /// Returns coordinates of the geometry in degrees; nil if they have no counterpart in WGS 84.
  func degrees(_ x: Double, _ y: Double) -> (longitude: Double, latitude: Double)? {
    guard let transformation else { return (x, y) }
    return transformation.degrees(x, y)
  }
}

extension JSONRecord {
  /// Returns a value as JSON.
  ///
  /// - Parameter node: The node of the value.
  /// - Returns: The text, without blanks between its tokens.
  /// - Complexity: O(n) in the nodes of the value; recursive, up to the maximum nesting of the reader.
  func json(_ node: Int) -> OutputText {
    var text = OutputText()
    append(node, to: &text)
    return text
  }

  private func append(_ node: Int, to text: inout OutputText) {
    switch self[node].kind {
    case .null, .true, .false, .integer, .number: text.append(self.text(node))
    case .string: text.appendQuoted(self.text(node))
    case .array: text.appendList(elements(of: node), ("[", "]")) { append($1, to: &$0) }
    case .object:
      text.appendList(members(of: node), ("{", "}")) { text, member in
        text.appendQuoted(self.text(member.name))
        text.append(":")
        append(member.value, to: &text)
      }
    }
  }
}

/// A value in a JSON text, or the name of a member.
///
/// A text is a flat list of nodes in the order of the text. The nodes of elements and members
/// follow the node of their array or object. A member is a string node, the name, followed by the
/// node of the value.
package struct JSONNode: Hashable, Sendable {
  /// The kind of a value.
  package enum Kind: UInt8, Hashable, Sendable {
    /// A number without fraction and exponent is an `integer`, with any number of digits.
    case null, `false`, `true`, integer, number, string, array, object

    /// Whether the value is a number.
    var isNumber: Bool { self == .integer || self == .number }
  }

  /// The kind of the value.
  package var kind: Kind
  /// Whether a string contains escapes that are not decoded yet.
  var hasEscapes = false
  /// The offset of the value in the bytes of its record; of a string, after the quote.
  package var start: UInt32
  /// The offset of the end of the value; of a string, of the end of the decoded text.
  package var end: UInt32
  /// The node after this one and its contents; while the node is open, the enclosing node.
  package var next: UInt32
}
