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

/// The names, types and attributes of the columns of a table.
struct ColumnSpecification {
  /// A column of the specification.
  struct Column {
    /// The name; nil for a backlink column.
    let name: String?
    let key: UInt64
    let type: PropertyType
    let isNullable: Bool
    let collection: CollectionKind?
    let isIndexed: Bool
    let isFullTextIndexed: Bool
    let distinct: Node?

    var leaf: Int { Int(key & 0xFFFF) }
  }

  private let space: NodeSpace
  private let types: Node
  private let names: StringLeaf
  private let attributes: Node
  private let keys: Node
  private let distinct: Node?

  /// The number of columns, including backlink columns.
  var count: Int { keys.count }

  init(_ node: Node, _ space: NodeSpace) throws(Damage) {
    self.space = space
    try node.requireReferences()
    guard node.count >= 6, !node.isInner else {
      throw Damage(node.offset, "expected the columns of a table")
    }
    types = try space.node(node, 0)
    names = try StringLeaf(try space.node(node, 1), space, visited: nil)
    attributes = try space.node(node, 2)
    distinct = try space.optionalNode(node, 4)
    keys = try space.node(node, 5)
    for part in [types, attributes, keys] { try part.requireIntegers() }
    try types.requireCount(keys.count)
    try attributes.requireCount(keys.count)
    guard keys.count <= Self.maximumColumns, names.count <= keys.count else {
      throw Damage(node.offset, "found \(names.count) names of \(keys.count) columns")
    }
  }

  /// Returns a column.
  ///
  /// - Throws: ``Damage`` if its type is unknown.
  func column(_ index: Int) throws(Damage) -> Column {
    let key = UInt64(bitPattern: try keys.integer(index))
    let bits = try attributes.integer(index)
    let number = Int(key >> 16 & 0x3F)
    let isBacklink = number == Self.backlinkType
    guard isBacklink == (index >= names.count), let type = Self.type(number) else {
      throw Damage(keys.offset, "found column \(index) of the unexpected type \(number)")
    }
    let flags = Int64(key >> 22 & 0xFF)
    var distinctStrings: Node?
    if !isBacklink, let distinct, index < distinct.count {
      distinctStrings = try space.optionalNode(distinct, index)
    }
    let collection = try Self.collection(
      number == Self.linkListType ? flags | 32 : flags, keys.offset)
    if collection == .map, try types.integer(index) >> 16 == 0 {
      throw Damage(types.offset, "found a dictionary with integer keys, which is not supported")
    }
    return Column(
      name: isBacklink ? nil : try names.text(index, nil) ?? "", key: key, type: type,
      isNullable: flags & 16 != 0, collection: collection, isIndexed: bits & 1 != 0,
      isFullTextIndexed: bits & 256 != 0, distinct: distinctStrings)
  }

  private static func collection(
    _ flags: Int64, _ offset: Int
  ) throws(Damage) -> CollectionKind? {
    switch flags & (32 | 64 | 128) {
    case 0: nil
    case 32: .list
    case 64: .map
    case 128: .set
    default: throw Damage(offset, "found a column of more than one kind of collection")
    }
  }

  private static func type(_ number: Int) -> PropertyType? {
    switch number {
    case 0: .int
    case 1: .bool
    case 2: .string
    case 4: .data
    case 6: .any
    case 8: .date
    case 9: .float
    case 10: .double
    case 11: .decimal128
    case 12, linkListType: .object
    case backlinkType: .linkingObjects
    case 15: .objectId
    case 17: .UUID
    default: nil
    }
  }

  /// The type of lists of links in formats before 24.
  private static let linkListType = 13
  private static let backlinkType = 14
  private static let maximumColumns = 65_536
}
