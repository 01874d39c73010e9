import CadastreModel

/// The assembly of nested values from the entries of leaves.
///
/// Source: Melnik and others, "Dremel: Interactive Analysis of Web-Scale Datasets", VLDB 2010.
struct RecordAssembler {
  /// A cursor for each leaf; nil for leaves outside of the selection.
  let cursors: [LeafCursor?]

  /// The maximum number of elements of the collections in a value.
  private static let maximumElements = 1 << 22

  /// Assembles the next value of a column.
  func value(_ tree: ColumnTree) throws(ColumnarError) -> ColumnarValue {
    if case .leaf(let leaf) = tree.node { return .value(try cursor(leaf.index).take()) }
    var left = Self.maximumElements
    return try value(tree, &left)
  }

  private func value(
    _ tree: ColumnTree, _ left: inout Int
  ) throws(ColumnarError) -> ColumnarValue {
    guard let first = tree.leaves.first else { return .record([]) }
    if tree.isOptional, try cursor(first).definition() < tree.definition {
      try skip(tree.leaves)
      return .value(.null)
    }
    switch tree.node {
    case .leaf: return .value(try cursor(first).take())
    case .group(let members):
      var values: [ColumnarValue] = []
      values.reserveCapacity(members.count)
      for member in members { values.append(try value(member, &left)) }
      return .record(values)
    case .list(let element, let levels):
      var elements: [ColumnarValue] = []
      try repeated(tree, levels, &left) { (left) throws(ColumnarError) in
        elements.append(try value(element, &left))
      }
      return .list(elements)
    case .map(let key, let valueTree, let levels):
      var entries: [ColumnarValue.Entry] = []
      try repeated(tree, levels, &left) { (left) throws(ColumnarError) in
        let name = try value(key, &left)
        entries.append(
          ColumnarValue.Entry(
            key: name,
            value: try valueTree.map { tree throws(ColumnarError) in try value(tree, &left) }
              ?? .value(.null)))
      }
      return .map(entries)
    }
  }

  /// Calls a closure for each element of a collection.
  private func repeated(
    _ tree: ColumnTree, _ levels: ColumnNode.Levels, _ left: inout Int,
    _ body: (inout Int) throws(ColumnarError) -> Void
  ) throws(ColumnarError) {
    let first = try cursor(tree.leaves.lowerBound)
    if try first.definition() < levels.definition { return try skip(tree.leaves) }
    repeat {
      left -= 1
      guard left >= 0 else {
        throw .corrupt(
          found: "more than \(Self.maximumElements) elements in a row", expected: "fewer elements",
          part: "column '\(tree.name)'")
      }
      try body(&left)
    } while try first.repetition() == levels.repetition
  }

  private func skip(_ leaves: Range<Int>) throws(ColumnarError) {
    for leaf in leaves { try cursor(leaf).skip() }
  }

  func cursor(_ leaf: Int) throws(ColumnarError) -> LeafCursor {
    guard let cursor = cursors[leaf] else {
      throw .corrupt(found: "no values", expected: "values of column \(leaf)")
    }
    return cursor
  }
}
