import CadastreSQLite

/// Writes one level of a packed R*Tree: consecutive nodes, all with the same number of cells but the last one.
struct RTreeLevel {
  /// Whether the level has one node only, which has the number 1.
  let isRoot: Bool
  /// The number of levels below.
  let depth: Int
  /// The written nodes and their boxes, in ascending order of their numbers.
  private(set) var nodes: [RTreeNode.Cell] = []
  /// The number of the node that is filled, and at the end that of the first node of the level above.
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

  /// Returns the quoted name of a table of an index.
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
