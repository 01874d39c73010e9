import CadastreModel

/// The leaves of the tree with the objects of a table, in ascending order of their keys.
struct ClusterTree {
  /// A leaf of the tree.
  struct Leaf {
    /// The offset of its node.
    let offset: Int
    /// The number that is added to the keys of the leaf.
    let base: UInt64
    /// The number of objects in earlier leaves.
    let start: Int
    /// The number of objects.
    let count: Int
    /// The smallest key.
    let firstKey: Int64
  }

  /// The leaves with objects, in the order of their keys.
  private(set) var clusters: [Leaf] = []
  /// The number of objects.
  private(set) var count = 0
  private var lastKey: Int64 = -1
  private let space: NodeSpace

  /// Reads the tree, and checks that the keys ascend.
  ///
  /// - Throws: ``Damage``.
  init(_ root: Node, _ file: FileContext, visited: VisitedNodes) throws(Damage) {
    space = file.space
    try read(root, base: 0, level: nil, visited)
  }

  private mutating func read(
    _ node: Node, base: UInt64, level: UInt64?, _ visited: VisitedNodes
  ) throws(Damage) {
    try visited.insert(node)
    try node.requireReferences()
    guard node.isInner else {
      guard level ?? 0 == 0 else {
        throw Damage(node.offset, "expected an inner node of the objects")
      }
      return try add(node, base, visited)
    }
    guard node.count >= 3, node.count <= 3 + Self.maximumChildren,
      let depth = try node.number(1), depth >= 1, depth <= Self.maximumDepth,
      level ?? depth == depth
    else { throw Damage(node.offset, "expected an inner node of the objects") }
    let keys = try space.optionalNode(node, 0)
    if let keys {
      try visited.insert(keys)
      try keys.requireIntegers()
      try keys.requireCount(node.count - 3)
    }
    for child in 0..<(node.count - 3) {
      let key = try keys?.unsigned(child) ?? UInt64(child) << (8 * depth)
      try read(try space.node(node, child + 3), base: base &+ key, level: depth - 1, visited)
    }
  }

  private mutating func add(
    _ node: Node, _ base: UInt64, _ visited: VisitedNodes
  ) throws(Damage) {
    let keys = try ClusterKeys(node, base: base, space)
    if let list = keys.list { try visited.insert(list) }
    guard keys.count > 0 else { return }
    let first = try keys.key(0)
    for row in 0..<keys.count {
      let key = row == 0 ? first : try keys.key(row)
      guard key > lastKey else {
        throw Damage(
          node.offset, "found object \(key) after object \(lastKey); expected a larger key")
      }
      lastKey = key
    }
    clusters.append(
      Leaf(offset: node.offset, base: base, start: count, count: keys.count, firstKey: first))
    count += keys.count
  }

  /// Returns the index of the leaf whose range contains a key; nil if the key precedes the first leaf.
  func index(of key: Int64) -> Int? {
    var (lower, upper) = (0, clusters.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if clusters[middle].firstKey <= key { lower = middle + 1 } else { upper = middle }
    }
    return lower == 0 ? nil : lower - 1
  }

  /// Returns the index of the leaf of the object at a position, which must exist.
  func index(at position: Int) -> Int {
    var (lower, upper) = (0, clusters.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if clusters[middle].start <= position { lower = middle + 1 } else { upper = middle }
    }
    return lower - 1
  }

  private static let maximumDepth: UInt64 = 7
  private static let maximumChildren = 256
}

/// The keys of the objects in a leaf.
struct ClusterKeys {
  /// The number of objects.
  let count: Int
  /// The stored keys; nil if they are 0, 1, 2 and so on.
  let list: Node?
  private let base: UInt64

  init(_ node: Node, base: UInt64, _ space: NodeSpace) throws(Damage) {
    self.base = base
    let found: Int
    if let number = try node.number(0) {
      list = nil
      found = Int(clamping: number)
    } else {
      let keys = try space.node(node, 0)
      try keys.requireIntegers()
      list = keys
      found = keys.count
    }
    guard found <= Self.maximumCount else {
      throw Damage(
        node.offset, "found \(found) objects in a leaf; expected \(Self.maximumCount) at most")
    }
    count = found
  }

  /// Returns the key of an object.
  func key(_ row: Int) throws(Damage) -> Int64 {
    Int64(bitPattern: base &+ (try list?.unsigned(row) ?? UInt64(row)))
  }

  /// Returns the row of an object; nil if there is none with the key.
  func row(of key: Int64) throws(Damage) -> Int? {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if try self.key(middle) < key { lower = middle + 1 } else { upper = middle }
    }
    guard lower < count, try self.key(lower) == key else { return nil }
    return lower
  }

  private static let maximumCount = 256
}
