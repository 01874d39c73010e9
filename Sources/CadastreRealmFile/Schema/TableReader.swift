import CadastreModel

/// A reader of the description of a table.
struct TableReader {
  private let space: NodeSpace
  /// The name and the top node of each table by the index in its key.
  private let tables: [(name: String, key: Int, top: Node)?]

  init(_ space: NodeSpace, _ tables: [(name: String, key: Int, top: Node)?]) {
    self.space = space
    self.tables = tables
  }

  /// Reads the key in the top node of a table.
  ///
  /// - Throws: ``Damage``.
  static func key(_ top: Node) throws(Damage) -> Int {
    try top.requireReferences()
    guard (12...14).contains(top.count), !top.isInner, let key = try top.number(3),
      key <= 0x7FFF_FFFF
    else { throw Damage(top.offset, "expected the description of a table") }
    return Int(key)
  }

  /// Reads the description of the table at an index.
  ///
  /// - Throws: ``Damage``.
  func table(_ name: String, key: Int, _ top: Node) throws(Damage) -> RealmFileTable {
    let flags = try top.count > 12 ? top.number(12) ?? 0 : 0
    let kind: RealmFileTable.Kind
    switch flags & 3 {
    case 0: kind = .topLevel
    case 1: kind = .embedded
    case 2: kind = .asymmetric
    default: throw Damage(top.offset, "found a table of an unknown kind")
    }
    let spec = try ColumnSpecification(try space.node(top, 0), space)
    let oppositeTables = try integers(top, 7)
    let oppositeColumns = try integers(top, 8)
    let primaryKey = try top.number(11)
    var columns: [RealmFileColumn] = []
    var backlinks: [BacklinkColumn] = []
    for index in 0..<spec.count {
      let column = try spec.column(index)
      if let name = column.name {
        let target: String? =
          if column.type == .object {
            try self.target(oppositeTables, column.leaf)
          } else { nil }
        let isKey = primaryKey == column.key
        columns.append(
          RealmFileColumn(
            name: name, type: column.type, isNullable: column.isNullable,
            collection: column.collection, target: target,
            isIndexed: column.isIndexed || isKey, isFullTextIndexed: column.isFullTextIndexed,
            key: column.key, distinct: column.distinct))
      } else {
        backlinks.append(
          BacklinkColumn(
            leaf: column.leaf, originTable: Int(clamping: try oppositeTables.integer(column.leaf)),
            originColumn: UInt64(bitPattern: try oppositeColumns.integer(column.leaf))))
      }
    }
    guard Set(columns.map(\.leaf) + backlinks.map(\.leaf)).count == columns.count + backlinks.count
    else { throw Damage(top.offset, "two columns have the same values") }
    let keyIndex = columns.firstIndex { $0.key == primaryKey }
    guard primaryKey == nil || keyIndex != nil else {
      throw Damage(top.offset, "the primary key is no column of the table")
    }
    return RealmFileTable(
      name: name, key: key, kind: kind, columns: columns, primaryKey: keyIndex,
      root: try space.node(top, 2), backlinks: backlinks)
  }

  private func integers(_ top: Node, _ index: Int) throws(Damage) -> Node {
    let node = try space.node(top, index)
    try node.requireIntegers()
    return node
  }

  private func target(_ opposite: Node, _ leaf: Int) throws(Damage) -> String {
    let key = try opposite.integer(leaf)
    let index = Int(key & 0xFFFF)
    guard tables.indices.contains(index), let table = tables[index], table.key == key else {
      throw Damage(opposite.offset, "found links to table \(key), which does not exist")
    }
    return table.name
  }
}
