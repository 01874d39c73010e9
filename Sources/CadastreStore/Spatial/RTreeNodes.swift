import CadastreSQLite

/// A reader of the nodes of a spatial index that checks each node.
///
/// Nodes come from the cache where they are valid for the reader, otherwise from the file.
final class RTreeNodes {
  /// The name of the index.
  let name: String
  private let connection: Connection
  private let source: NodeSource?
  /// The cached nodes, during a traversal; nil where the cache may not be used.
  private var view: NodeView?
  /// The nodes that commits after the reader's version have changed; nil where none were compared.
  private var later: ColumnCache.LaterNodes?
  /// The nodes in the file; nil until one of them is needed.
  private var file: NodeFile?
  /// The nodes that the traversal has read and the cache lacks.
  private var uncached: [NumberedNode] = []
  /// Whether the cache had no room for nodes of the traversal.
  private var isCacheFull = false
  private let nodeBytes: Int
  private let ids: UnsafeMutablePointer<Int64>
  private let boxes: UnsafeMutablePointer<SIMD4<Float>>
  /// The number of nodes that may be read before the size of the file is checked.
  private var nodeLimit = 256
  private var isLimitKnown = false
  /// The number of cells that fit in a node.
  let capacity: Int
  /// The number of nodes read so far, cached ones included.
  private(set) var nodesRead = 0

  /// The number of nodes after which a traversal passes those that it has read to the cache.
  private static let mostUncached = 1024

  init(
    _ index: TableLayout.SpatialIndex, _ connection: Connection, _ source: NodeSource?
  ) throws(StoreError) {
    name = index.name
    self.connection = connection
    self.source = source
    view = source?.open(index.name, isUse: false, &later)
    if let bytes = view?.nodeBytes {
      nodeBytes = bytes
    } else {
      let file = try NodeFile(index.name, connection)
      nodeBytes = file.nodeBytes
      self.file = file
    }
    capacity = max(0, nodeBytes - RTreeNode.headerBytes) / RTreeNode.cellBytes
    ids = .allocate(capacity: capacity)
    boxes = .allocate(capacity: capacity)
  }

  deinit {
    ids.deallocate()
    boxes.deallocate()
  }

  /// Whether the reader can be used again; after an error SQLite refuses further reads.
  var isUsable: Bool { file?.isUsable ?? true }

  /// Returns the number of levels below the root.
  func depth() throws(StoreError) -> Int {
    let depth =
      if let root = view?.node(1) { root.depth } else { RTreeNode.depth(try bytes(of: 1)) }
    guard depth <= RTreeNode.maximumDepth else { throw damaged("is \(depth) levels deep") }
    return depth
  }

  /// Starts a traversal: resets the number of nodes read.
  ///
  /// - Parameter isEstimate: Whether another traversal of the same search may follow, so that this one does not count
  ///   as a use of the index.
  func restart(isEstimate: Bool = false) {
    cacheNodes()
    nodesRead = 0
    isCacheFull = false
    view = source?.open(name, isUse: !isEstimate, &later)
  }

  /// Ends a traversal: passes the nodes that it has read to the cache.
  func finish() {
    cacheNodes()
    view = nil
  }

  private func cacheNodes() {
    guard let source, let time = view?.time, !uncached.isEmpty else { return }
    // The view is released first: otherwise the cache would copy its arrays before it adds the nodes.
    view = nil
    isCacheFull = !source.insert(uncached, of: name, nodeBytes: nodeBytes, time: time)
    if isCacheFull { connection.readsNodesAgain = true }
    uncached = []
  }

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
    try beginNode()
    guard let node = view?.node(number) else { return try readFromFile(number) }
    let count = try checkedCount(node.count, number)
    node.readCells(ids: ids, boxes: boxes)
    return cells(count)
  }

  /// Reads the ids of a node; they are valid until the next node is read.
  ///
  /// - Throws: ``StoreError`` as `read(_:)`.
  func readIDs(_ number: Int64) throws(StoreError) -> UnsafeBufferPointer<Int64> {
    try beginNode()
    guard let node = view?.node(number) else { return try readFromFile(number).ids }
    let count = try checkedCount(node.count, number)
    node.readIDs(into: ids)
    return UnsafeBufferPointer(start: ids, count: count)
  }

  /// Returns the number of a node's cells; reads only its header where the node does not enter the cache.
  ///
  /// - Throws: ``StoreError`` as `read(_:)`.
  func cellCount(_ number: Int64) throws(StoreError) -> Int {
    try beginNode()
    if let node = view?.node(number) { return try checkedCount(node.count, number) }
    if entersCache(number) { return try readFromFile(number).ids.count }
    let header = try openFile().header(of: number)
    return try checkedCount(RTreeNode.cellCount(header), number)
  }

  private func cells(_ count: Int) -> Cells {
    Cells(
      ids: UnsafeBufferPointer(start: ids, count: count),
      boxes: UnsafeBufferPointer(start: boxes, count: count))
  }

  private func beginNode() throws(StoreError) {
    try connection.checkCancellation()
    nodesRead += 1
    if nodesRead > nodeLimit { try checkLimit() }
  }

  private func entersCache(_ number: Int64) -> Bool {
    !isCacheFull && view?.admits(number) == true
  }

  private func readFromFile(_ number: Int64) throws(StoreError) -> Cells {
    let bytes = try bytes(of: number)
    let count = try checkedCount(RTreeNode.cellCount(bytes), number)
    RTreeNode.readCells(bytes, count, ids: ids, boxes: boxes)
    let cells = cells(count)
    if entersCache(number) {
      let depth = RTreeNode.depth(bytes)
      uncached.append((number, CachedNode(ids: cells.ids, boxes: cells.boxes, depth: depth)))
      if uncached.count == Self.mostUncached {
        cacheNodes()
        view = source?.open(name, isUse: false, &later)
      }
    }
    return cells
  }

  private func bytes(of number: Int64) throws(StoreError) -> UnsafeRawBufferPointer {
    try openFile().bytes(of: number)
  }

  private func openFile() throws(StoreError) -> NodeFile {
    if let file { return file }
    let opened = try NodeFile(name, connection)
    guard opened.nodeBytes == nodeBytes else {
      throw damaged("has a root of \(opened.nodeBytes) bytes")
    }
    file = opened
    return opened
  }

  /// Stops a traversal that has read more nodes than fit into the file: damaged nodes can form a cycle.
  private func checkLimit() throws(StoreError) {
    if !isLimitKnown {
      nodeLimit = max(nodeLimit, Int(try connection.databaseBytes) / max(1, nodeBytes))
      isLimitKnown = true
    }
    guard nodesRead <= nodeLimit else { throw damaged("has a cycle of nodes") }
  }

  private func checkedCount(_ cells: Int, _ number: Int64) throws(StoreError) -> Int {
    guard cells <= capacity else { throw damaged("has \(cells) cells in node \(number)") }
    return cells
  }

  private func damaged(_ problem: String) -> StoreError {
    StoreError(.corrupt("\(name) \(problem)"), path: connection.path)
  }
}

/// A reader of the bytes of a spatial index's nodes.
private final class NodeFile {
  private let name: String
  private let connection: Connection
  private let blobs: BlobReader
  private let buffer: UnsafeMutableRawBufferPointer
  /// Whether the last read succeeded.
  private(set) var isUsable = true

  init(_ name: String, _ connection: Connection) throws(StoreError) {
    self.name = name
    self.connection = connection
    blobs = try BlobReader(connection, table: name + "_node", column: "data", row: 1)
    buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blobs.count, alignment: 8)
    guard buffer.count >= RTreeNode.headerBytes else {
      throw StoreError(.corrupt("\(name) has an empty root"), path: connection.path)
    }
  }

  deinit { buffer.deallocate() }

  /// The size of a node in bytes.
  var nodeBytes: Int { buffer.count }

  /// Returns the bytes of a node, which are valid until the next read.
  func bytes(of number: Int64) throws(StoreError) -> UnsafeRawBufferPointer {
    try read(number, buffer)
  }

  /// Returns the header of a node, which is valid until the next read.
  func header(of number: Int64) throws(StoreError) -> UnsafeRawBufferPointer {
    try read(number, UnsafeMutableRawBufferPointer(rebasing: buffer[..<RTreeNode.headerBytes]))
  }

  private func read(
    _ number: Int64, _ bytes: UnsafeMutableRawBufferPointer
  ) throws(StoreError) -> UnsafeRawBufferPointer {
    isUsable = false
    try blobs.move(to: number)
    guard blobs.count == buffer.count else {
      throw StoreError(
        .corrupt("\(name) has \(blobs.count) bytes in node \(number)"), path: connection.path)
    }
    try blobs.read(into: bytes)
    isUsable = true
    return UnsafeRawBufferPointer(bytes)
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

  /// Returns an idle reader of an index; nil where there is none.
  func take(_ index: TableLayout.SpatialIndex) -> RTreeNodes? {
    idle.removeValue(forKey: index.name)
  }

  /// Keeps a reader for the next search of its index, unless it failed.
  func giveBack(_ nodes: RTreeNodes) {
    if nodes.isUsable { idle[nodes.name] = nodes }
  }

  /// Closes the idle readers, before the snapshot ends.
  func close() { idle = [:] }
}

extension StoreReader {
  /// Returns an idle reader of the nodes of an index, or opens one.
  func nodes(of index: TableLayout.SpatialIndex) throws(StoreError) -> RTreeNodes {
    if let idle = spatialNodes?.take(index) { return idle }
    return try RTreeNodes(index, connection, nodeSource)
  }
}
