package import CadastreModel

/// Up to 256 consecutive objects of a table.
package struct RealmFileCluster {
  /// The values of a column.
  private enum Column {
    case values(ValueLeaf)
    /// A reference to the collection of each object.
    case collections(Node)
  }

  private let table: RealmFileTable
  private let context: FileContext
  private let path: String
  private let keys: ClusterKeys
  private let columns: [Column]
  private let node: Node

  /// The number of objects.
  package let count: Int
  /// The position of the first object in the order of the keys of the table.
  package let start: Int

  init(
    _ table: RealmFileTable, _ leaf: ClusterTree.Leaf, _ context: FileContext, _ path: String,
    _ visited: VisitedNodes?
  ) throws(RealmFileError) {
    self.table = table
    self.context = context
    self.path = path
    start = leaf.start
    count = leaf.count
    var column: RealmFileColumn?
    do throws(Damage) {
      node = try context.space.node(UInt64(leaf.offset), from: leaf.offset)
      keys = try ClusterKeys(node, base: leaf.base, context.space)
      var columns: [Column] = []
      columns.reserveCapacity(table.columns.count)
      for next in table.columns {
        column = next
        columns.append(try Self.column(next, node, leaf.count, context, visited))
      }
      self.columns = columns
    } catch {
      throw RealmFileError(path, part: table.part(column), error)
    }
  }

  private static func column(
    _ column: RealmFileColumn, _ cluster: Node, _ count: Int, _ context: FileContext,
    _ visited: VisitedNodes?
  ) throws(Damage) -> Column {
    let node = try context.space.node(cluster, 1 + column.leaf)
    guard column.collection == nil else {
      guard !node.isInner else { throw Damage(node.offset, "expected references to collections") }
      try node.requireReferences()
      try node.requireCount(count)
      try visited?.insert(node)
      return .collections(node)
    }
    let leaf = try ValueLeaf(
      node, (column.type, column.isNullable), isElement: false, context,
      distinct: column.distinct, visited: visited)
    guard leaf.count == count else {
      throw Damage(node.offset, "found \(leaf.count) values; expected \(count)")
    }
    return .values(leaf)
  }

  /// Returns the key of an object.
  ///
  /// - Throws: ``RealmFileError`` if the row is out of range.
  package func key(_ row: Int) throws(RealmFileError) -> Int64 {
    do throws(Damage) {
      return try keys.key(row)
    } catch {
      throw RealmFileError(path, part: table.part(nil), error)
    }
  }

  /// Returns the value of a property: a list for a list or set, a map for a dictionary.
  ///
  /// Links are `link` with the key of the object, in mixed values `object` with the name of the
  /// table. Links to no object are null, and are left out of lists and sets.
  ///
  /// - Parameters:
  ///   - row: The object, by its index in the cluster.
  ///   - column: The index of the column in the table.
  ///   - pass: The pass that reads the value.
  /// - Returns: The value.
  /// - Throws: ``RealmFileError`` if the value is damaged or was read in this pass before.
  package func value(
    _ row: Int, _ column: Int, _ pass: RealmFilePass
  ) throws(RealmFileError) -> Value {
    do throws(Damage) {
      switch columns[column] {
      case .values(let leaf): return try leaf.value(row, pass.pass)
      case .collections(let node):
        return try collection(row, node, table.columns[column], pass.pass)
      }
    } catch {
      throw RealmFileError(path, part: table.part(table.columns[column]), error)
    }
  }

  private func collection(
    _ row: Int, _ references: Node, _ column: RealmFileColumn, _ pass: ReadingPass
  ) throws(Damage) -> Value {
    let root = try context.space.optionalNode(references, row)
    let reader = RealmFileCollectionReader(context, pass)
    guard column.collection == .map else {
      guard let root else { return .list([]) }
      return .list(try reader.elements(root, (column.type, column.isNullable)))
    }
    guard let root else { return .map(ValueMap()) }
    let map =
      context.format < 23 && context.format != 0
      ? try reader.olderDictionary(root) : try reader.dictionary(root)
    guard column.type != .any else { return .map(map) }
    var entries: [(String, Value)] = []
    entries.reserveCapacity(map.entries.count)
    for entry in map.entries {
      entries.append((entry.key, try typed(entry.value, column, root)))
    }
    return .map(ValueMap(entries))
  }

  /// Returns the value of a dictionary whose values have one type.
  private func typed(_ value: Value, _ column: RealmFileColumn, _ root: Node) throws(Damage)
    -> Value
  {
    if value.isNull, column.isNullable || column.type == .object { return .null }
    if column.type == .object, case .object(let address) = value, address.className == column.target
    {
      return .link(address.key)
    }
    guard value.type == column.type, column.type != .object else {
      throw Damage(root.offset, "found a value of another type in a dictionary of \(column.type)")
    }
    return value
  }

  // MARK: Backlinks

  func key(of row: Int) throws(Damage) -> Int64 { try keys.key(row) }

  /// Returns the references to the backlinks of each object.
  func backlinks(_ column: BacklinkColumn, _ pass: ReadingPass) throws(Damage) -> Node {
    let references = try context.space.node(node, 1 + column.leaf)
    try pass.visited.insert(references)
    try references.requireReferences()
    try references.requireCount(count)
    return references
  }

  /// Returns the keys of the objects that link to an object.
  func origins(
    _ row: Int, _ references: Node, _ pass: ReadingPass
  ) throws(Damage) -> [Int64] {
    if let key = try references.number(row) { return [Int64(bitPattern: key)] }
    guard let root = try context.space.optionalNode(references, row) else { return [] }
    return try RealmFileCollectionReader(context, pass).origins(root)
  }
}

extension RealmFileTable {
  /// The table, and a column, for messages.
  func part(_ column: RealmFileColumn?) -> String {
    "table '\(name)'" + (column.map { ", column '\($0.name)'" } ?? "")
  }
}
