import CadastreModel

/// The state of one pass over the objects of a file: what was read, and how much.
///
/// It bounds the work and the memory that a damaged file can cause. Each value is read once.
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
    _ root: Node, _ body: (CollectionReader) throws(Damage) -> Result
  ) throws(Damage) -> Result {
    guard depth < Value.maximumDepth else {
      throw Damage(root.offset, "found more than \(Value.maximumDepth) nested collections")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(CollectionReader(file, self))
  }

  /// Notes bytes that were read from a node that several objects share.
  func noteShared(_ bytes: Int, at node: Node) throws(Damage) {
    sharedBytes += bytes
    guard sharedBytes <= maximumSharedBytes else {
      throw Damage(
        node.offset, "the repeated strings of the file exceed \(maximumSharedBytes) bytes")
    }
  }
}
