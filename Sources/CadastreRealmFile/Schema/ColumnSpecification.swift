import CadastreModel

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

  /// The number of columns, backlink columns included.
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

  /// A list of links in formats before 24.
  private static let linkListType = 13
  private static let backlinkType = 14
  private static let maximumColumns = 65_536
}
