/// A value of a JSON file as a flat list of nodes.
///
///     while try reader.nextRecord(&record) {
///       guard let geometry = record.member("geometry", of: JSONRecord.root) else { continue }
///       for (name, value) in record.members(of: geometry) { … }
///     }
///
/// Passing the same record to the reader for every value reuses its memory. Nodes are converted to `String` or numbers only on request.
package struct JSONRecord: Sendable {
  /// The node of the record, which is an object if it was returned by a reader.
  package static let root = 0

  /// The first line of the value, from 1.
  package internal(set) var lineNumber = 0
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

  /// Adds a member to the root, which is an object, after its own members.
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
