import CadastreSQLite

/// A reader of the nodes of a spatial index that checks each node.
final class RTreeNodes {
  /// The name of the index.
  let name: String
  private let connection: Connection
  private let blobs: BlobReader
  private let buffer: UnsafeMutableRawBufferPointer
  private let ids: UnsafeMutablePointer<Int64>
  private let boxes: UnsafeMutablePointer<SIMD4<Float>>
  /// The number of nodes that may be read before the size of the file is checked.
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
    /// The keys of rows in a leaf; the numbers of children in other nodes.
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
      nodeLimit = max(nodeLimit, Int(try connection.databaseBytes) / max(1, buffer.count))
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

/// The binary format of a node of SQLite's two-dimensional R*Tree, in `_node.data`.
///
/// Two bytes of depth (used in the root only), two bytes of cell count, then the cells. A cell has eight
/// bytes of row key or child number and four 32-bit floats. All numbers are big-endian.
///
/// Source: sqlite.org/rtree.html, "The Shadow Tables", and ext/rtree/rtree.c.
enum RTreeNode {
  static let headerBytes = 4
  static let cellBytes = 24
  /// The maximum number of cells that SQLite writes to a node.
  static let maximumCells = 51
  /// The number of cells in a packed node.
  ///
  /// The rest is room for insertions: before an insertion into a full node SQLite moves a third of its cells
  /// to other nodes, which would be full too.
  static let packedCells = 46
  /// The depth beyond which SQLite reports a tree as corrupt.
  static let maximumDepth = 40

  /// One cell of a node.
  struct Cell {
    /// The key of the row in a leaf; the number of the child in other nodes.
    var id: Int64
    var box: NodeBox
  }

  /// Returns the depth of the tree, from the bytes of its root.
  static func depth(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt16.self)))
  }

  /// Returns the number of cells.
  static func cellCount(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
  }

  /// Decodes cells: the keys or child numbers, and the boxes as west, east, south and north.
  ///
  /// The bytes must contain at least `count` cells.
  static func readCells(
    _ bytes: UnsafeRawBufferPointer, _ count: Int, ids: UnsafeMutablePointer<Int64>,
    boxes: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    guard var next = bytes.baseAddress.map({ $0 + headerBytes }) else { return }
    for index in 0..<count {
      ids[index] = Int64(bigEndian: next.loadUnaligned(as: Int64.self))
      let words = (next + 8).loadUnaligned(as: SIMD4<UInt32>.self)
      boxes[index] = unsafeBitCast(native(words), to: SIMD4<Float>.self)
      next += cellBytes
    }
  }

  /// Converts words between big-endian bytes and the byte order of this machine.
  @inline(__always)
  private static func native(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
    #if _endian(little)
      let pairs = (words &>> 8 & 0x00FF_00FF) | (words & 0x00FF_00FF) &<< 8
      return pairs &>> 16 | pairs &<< 16
    #else
      return words
    #endif
  }

  /// Encodes a node's header and cells into zeroed bytes.
  static func write(
    _ cells: some Collection<Cell>, depth: Int, into bytes: UnsafeMutableRawBufferPointer
  ) {
    bytes.storeBytes(of: UInt16(depth).bigEndian, toByteOffset: 0, as: UInt16.self)
    bytes.storeBytes(of: UInt16(cells.count).bigEndian, toByteOffset: 2, as: UInt16.self)
    var start = headerBytes
    for cell in cells {
      bytes.storeBytes(of: cell.id.bigEndian, toByteOffset: start, as: Int64.self)
      let sides = SIMD4(
        cell.box.west.bitPattern, cell.box.east.bitPattern,
        cell.box.south.bitPattern, cell.box.north.bitPattern)
      bytes.storeBytes(of: native(sides), toByteOffset: start + 8, as: SIMD4<UInt32>.self)
      start += cellBytes
    }
  }
}

/// The idle readers of spatial indexes that a snapshot keeps open, because opening one takes as long as a
/// short search.
// Not Sendable: like its connection, a pool has one owner at a time.
package final class SpatialNodePool {
  private var idle: [String: RTreeNodes] = [:]

  /// Returns an idle reader of an index, or opens one.
  func take(
    _ index: TableLayout.SpatialIndex, _ connection: Connection
  ) throws(StoreError) -> RTreeNodes {
    if let nodes = idle.removeValue(forKey: index.name) { return nodes }
    return try RTreeNodes(index, connection)
  }

  /// Keeps a reader for the next search of its index, unless it failed.
  func giveBack(_ nodes: RTreeNodes) {
    if nodes.isUsable { idle[nodes.name] = nodes }
  }

  /// Closes the idle readers, before the snapshot ends.
  func close() { idle = [:] }
}
