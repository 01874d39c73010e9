import Foundation

/// The set of nodes that a pass has read: a node that is met twice is corruption.
///
/// It bounds the work of a pass by the size of the file, and finds cycles. One bit represents eight
/// bytes of the file; the system provides the memory when a bit in it is set.
final class VisitedNodes {
  private let words: UnsafeMutablePointer<UInt64>
  private let count: Int

  /// Creates an empty set for a file; nil if there is not enough memory.
  init?(fileSize: Int) {
    count = fileSize / 512 + 1
    guard let memory = calloc(count, MemoryLayout<UInt64>.stride) else { return nil }
    words = memory.bindMemory(to: UInt64.self, capacity: count)
  }

  deinit { free(words) }

  /// Adds a node.
  ///
  /// - Throws: ``Damage`` if the node was added before.
  func insert(_ node: Node) throws(Damage) {
    let word = node.offset >> 9
    let bit = UInt64(1) << UInt64(node.offset >> 3 & 63)
    guard word < count, words[word] & bit == 0 else {
      throw Damage(node.offset, "two references lead to this node; expected one")
    }
    words[word] |= bit
  }
}
