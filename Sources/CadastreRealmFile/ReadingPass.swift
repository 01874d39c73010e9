import CadastreModel
import Foundation

/// The state of one pass over the objects of a file: the nodes that were read, and the size of shared strings.
///
/// A pass reads each value once, which limits the work and the memory that a damaged file can cause.
final class ReadingPass {
  /// The nodes of values that were read.
  let visited: VisitedNodes
  private let file: FileContext
  private var depth = 0
  private var sharedBytes = 0
  private let maximumSharedBytes: Int

  init(_ file: FileContext, _ visited: VisitedNodes) {
    self.file = file
    self.visited = visited
    // A column of few distinct strings may be much larger in memory than in the file.
    maximumSharedBytes = max(
      1 << 30, file.space.limit.multipliedReportingOverflow(by: 64).partialValue)
  }

  /// Calls a closure that reads a list or dictionary within a mixed value.
  ///
  /// - Parameters:
  ///   - root: The node of the collection.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: ``Damage`` if the collections are nested more deeply than Realm allows.
  func nested<Result>(
    _ root: Node, _ body: (RealmFileCollectionReader) throws(Damage) -> Result
  ) throws(Damage) -> Result {
    guard depth < Value.maximumDepth else {
      throw Damage(root.offset, "found more than \(Value.maximumDepth) nested collections")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(RealmFileCollectionReader(file, self))
  }

  /// Counts bytes that were read from a node that several objects share.
  ///
  /// - Throws: ``Damage`` if the sum exceeds the limit of the pass.
  func countShared(_ bytes: Int, at node: Node) throws(Damage) {
    sharedBytes += bytes
    guard sharedBytes <= maximumSharedBytes else {
      throw Damage(
        node.offset, "the repeated strings of the file exceed \(maximumSharedBytes) bytes")
    }
  }
}

/// One pass over objects of a file, in which each value can be read once.
///
/// Two references to one collection are corruption; without this check a small file could have
/// arbitrarily many elements.
package final class RealmFilePass {
  let pass: ReadingPass

  init(_ context: FileContext, _ path: String) throws(RealmFileError) {
    pass = ReadingPass(context, try Self.visitedNodes(context, path))
  }

  static func visitedNodes(
    _ context: FileContext, _ path: String
  ) throws(RealmFileError) -> VisitedNodes {
    guard let visited = VisitedNodes(fileSize: context.space.limit) else {
      throw RealmFileError(path, .unreadable(reason: "there is not enough memory"))
    }
    return visited
  }
}

/// The set of nodes that a pass has read; a second reference to a node is corruption.
///
/// The set bounds the work of a pass by the size of the file, and detects cycles. One bit represents
/// eight bytes of the file; the system allocates a page of the bitmap at its first write.
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
