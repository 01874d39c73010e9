/// The binary format of a node of SQLite's two-dimensional R*Tree, in `_node.data`.
///
/// Two bytes of depth (used in the root only), two bytes of cell count, then the cells: eight bytes of row
/// key or child number and four 32-bit floats; everything is big-endian.
///
/// Source: sqlite.org/rtree.html, "The Shadow Tables", and ext/rtree/rtree.c.
enum RTreeNode {
  static let headerBytes = 4
  static let cellBytes = 24
  /// The maximum number of cells that SQLite writes to a node.
  static let maximumCells = 51
  /// The number of cells in a packed node.
  ///
  /// The rest is room for later insertions: before an insertion into a full node SQLite moves a third of its cells to
  /// other nodes, which would be full too.
  static let packedCells = 46
  /// The depth beyond which SQLite reports a tree as corrupt.
  static let maximumDepth = 40

  /// One cell of a node.
  struct Cell {
    /// The key of the row in a leaf, the number of the child in other nodes.
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
        cell.box.minLongitude.bitPattern, cell.box.maxLongitude.bitPattern,
        cell.box.minLatitude.bitPattern, cell.box.maxLatitude.bitPattern)
      bytes.storeBytes(of: native(sides), toByteOffset: start + 8, as: SIMD4<UInt32>.self)
      start += cellBytes
    }
  }
}
