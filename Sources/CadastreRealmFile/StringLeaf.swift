import Foundation

/// A leaf of strings or of byte sequences.
struct StringLeaf {
  private enum Form {
    /// Elements of a fixed width, padded with zeros.
    case short
    /// The end offsets of the elements, their bytes, and a null flag for each.
    case medium(ends: Node, blob: Node, nulls: Node)
    /// A reference to the bytes of each element.
    case long
    /// Indexes into the distinct strings of the column.
    indirect case enumerated(StringLeaf)
  }

  private let node: Node
  private let form: Form
  private let space: NodeSpace
  /// The number of zero bytes after the content of an element: 1 for strings, 0 for data.
  private let terminator: Int

  /// The number of elements.
  let count: Int

  /// Opens a leaf.
  ///
  /// - Parameters:
  ///   - node: The node of the leaf.
  ///   - space: The file.
  ///   - isData: Whether the elements are data rather than strings.
  ///   - distinct: The distinct strings of an enumerated column.
  ///   - visited: The set to which the nodes of the leaf are added.
  /// - Throws: ``Damage`` if the nodes are of another kind.
  init(
    _ node: Node, _ space: NodeSpace, isData: Bool = false, distinct: Node? = nil,
    visited: VisitedNodes?
  ) throws(Damage) {
    self.node = node
    self.space = space
    terminator = isData ? 0 : 1
    switch (node.hasReferences, node.context, node.layout) {
    case (false, _, .bytes) where !isData && !node.isInner:
      form = .short
      count = node.count
    case (false, _, .bits) where !isData && !node.isInner:
      guard let distinct else {
        throw Damage(node.offset, "found indexes of strings; expected strings")
      }
      form = .enumerated(try StringLeaf(distinct, space, visited: nil))
      count = node.count
    case (true, false, .bits) where !node.isInner:
      try node.requireCount(3)
      let parts = (try space.node(node, 0), try space.node(node, 1), try space.node(node, 2))
      try parts.0.requireIntegers()
      try parts.2.requireIntegers()
      try parts.2.requireCount(parts.0.count)
      guard parts.1.layout == .blob, !parts.1.hasReferences else {
        throw Damage(parts.1.offset, "expected the bytes of strings")
      }
      for part in [parts.0, parts.1, parts.2] { try visited?.insert(part) }
      form = .medium(ends: parts.0, blob: parts.1, nulls: parts.2)
      count = parts.0.count
    case (true, true, .bits) where !node.isInner:
      form = .long
      count = node.count
    default: throw Damage(node.offset, "expected a leaf of strings")
    }
  }

  /// Returns the bytes of an element; nil for null.
  ///
  /// - Parameters:
  ///   - index: The element.
  ///   - pass: The pass that reads; nil for elements that several objects share.
  /// - Returns: The bytes, valid while the file is open.
  /// - Throws: ``Damage``.
  func bytes(_ index: Int, _ pass: ReadingPass?) throws(Damage) -> UnsafeRawBufferPointer? {
    guard index >= 0, index < count else {
      throw Damage(node.offset, "string \(index) of \(count) is needed")
    }
    switch form {
    case .short: return try shortBytes(index)
    case .medium(let ends, let blob, let nulls):
      let begin = index == 0 ? 0 : try ends.integer(index - 1)
      let end = try ends.integer(index)
      guard begin >= 0, end >= begin, end <= blob.count else {
        throw Damage(ends.offset, "found a string from \(begin) to \(end) of \(blob.count) bytes")
      }
      guard try nulls.integer(index) == 0 else { return nil }
      return try content(
        UnsafeRawBufferPointer(rebasing: blob.payload[Int(begin)..<Int(end)]), ends)
    case .long:
      guard let blob = try space.optionalNode(node, index) else { return nil }
      try pass?.visited.insert(blob)
      guard blob.layout == .blob, !blob.hasReferences else {
        throw Damage(blob.offset, "expected the bytes of a value of at most 16,777,200 bytes")
      }
      return try content(blob.payload, blob)
    case .enumerated(let distinct):
      let position = try node.integer(index)
      guard position >= 0, position < distinct.count else {
        throw Damage(node.offset, "found index \(position) of \(distinct.count) distinct strings")
      }
      let bytes = try distinct.bytes(Int(position), nil)
      try pass?.countShared(bytes?.count ?? 0, at: node)
      return bytes
    }
  }

  /// Returns an element as text, with malformed UTF-8 replaced; nil for null.
  func text(_ index: Int, _ pass: ReadingPass?) throws(Damage) -> String? {
    try bytes(index, pass).map { String(decoding: $0, as: UTF8.self) }
  }

  private func shortBytes(_ index: Int) throws(Damage) -> UnsafeRawBufferPointer? {
    let width = node.width
    guard width > 0 else { return nil }
    let start = index * width
    let padding = Int(node.payload[start + width - 1])
    guard padding < width else {
      guard padding == width else {
        throw Damage(node.offset, "found \(padding) bytes of padding in \(width) bytes")
      }
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: node.payload[start..<(start + width - 1 - padding)])
  }

  private func content(
    _ bytes: UnsafeRawBufferPointer, _ source: Node
  ) throws(Damage) -> UnsafeRawBufferPointer {
    guard terminator > 0 else { return bytes }
    guard bytes.last == 0 else {
      throw Damage(source.offset, "found a string without a zero byte at its end")
    }
    return UnsafeRawBufferPointer(rebasing: bytes.dropLast())
  }
}
