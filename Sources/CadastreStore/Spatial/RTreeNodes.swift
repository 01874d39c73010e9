/// Reads the nodes of a spatial index one after the other, and trusts none of them.
final class RTreeNodes {
  private let name: String
  private let connection: Connection
  private let blobs: BlobReader
  private let buffer: UnsafeMutableRawBufferPointer
  private let nodeLimit: Int
  /// Nodes read so far.
  private(set) var nodesRead = 0

  init(_ index: TableLayout.SpatialIndex, _ connection: Connection) throws(StoreError) {
    name = index.name
    self.connection = connection
    blobs = try BlobReader(connection, table: index.name + "_node", column: "data", row: 1)
    buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blobs.count, alignment: 8)
    // No tree has more nodes than fit into the file; its own numbers may be damaged.
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let pageBytes = try connection.integer("PRAGMA page_size") ?? 0
    nodeLimit = max(1, Int(pages * pageBytes) / max(1, blobs.count))
    guard buffer.count >= RTreeNode.headerBytes else { throw damaged("has an empty root") }
  }

  deinit { buffer.deallocate() }

  /// The levels below the root.
  func depth() throws(StoreError) -> Int {
    try blobs.move(to: 1)
    try blobs.read(into: buffer)
    let depth = RTreeNode.depth(UnsafeRawBufferPointer(buffer))
    guard depth <= RTreeNode.maximumDepth else { throw damaged("is \(depth) levels deep") }
    return depth
  }

  /// Starts a walk: the nodes read are counted anew.
  func restart() { nodesRead = 0 }

  /// Reads a node; its bytes are good until the next one is read.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the node makes no sense, or more nodes have been read
  ///   than there can be.
  func read(_ number: Int64) throws(StoreError) -> (bytes: UnsafeRawBufferPointer, cells: Int) {
    nodesRead += 1
    guard nodesRead <= nodeLimit else { throw damaged("has nodes in a circle") }
    try blobs.move(to: number)
    guard blobs.count == buffer.count else {
      throw damaged("has \(blobs.count) bytes in node \(number)")
    }
    try blobs.read(into: buffer)
    let bytes = UnsafeRawBufferPointer(buffer)
    let cells = RTreeNode.cellCount(bytes)
    guard RTreeNode.headerBytes + cells * RTreeNode.cellBytes <= bytes.count else {
      throw damaged("has \(cells) cells in node \(number)")
    }
    return (bytes, cells)
  }

  private func damaged(_ what: String) -> StoreError {
    StoreError(.corrupt("\(name) \(what)"), path: connection.path)
  }
}
