import CadastreModel

/// Builds a whole R*Tree bottom-up and writes its nodes straight into SQLite's shadow tables.
///
/// Points are sorted along the Hilbert curve and cut into full leaves; each level above packs the
/// one below. About ten times faster than inserting point by point, and the tree is smaller.
///
/// Source: Kamel and Faloutsos, "On Packing R-trees", CIKM 1993.
struct PackedRTree {
  private let name: String
  private let connection: Connection

  init(_ name: String, _ connection: Connection) {
    self.name = name
    self.connection = connection
  }

  /// Replaces the whole content of the index.
  ///
  /// - Complexity: O(n log n).
  func replace(with entries: [SpatialEntry]) throws(StoreError) {
    let cells = Self.sorted(entries)
    try connection.withWritableShadowTables { () throws(StoreError) in
      for table in ["node", "rowid", "parent"] {
        try connection.run("DELETE FROM \(shadow(table))")
      }
      try write(cells)
    }
  }

  private func shadow(_ table: String) -> String { SQL.quoted("\(name)_\(table)") }

  private static func sorted(_ entries: [SpatialEntry]) -> [RTreeNode.Cell] {
    // The place on the curve and the entry's index in one word: sorting words is fast.
    var order = entries.enumerated().map { index, entry in
      UInt64(HilbertCurve.position(longitude: entry.longitude, latitude: entry.latitude)) << 32
        | UInt64(index)
    }
    order.sort()
    return order.map { word in
      let entry = entries[Int(word & 0xFFFF_FFFF)]
      return RTreeNode.Cell(
        id: entry.key, box: NodeBox(longitude: entry.longitude, latitude: entry.latitude))
    }
  }

  /// Writes all levels.
  ///
  /// The root is node 1, so lower nodes are numbered from 2.
  private func write(_ leaves: [RTreeNode.Cell]) throws(StoreError) {
    var level = leaves
    var depth = 0
    var nextNode: Int64 = 2
    while level.count > RTreeNode.maximumCells {
      var parents: [RTreeNode.Cell] = []
      for start in stride(from: 0, to: level.count, by: RTreeNode.maximumCells) {
        let cells = level[start..<min(level.count, start + RTreeNode.maximumCells)]
        try writeNode(nextNode, cells, depth: 0)
        try writeOwner(of: cells, node: nextNode, isLeaf: depth == 0)
        parents.append(RTreeNode.Cell(id: nextNode, box: Self.box(cells)))
        nextNode += 1
      }
      level = parents
      depth += 1
    }
    try writeNode(1, level[...], depth: depth)
    try writeOwner(of: level[...], node: 1, isLeaf: depth == 0)
  }

  private static func box(_ cells: ArraySlice<RTreeNode.Cell>) -> NodeBox {
    var box = cells[cells.startIndex].box
    for cell in cells.dropFirst() { box.formUnion(cell.box) }
    return box
  }

  private func writeNode(
    _ number: Int64, _ cells: ArraySlice<RTreeNode.Cell>, depth: Int
  ) throws(StoreError) {
    let size = RTreeNode.headerBytes + RTreeNode.maximumCells * RTreeNode.cellBytes
    let statement = try connection.statement("INSERT INTO \(shadow("node")) VALUES (?, ?)")
    try statement.bind(.int(number), at: 1)
    var bytes = [UInt8](repeating: 0, count: size)
    bytes.withUnsafeMutableBytes { RTreeNode.write(cells, depth: depth, into: $0) }
    let bound = bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try statement.bindBytes(bytes, at: 2) }
    }
    try bound.get()
    try statement.run()
  }

  /// Notes where each cell is: rows in `_rowid`, nodes in `_parent`.
  private func writeOwner(
    of cells: ArraySlice<RTreeNode.Cell>, node: Int64, isLeaf: Bool
  ) throws(StoreError) {
    let statement = try connection.statement(
      "INSERT INTO \(shadow(isLeaf ? "rowid" : "parent")) VALUES (?, ?)")
    for cell in cells {
      try statement.bind(.int(cell.id), at: 1)
      try statement.bind(.int(node), at: 2)
      try statement.run()
    }
  }
}
