import CadastreSQLite

/// Reads the nodes of a spatial index and checks each of them.
final class RTreeNodes {
  /// The name of the index.
  let name: String
  private let connection: Connection
  private let blobs: BlobReader
  private let buffer: UnsafeMutableRawBufferPointer
  private let ids: UnsafeMutablePointer<Int64>
  private let boxes: UnsafeMutablePointer<SIMD4<Float>>
  /// The number of nodes that may be read before the size of the file is compared.
  private var nodeLimit = 256
  private var isLimitKnown = false
  /// The number of cells that fit in a node.
  let capacity: Int
  /// Whether the last read succeeded; after an error SQLite refuses further reads.
  private(set) var isUsable = true
  /// The number of nodes read so far.
  private(set) var nodesRead = 0

  init(_ index: TableLayout.SpatialIndex, _ connection: Connection) throws(StoreError) {
    name = index.name
    self.connection = connection
    blobs = try BlobReader(connection, table: index.name + "_node", column: "data", row: 1)
    buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blobs.count, alignment: 8)
    capacity = max(0, blobs.count - RTreeNode.headerBytes) / RTreeNode.cellBytes
    ids = .allocate(capacity: capacity)
    boxes = .allocate(capacity: capacity)
    guard buffer.count >= RTreeNode.headerBytes else { throw damaged("has an empty root") }
  }

  deinit {
    buffer.deallocate()
    ids.deallocate()
    boxes.deallocate()
  }

  /// Returns the number of levels below the root.
  func depth() throws(StoreError) -> Int {
    isUsable = false
    try blobs.move(to: 1)
    try blobs.read(into: buffer)
    isUsable = true
    let depth = RTreeNode.depth(UnsafeRawBufferPointer(buffer))
    guard depth <= RTreeNode.maximumDepth else { throw damaged("is \(depth) levels deep") }
    return depth
  }

  /// Starts a traversal: resets the number of nodes read.
  func restart() { nodesRead = 0 }

  /// The cells of a node, as two arrays.
  struct Cells {
    /// The keys of rows in a leaf, the numbers of children in other nodes.
    let ids: UnsafeBufferPointer<Int64>
    /// West, east, south and north in degrees.
    let boxes: UnsafeBufferPointer<SIMD4<Float>>
  }

  /// Reads a node; its cells are valid until the next node is read.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the node is invalid, or where more nodes were read than the
  ///   file can contain.
  func read(_ number: Int64) throws(StoreError) -> Cells {
    try move(to: number)
    try blobs.read(into: buffer)
    let bytes = UnsafeRawBufferPointer(buffer)
    isUsable = true
    let count = try checkedCount(bytes, number)
    RTreeNode.readCells(bytes, count, ids: ids, boxes: boxes)
    return Cells(
      ids: UnsafeBufferPointer(start: ids, count: count),
      boxes: UnsafeBufferPointer(start: boxes, count: count))
  }

  /// Returns the number of a node's cells, reading its header only.
  func cellCount(_ number: Int64) throws(StoreError) -> Int {
    try move(to: number)
    let header = UnsafeMutableRawBufferPointer(rebasing: buffer[..<RTreeNode.headerBytes])
    try blobs.read(into: header)
    isUsable = true
    return try checkedCount(UnsafeRawBufferPointer(header), number)
  }

  private func move(to number: Int64) throws(StoreError) {
    isUsable = false
    try connection.checkCancellation()
    nodesRead += 1
    if nodesRead > nodeLimit { try checkLimit() }
    try blobs.move(to: number)
    guard blobs.count == buffer.count else {
      throw damaged("has \(blobs.count) bytes in node \(number)")
    }
  }

  /// Stops a traversal that has read more nodes than fit into the file: damaged nodes can form a cycle.
  private func checkLimit() throws(StoreError) {
    if !isLimitKnown {
      let pages = try connection.integer("PRAGMA page_count") ?? 0
      let pageBytes = try connection.integer("PRAGMA page_size") ?? 0
      nodeLimit = max(nodeLimit, Int(pages * pageBytes) / max(1, buffer.count))
      isLimitKnown = true
    }
    guard nodesRead <= nodeLimit else { throw damaged("has a cycle of nodes") }
  }

  private func checkedCount(
    _ header: UnsafeRawBufferPointer, _ number: Int64
  ) throws(StoreError) -> Int {
    let cells = RTreeNode.cellCount(header)
    guard cells <= capacity else { throw damaged("has \(cells) cells in node \(number)") }
    return cells
  }

  private func damaged(_ problem: String) -> StoreError {
    StoreError(.corrupt("\(name) \(problem)"), path: connection.path)
  }
}
