import CadastreSQLite

/// Reads the nodes of a spatial index one after the other, and trusts none of them.
final class RTreeNodes {
  private let name: String
  private let connection: Connection
  private let blobs: BlobReader
  private let buffer: UnsafeMutableRawBufferPointer
  private let ids: UnsafeMutablePointer<Int64>
  private let boxes: UnsafeMutablePointer<SIMD4<Float>>
  /// Nodes that may be read before somebody asks how many there can be.
  private var nodeLimit = 256
  private var isLimitKnown = false
  /// Cells that a node has room for.
  let capacity: Int
  /// Nodes read so far.
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

  /// The cells of a node, one array beside the other.
  struct Cells {
    /// The rows' keys in a leaf, the children's numbers elsewhere.
    let ids: UnsafeBufferPointer<Int64>
    /// West, east, south and north in degrees.
    let boxes: UnsafeBufferPointer<SIMD4<Float>>
  }

  /// Reads a node; its cells are good until the next one is read.
  ///
  /// - Throws: ``StoreError`` `corrupt` where the node makes no sense, or more nodes have been read
  ///   than there can be.
  func read(_ number: Int64) throws(StoreError) -> Cells {
    try move(to: number)
    try blobs.read(into: buffer)
    let bytes = UnsafeRawBufferPointer(buffer)
    let count = try checkedCount(bytes, number)
    RTreeNode.readCells(bytes, count, ids: ids, boxes: boxes)
    return Cells(
      ids: UnsafeBufferPointer(start: ids, count: count),
      boxes: UnsafeBufferPointer(start: boxes, count: count))
  }

  /// The number of a node's cells, from its header alone.
  func cellCount(_ number: Int64) throws(StoreError) -> Int {
    try move(to: number)
    let header = UnsafeMutableRawBufferPointer(rebasing: buffer[..<RTreeNode.headerBytes])
    try blobs.read(into: header)
    return try checkedCount(UnsafeRawBufferPointer(header), number)
  }

  private func move(to number: Int64) throws(StoreError) {
    nodesRead += 1
    if nodesRead > nodeLimit { try checkLimit() }
    try blobs.move(to: number)
    guard blobs.count == buffer.count else {
      throw damaged("has \(blobs.count) bytes in node \(number)")
    }
  }

  /// Stops a walk that has read more nodes than fit into the file; its own numbers may be damaged.
  private func checkLimit() throws(StoreError) {
    if !isLimitKnown {
      let pages = try connection.integer("PRAGMA page_count") ?? 0
      let pageBytes = try connection.integer("PRAGMA page_size") ?? 0
      nodeLimit = max(nodeLimit, Int(pages * pageBytes) / max(1, buffer.count))
      isLimitKnown = true
    }
    guard nodesRead <= nodeLimit else { throw damaged("has nodes in a circle") }
  }

  private func checkedCount(
    _ header: UnsafeRawBufferPointer, _ number: Int64
  ) throws(StoreError) -> Int {
    let cells = RTreeNode.cellCount(header)
    guard cells <= capacity else { throw damaged("has \(cells) cells in node \(number)") }
    return cells
  }

  private func damaged(_ what: String) -> StoreError {
    StoreError(.corrupt("\(name) \(what)"), path: connection.path)
  }
}
