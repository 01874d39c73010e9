import CadastreSQLite

/// The node that contains a row or a node.
struct RTreeOwner: SortableRecord {
  let id: Int64
  let node: Int64

  // The sign is inverted, so that negative numbers are before others.
  var sortKey: UInt64 { UInt64(bitPattern: id ^ .min) }
}

/// Writes the node of each row to `_rowid`, or the parent of each node to `_parent`.
///
/// Rows in ascending order are appended by SQLite without a search.
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

  /// Writes a row, at the latest when the insertion is finished.
  ///
  /// - Parameter owner: The row.
  /// - Throws: ``StoreError``.
  mutating func append(_ owner: RTreeOwner) throws(StoreError) {
    owners.append(owner)
    if owners.count == Self.ownersPerStatement { try finish() }
  }

  /// Writes the rows that are not written yet.
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
