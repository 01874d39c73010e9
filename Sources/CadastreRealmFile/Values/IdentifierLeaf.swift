import CadastreModel
import Foundation

/// A leaf of object identifiers or UUIDs, in blocks of eight with a byte of null flags.
struct IdentifierLeaf {
  private let node: Node
  /// The size of an element in bytes: 12 or 16.
  private let size: Int
  /// The number of elements.
  let count: Int

  /// Opens a leaf of elements of a size.
  init(_ node: Node, size: Int) throws(Damage) {
    // The width is 1, or 0 in an empty leaf.
    guard node.layout == .bytes, !node.hasReferences, !node.isInner,
      node.width == 1 || node.width == 0 && node.count == 0
    else { throw Damage(node.offset, "expected identifiers of \(size) bytes") }
    self.node = node
    self.size = size
    let block = 8 * size + 1
    let flags = (node.count + block - 1) / block
    guard (node.count - flags) % size == 0 else {
      throw Damage(node.offset, "found \(node.count) bytes of identifiers of \(size) bytes")
    }
    count = (node.count - flags) / size
  }

  /// Returns an element, which must exist.
  func value(_ index: Int) -> Value {
    let start = index / 8 * (8 * size + 1)
    guard node.payload[start] >> UInt8(index & 7) & 1 == 0 else { return .null }
    let first = start + 1 + index % 8 * size
    let bytes = UnsafeRawBufferPointer(rebasing: node.payload[first..<(first + size)])
    return Self.value(bytes) ?? .null
  }

  /// Returns the identifier with 12 or 16 bytes; nil for other numbers of bytes.
  static func value(_ bytes: UnsafeRawBufferPointer) -> Value? {
    bytes.count == 12
      ? .objectId(ObjectId(bytes: Array(bytes))) : UUID(bytes: bytes).map(Value.uuid)
  }
}
