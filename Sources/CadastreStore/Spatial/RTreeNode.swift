/// The layout of a node of SQLite's two-dimensional R*Tree, as `_node.data` holds it.
///
/// Two bytes of depth (meant in the root only), two bytes of cell count, then the cells: eight bytes
/// of row key or child number and four 32-bit floats; everything big-endian.
///
/// Source: sqlite.org/rtree.html, "The Shadow Tables", and ext/rtree/rtree.c.
enum RTreeNode {
  static let headerBytes = 4
  static let cellBytes = 24
  /// The most cells that SQLite puts into a node.
  static let maximumCells = 51
  /// The depth beyond which SQLite takes a tree for damaged.
  static let maximumDepth = 40

  /// One cell of a node.
  struct Cell {
    /// The row's key in a leaf, the child's number elsewhere.
    var id: Int64
    var box: NodeBox
  }

  /// The depth of the tree, from the bytes of its root.
  static func depth(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt16.self)))
  }

  /// The number of cells.
  static func cellCount(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
  }

  /// Takes the cells apart: the keys or child numbers, and the boxes as west, east, south and north.
  ///
  /// The bytes must be long enough to hold so many.
  static func readCells(
    _ bytes: UnsafeRawBufferPointer, _ count: Int, ids: UnsafeMutablePointer<Int64>,
    boxes: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    guard var next = bytes.baseAddress.map({ $0 + headerBytes }) else { return }
    for place in 0..<count {
      ids[place] = Int64(bigEndian: next.loadUnaligned(as: Int64.self))
      let words = (next + 8).loadUnaligned(as: SIMD4<UInt32>.self)
      boxes[place] = unsafeBitCast(native(words), to: SIMD4<Float>.self)
      next += cellBytes
    }
  }

  /// Words of big-endian bytes as words of this machine, and the other way round.
  @inline(__always)
  private static func native(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
    #if _endian(little)
      let pairs = (words &>> 8 & 0x00FF_00FF) | (words & 0x00FF_00FF) &<< 8
      return pairs &>> 16 | pairs &<< 16
    #else
      return words
    #endif
  }

  /// Writes a node's header and cells into zeroed bytes.
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
