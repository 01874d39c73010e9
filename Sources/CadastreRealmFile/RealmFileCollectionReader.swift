import CadastreModel

/// A reader of lists, sets and dictionaries.
struct RealmFileCollectionReader {
  private let file: FileContext
  private let pass: ReadingPass

  init(_ file: FileContext, _ pass: ReadingPass) {
    self.file = file
    self.pass = pass
  }

  /// Returns the elements of a list or set; unresolved links are left out.
  ///
  /// - Throws: ``Damage``.
  func elements(
    _ root: Node, _ type: (type: PropertyType, isNullable: Bool)
  ) throws(Damage) -> [Value] {
    var values: [Value] = []
    try forEachLeaf(root) { (node) throws(Damage) in
      let leaf = try ValueLeaf(node, type, isElement: true, file, visited: pass.visited)
      // A node of width 0 may have any number of elements, all of them in zero bytes.
      guard leaf.count <= Self.maximumLeafCount else {
        throw Damage(node.offset, "found a leaf of more than \(Self.maximumLeafCount) elements")
      }
      try requireLimit(values.count + leaf.count, node)
      for index in 0..<leaf.count {
        let value = try leaf.value(index, pass)
        if type.type == .object, value.isNull { continue }
        values.append(value)
      }
    }
    return values
  }

  /// Returns the keys of the objects that link to an object.
  ///
  /// Formats before 24 store the keys in one node of any size.
  ///
  /// - Throws: ``Damage``.
  func origins(_ root: Node) throws(Damage) -> [Int64] {
    var keys: [Int64] = []
    try forEachLeaf(root) { (node) throws(Damage) in
      try pass.visited.insert(node)
      try node.requireIntegers()
      guard node.count <= Self.maximumLeafCount || node.width >= 8 else {
        throw Damage(node.offset, "found \(node.count) equal backlinks")
      }
      for index in 0..<node.count { keys.append(try node.integer(index)) }
    }
    return keys
  }

  /// Returns the elements of a list of mixed values.
  func mixedList(_ root: Node) throws(Damage) -> [Value] { try elements(root, (.any, true)) }

  /// Returns a dictionary with mixed values.
  ///
  /// - Throws: ``Damage``.
  func dictionary(_ root: Node) throws(Damage) -> ValueMap {
    try requirePair(root)
    try pass.visited.insert(root)
    let keys = try elements(try file.space.node(root, 0), (.string, false))
    let values = try elements(try file.space.node(root, 1), (.any, true))
    return try map(keys, values, root)
  }

  /// Returns a dictionary of formats before 23: a cluster tree with columns of keys and values.
  ///
  /// - Throws: ``Damage``.
  func olderDictionary(_ root: Node) throws(Damage) -> ValueMap {
    let tree = try ClusterTree(root, file, visited: pass.visited)
    var keys: [Value] = []
    var values: [Value] = []
    for cluster in tree.clusters {
      let node = try file.space.node(UInt64(cluster.offset), from: root.offset)
      for (index, type) in [PropertyType.string, .any].enumerated() {
        let leaf = try ValueLeaf(
          file.space.node(node, index + 1), (type, type == .any), isElement: false, file,
          visited: pass.visited)
        guard leaf.count == cluster.count else {
          throw Damage(node.offset, "found \(leaf.count) entries; expected \(cluster.count)")
        }
        try requireLimit(keys.count + leaf.count, node)
        for row in 0..<leaf.count {
          let value = try leaf.value(row, pass)
          if index == 0 { keys.append(value) } else { values.append(value) }
        }
      }
    }
    return try map(keys, values, root)
  }

  private func requirePair(_ root: Node) throws(Damage) {
    guard !root.isInner else { throw Damage(root.offset, "expected a dictionary") }
    try root.requireReferences()
    try root.requireCount(2)
  }

  private func map(_ keys: [Value], _ values: [Value], _ root: Node) throws(Damage) -> ValueMap {
    guard keys.count == values.count else {
      throw Damage(root.offset, "found \(keys.count) keys and \(values.count) values")
    }
    var pairs: [(String, Value)] = []
    pairs.reserveCapacity(keys.count)
    var isAscending = true
    for (key, value) in zip(keys, values) {
      guard case .string(let key) = key else { continue }
      if let last = pairs.last, !last.0.utf8.lexicographicallyPrecedes(key.utf8) {
        isAscending = false
      }
      pairs.append((key, value))
    }
    // Insertion of unsorted pairs would take quadratic time.
    if !isAscending { pairs.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) } }
    return ValueMap(pairs)
  }

  private func requireLimit(_ count: Int, _ node: Node) throws(Damage) {
    guard count <= Self.maximumElements else {
      throw Damage(node.offset, "found more than \(Self.maximumElements) elements in a collection")
    }
  }

  // MARK: B+trees

  /// Calls a closure for each leaf of a B+tree, in order; the closure adds the leaf to the visited nodes.
  ///
  /// - Throws: ``Damage``, also if the leaves have different depths.
  private func forEachLeaf(
    _ root: Node, _ body: (Node) throws(Damage) -> Void
  ) throws(Damage) {
    guard root.isInner else { return try body(root) }
    try forEachLeaf(below: root, depth: 1, body)
  }

  private func forEachLeaf(
    below node: Node, depth: Int, _ body: (Node) throws(Damage) -> Void
  ) throws(Damage) {
    try pass.visited.insert(node)
    guard depth <= Self.maximumDepth else {
      throw Damage(node.offset, "found a tree of more than \(Self.maximumDepth) levels")
    }
    try node.requireReferences()
    guard node.count >= 2 else { throw Damage(node.offset, "found an inner node without children") }
    for index in 1..<(node.count - 1) {
      let child = try file.space.node(node, index)
      if child.isInner {
        try forEachLeaf(below: child, depth: depth + 1, body)
      } else {
        try body(child)
      }
    }
  }

  /// The maximum number of inner levels.
  private static let maximumDepth = 5
  /// The maximum number of elements of a leaf in Realm.
  private static let maximumLeafCount = 1000
  /// The maximum number of elements of a collection.
  private static let maximumElements = 20_000_000
}
