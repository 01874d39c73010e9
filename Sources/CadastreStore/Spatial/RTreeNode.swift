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

  /// A cell; its place must be below the count, and the bytes long enough to hold the count.
  @inline(__always)
  static func cell(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Cell {
    let start = headerBytes + place * cellBytes
    return Cell(
      id: Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int64.self)),
      box: NodeBox(
        minLongitude: float(bytes, start + 8), maxLongitude: float(bytes, start + 12),
        minLatitude: float(bytes, start + 16), maxLatitude: float(bytes, start + 20)))
  }

  @inline(__always)
  private static func float(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Float {
    Float(
      bitPattern: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
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
      let sides = [
        cell.box.minLongitude, cell.box.maxLongitude, cell.box.minLatitude, cell.box.maxLatitude,
      ]
      for (place, side) in sides.enumerated() {
        bytes.storeBytes(
          of: side.bitPattern.bigEndian, toByteOffset: start + 8 + place * 4, as: UInt32.self)
      }
      start += cellBytes
    }
  }
}
