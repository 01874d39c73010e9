import CadastreModel
package import CadastreSQLite

/// A bottom-up builder of an R*Tree that writes the nodes to SQLite's shadow tables.
///
/// Boxes are sorted along the Hilbert curve by their centres and divided into leaves; each level packs the
/// one below. This is about ten times faster than inserting boxes one by one, and the tree is smaller. Memory
/// contains a bounded number of entries, and the boxes of all leaves.
///
/// Source: Kamel and Faloutsos, "On Packing R-trees", CIKM 1993.
package struct PackedRTree {
  private let name: String
  private let connection: Connection

  /// Prepares to build the tree with a name.
  package init(_ name: String, _ connection: Connection) {
    self.name = name
    self.connection = connection
  }

  /// Replaces the content of the index.
  ///
  /// - Parameter entries: The new content.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(n log n).
  package func replace(with entries: SpatialEntries) throws(StoreError) {
    try connection.withWritableShadowTables { () throws(StoreError) in
      for table in ["node", "rowid", "parent"] {
        try connection.run("DELETE FROM \(RTreeLevel.shadow(table, of: name))")
      }
      try write(entries)
    }
  }

  /// Writes all levels; the root is node 1, and the other nodes are numbered from 2.
  private func write(_ entries: SpatialEntries) throws(StoreError) {
    var level = RTreeLevel(of: name, cells: entries.count, depth: 0, firstNode: 2, connection)
    let owners = ExternalSort<RTreeOwner>(for: entries.path, capacity: SpatialMemory.capacity)
    try entries.forEachSorted { entry throws(StoreError) in
      let node = try level.append(RTreeNode.Cell(id: entry.key, box: entry.box))
      try owners.append(RTreeOwner(id: entry.key, node: node))
    }
    try level.finish()
    var rowids = RTreeOwnerInsertion(into: "rowid", of: name, connection)
    try owners.forEachSorted { owner throws(StoreError) in try rowids.append(owner) }
    try rowids.finish()

    var parents = RTreeOwnerInsertion(into: "parent", of: name, connection)
    while !level.isRoot {
      let nodes = level.nodes
      level = RTreeLevel(
        of: name, cells: nodes.count, depth: level.depth + 1, firstNode: level.nextNode, connection)
      for node in nodes {
        try parents.append(RTreeOwner(id: node.id, node: try level.append(node)))
      }
      try level.finish()
    }
    try parents.finish()
  }
}

/// A writer of one level of a packed R*Tree: consecutive nodes, all but the last with the same number of
/// cells.
struct RTreeLevel {
  /// Whether the level is the root: one node with the number 1.
  let isRoot: Bool
  /// The number of levels below.
  let depth: Int
  /// The written nodes and their boxes, in ascending order of their numbers.
  private(set) var nodes: [RTreeNode.Cell] = []
  /// The number of the node that is being filled; after `finish()`, the number of the first node of the level
  /// above.
  private(set) var nextNode: Int64
  private var cells: [RTreeNode.Cell] = []
  private let insertion: String
  private let connection: Connection

  /// Begins a level.
  ///
  /// - Parameters:
  ///   - name: The name of the index.
  ///   - count: The number of cells that the level will have.
  ///   - depth: The number of levels below.
  ///   - firstNode: The number of the first node, unless the level is the root.
  ///   - connection: The connection.
  init(of name: String, cells count: Int, depth: Int, firstNode: Int64, _ connection: Connection) {
    isRoot = count <= RTreeNode.maximumCells
    self.depth = depth
    nextNode = isRoot ? 1 : firstNode
    insertion = "INSERT INTO \(Self.shadow("node", of: name)) VALUES (?, ?)"
    self.connection = connection
  }

  /// Returns the quoted name of a shadow table of an index.
  static func shadow(_ table: String, of name: String) -> String { SQL.quoted("\(name)_\(table)") }

  /// Appends a cell.
  ///
  /// - Parameter cell: The cell.
  /// - Returns: The number of its node.
  /// - Throws: ``StoreError``.
  mutating func append(_ cell: RTreeNode.Cell) throws(StoreError) -> Int64 {
    if cells.count == (isRoot ? RTreeNode.maximumCells : RTreeNode.packedCells) {
      try writeNode()
      nextNode += 1
      cells.removeAll(keepingCapacity: true)
    }
    cells.append(cell)
    return nextNode
  }

  /// Writes the last node; the root may be empty.
  ///
  /// - Throws: ``StoreError``.
  mutating func finish() throws(StoreError) {
    try writeNode()
    nextNode += 1
  }

  private mutating func writeNode() throws(StoreError) {
    let size = RTreeNode.headerBytes + RTreeNode.maximumCells * RTreeNode.cellBytes
    let statement = try connection.statement(insertion)
    try statement.bind(integer: nextNode, at: 1)
    let bound = withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      RTreeNode.write(cells, depth: isRoot ? depth : 0, into: bytes)
      return Result { () throws(StoreError) in
        try statement.bind(bytes: UnsafeRawBufferPointer(bytes), at: 2)
      }
    }
    try bound.get()
    try statement.run()
    guard var box = cells.first?.box else { return }
    for cell in cells.dropFirst() { box.formUnion(cell.box) }
    nodes.append(RTreeNode.Cell(id: nextNode, box: box))
  }
}

/// A row or a child node, and the node that contains it.
struct RTreeOwner: SortableRecord {
  let id: Int64
  let node: Int64

  // The sign bit is inverted, so that negative numbers sort before others.
  var sortKey: UInt64 { UInt64(bitPattern: id ^ .min) }
}

/// A writer of the node of each row to `_rowid`, or of the parent of each node to `_parent`.
///
/// SQLite appends rows in ascending order without a search.
struct RTreeOwnerInsertion {
  private let insertion: String
  private let connection: Connection
  private var owners: [RTreeOwner] = []

  /// The number of rows that a statement inserts; starting a statement costs as much as inserting a row.
  private static let ownersPerStatement = 64

  /// Prepares to write to a table of an index.
  init(into table: String, of name: String, _ connection: Connection) {
    insertion = "INSERT INTO \(RTreeLevel.shadow(table, of: name)) VALUES (?, ?)"
    self.connection = connection
  }

  /// Adds a row; `finish()` writes the last rows.
  ///
  /// - Parameter owner: The row.
  /// - Throws: ``StoreError``.
  mutating func append(_ owner: RTreeOwner) throws(StoreError) {
    owners.append(owner)
    if owners.count == Self.ownersPerStatement { try finish() }
  }

  /// Writes the remaining rows.
  ///
  /// - Throws: ``StoreError``.
  mutating func finish() throws(StoreError) {
    guard !owners.isEmpty else { return }
    let statement = try connection.statement(
      insertion + String(repeating: ", (?, ?)", count: owners.count - 1))
    var index = 1
    for owner in owners {
      try statement.bind(integer: owner.id, at: index)
      try statement.bind(integer: owner.node, at: index + 1)
      index += 2
    }
    try statement.run()
    owners.removeAll(keepingCapacity: true)
  }
}
