/// One value of a JSON file, taken apart into a flat list of nodes.
///
///     while try reader.nextRecord(&record) {
///       guard let geometry = record.member("geometry", of: JSONRecord.root) else { continue }
///       for (name, value) in record.members(of: geometry) { … }
///     }
///
/// Made to be used again: hand the same record to the reader for every value and its memory is
/// kept. Nothing becomes a `String` or a number unless asked for.
package struct JSONRecord: Sendable {
  /// The node of the whole value: an object, in records that a reader hands out.
  package static let root = 0

  /// The line on which the value begins, counted from 1.
  package internal(set) var lineNumber = 0
  /// Where the value begins, in bytes from the start of the file.
  package internal(set) var byteOffset = 0
  /// How many nodes there are; none in a record that is not JSON.
  package internal(set) var nodeCount = 0
  /// How many bytes of text there are.
  package private(set) var byteCount = 0
  /// The text, except that strings are unescaped in place, and eight bytes or more behind it.
  private(set) var bytes: [UInt8] = []
  /// The nodes, and room for more.
  var nodes: [JSONNode] = []

  /// Makes a record that holds nothing yet.
  package init() {}

  /// One node, counted from 0.
  package subscript(node: Int) -> JSONNode {
    precondition(node < nodeCount, "The record has no such node.")
    return nodes[node]
  }

  /// Takes over text; the nodes into it are the caller's to set.
  mutating func take(_ text: UnsafeBufferPointer<UInt8>) {
    nodeCount = 0
    byteCount = text.count
    let missing = text.count + FileWindow.padding - bytes.count
    if missing > 0 {
      bytes.append(contentsOf: repeatElement(0, count: max(missing, bytes.count)))
    }
    bytes.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(text)) }
  }

  /// Makes room for a number of nodes in all.
  mutating func reserveNodes(_ count: Int) {
    let room = JSONNode(kind: .null, start: 0, end: 0, next: 0)
    nodes.append(contentsOf: repeatElement(room, count: max(count - nodes.count, 0)))
  }

  /// Makes room for twice as many nodes; false if there are as many as may be.
  mutating func growNodes(limit: Int) -> Bool {
    guard nodes.count < limit else { return false }
    reserveNodes(min(max(2 * nodes.count, 64), limit))
    return true
  }

  /// Takes the escapes out of all strings that have some.
  ///
  /// - Returns: The first half of a surrogate pair without the other and its place in the text.
  mutating func removeEscapes() -> (unit: UInt16, offset: Int)? {
    let count = nodeCount
    return bytes.withUnsafeMutableBufferPointer { bytes in
      var lone: (unit: UInt16, offset: Int)?
      nodes.withUnsafeMutableBufferPointer { nodes in
        for index in 0..<count where nodes[index].hasEscapes {
          let found = JSONEscapes.remove(from: bytes, &nodes[index])
          lone = lone ?? found
        }
      }
      return lone
    }
  }
}
