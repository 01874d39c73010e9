import CadastreSQLite

/// The nodes of a spatial index that are cached in memory, at one version.
///
/// All readers share it. Nodes are numbered from 1 on without large gaps, so they are in arrays of equal length; a
/// copy of the image shares the arrays.
struct NodeImage: Sendable {
  /// The newest version at which a reader has opened the index; all nodes are valid at this version.
  private(set) var version: Int64
  private var chunks: [[CachedNode?]] = []
  /// The size of a node in the file in bytes; nil until a node was inserted.
  private(set) var nodeBytes: Int?
  /// The size in memory in bytes.
  private(set) var byteCount = 0
  /// The number of cached nodes.
  private(set) var nodeCount = 0
  /// The use of the image by readers.
  var use = CacheUse()

  private static let chunkBits: Int64 = 8
  /// The number of nodes of a chunk.
  private static let chunkCapacity = 1 << chunkBits
  /// The largest number of a node that is cached; a tree of so many nodes takes 80 GB in the file.
  private static let largestNumber: Int64 = 1 << 26

  init(at version: Int64) { self.version = version }

  /// Returns a node; nil where it is not cached.
  func node(_ number: Int64) -> CachedNode? {
    let chunk = Int(truncatingIfNeeded: number >> Self.chunkBits)
    guard chunk >= 0, chunk < chunks.count, !chunks[chunk].isEmpty else { return nil }
    return chunks[chunk][Int(truncatingIfNeeded: number) & (Self.chunkCapacity - 1)]
  }

  /// Returns the bytes by which the image grows at most with some nodes.
  func byteCount(adding nodes: [NumberedNode]) -> Int {
    var bytes = 0
    var newChunk: Int64?
    for (number, node) in nodes {
      bytes += node.byteCount
      let chunk = number >> Self.chunkBits
      if chunk != newChunk, chunk >= chunks.count || chunk >= 0 && chunks[Int(chunk)].isEmpty {
        newChunk = chunk
        bytes += Self.chunkBytes
      }
    }
    return bytes
  }

  /// Adds a node of a number of bytes in the file.
  mutating func insert(_ node: CachedNode, _ number: Int64, nodeBytes: Int) {
    guard number > 0, number <= Self.largestNumber else { return }
    self.nodeBytes = nodeBytes
    let chunk = Int(number >> Self.chunkBits)
    while chunks.count <= chunk { chunks.append([]) }
    if chunks[chunk].isEmpty {
      chunks[chunk] = Array(repeating: nil, count: Self.chunkCapacity)
      byteCount += Self.chunkBytes
    }
    let slot = Int(number) & (Self.chunkCapacity - 1)
    byteCount += node.byteCount - (chunks[chunk][slot]?.byteCount ?? 0)
    if chunks[chunk][slot] == nil { nodeCount += 1 }
    chunks[chunk][slot] = node
  }

  /// The memory of a chunk without its nodes, in bytes.
  private static let chunkBytes = chunkCapacity * 8 + 32

  /// Removes a node.
  mutating func remove(_ number: Int64) {
    guard let node = node(number) else { return }
    chunks[Int(number >> Self.chunkBits)][Int(number) & (Self.chunkCapacity - 1)] = nil
    byteCount -= node.byteCount
    nodeCount -= 1
  }

  /// Removes nodes, those with the greatest numbers first, until the image is smaller by a number of bytes.
  ///
  /// - Returns: The number of removed nodes.
  mutating func removeLast(bytes: Int) -> Int {
    let (before, count) = (byteCount, nodeCount)
    while before - byteCount < bytes, let last = chunks.indices.last {
      for slot in chunks[last].indices.reversed() {
        guard let node = chunks[last][slot] else { continue }
        guard before - byteCount < bytes else { return count - nodeCount }
        chunks[last][slot] = nil
        byteCount -= node.byteCount
        nodeCount -= 1
      }
      if !chunks[last].isEmpty { byteCount -= Self.chunkBytes }
      chunks.removeLast()
    }
    return count - nodeCount
  }

  /// Advances to a newer version and removes the nodes that the commits in between have changed.
  ///
  /// - Parameters:
  ///   - version: The newer version.
  ///   - changed: The changed nodes; nil where they are unknown, so that no node is valid.
  mutating func advance(to version: Int64, _ changed: NodeSet?) {
    self.version = version
    guard let changed, !changed.isEverything else {
      chunks = []
      (byteCount, nodeCount) = (0, 0)
      return
    }
    for number in changed.listed { remove(number) }
  }
}

/// The cached nodes of a spatial index that are valid for one reader; immutable.
///
/// Reading it takes no lock.
struct NodeView: Sendable {
  fileprivate let image: NodeImage
  /// The nodes of the image that are not valid for the reader.
  fileprivate let excluded: NodeSet
  /// The time at which the reader opened the index; what was used since then is not evicted for its nodes.
  let time: UInt64

  init(_ image: NodeImage, excluding excluded: NodeSet, time: UInt64) {
    self.image = image
    self.excluded = excluded
    self.time = time
  }

  /// The size of a node in the file in bytes; nil where it is unknown.
  var nodeBytes: Int? { image.nodeBytes }

  /// Returns a node; nil where it is not cached, or not valid for the reader.
  func node(_ number: Int64) -> CachedNode? {
    excluded.isEmpty || !excluded.contains(number) ? image.node(number) : nil
  }

  /// Returns whether a node that the reader reads from the file may enter the cache.
  func admits(_ number: Int64) -> Bool { !excluded.contains(number) }
}

/// The access of one reader to the cached nodes of spatial indexes.
package struct NodeSource {
  let cache: ColumnCache
  let history: NodeHistory
  /// The version that the reader sees, or that its transaction changes.
  let version: Int64
  /// The nodes that the reader's transaction has written; nil for a snapshot.
  let uncommitted: ChangedNodes?

  /// Returns the cached nodes of an index; nil where the cache may not be used.
  ///
  /// - Parameters:
  ///   - index: The name of the index.
  ///   - isUse: Whether a search begins that counts as a use of the index.
  ///   - later: The changes after the reader's version that its last call has found.
  /// - Returns: The nodes.
  func open(
    _ index: String, isUse: Bool, _ later: inout ColumnCache.LaterNodes?
  ) -> NodeView? {
    cache.openNodes(
      of: index, at: version, history, uncommitted?.byTree[index] ?? NodeSet(), isUse: isUse,
      &later)
  }

  /// Caches nodes that the reader has read from the file.
  ///
  /// - Returns: False where the cache has no room for the nodes.
  func insert(_ nodes: [NumberedNode], of index: String, nodeBytes: Int, time: UInt64) -> Bool {
    cache.insert(nodes, of: index, nodeBytes: nodeBytes, at: version, history, time: time)
  }
}

/// A node and its number in its tree.
typealias NumberedNode = (number: Int64, node: CachedNode)
