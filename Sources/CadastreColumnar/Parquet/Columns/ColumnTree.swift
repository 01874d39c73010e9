import CadastreModel

/// A node of the schema, with the levels at which it is present.
indirect enum ColumnNode {
  /// A column with values.
  case leaf(LeafColumn)
  /// A group of named nodes.
  case group([ColumnTree])
  /// A list; the elements are at the levels of the repeated node.
  case list(element: ColumnTree, Levels)
  /// A map; without a value it is a set of keys.
  case map(key: ColumnTree, value: ColumnTree?, Levels)

  /// The levels of a repeated node.
  struct Levels {
    let definition: Int
    let repetition: Int
  }
}

/// A named node of the schema.
struct ColumnTree {
  let name: String
  let node: ColumnNode
  /// Whether the node may be null.
  let isOptional: Bool
  /// The definition level at which the node is present.
  let definition: Int
  /// The leaves below the node.
  let leaves: Range<Int>
}

/// The path and the levels of a node of the schema.
struct SchemaPosition {
  var path: [String] = []
  var definition = 0
  var repetition = 0

  /// Moves to a repeated node, such as the elements of a list.
  mutating func enterRepeated(_ name: String) {
    path.append(name)
    definition += 1
    repetition += 1
  }
}

/// The columns of a Parquet file.
struct ParquetColumns {
  private(set) var leaves: [LeafColumn] = []
  private(set) var roots: [ColumnTree] = []

  private static let maximumDepth = 64
  private static let maximumLevel = 255
  private static let maximumTypeLength = 1 << 20

  /// Builds the tree of a schema, whose elements are in depth-first order.
  ///
  /// - Throws: ``ColumnarError`` if the elements do not form a tree or have invalid types.
  init(_ elements: [SchemaElement]) throws(ColumnarError) {
    guard let root = elements.first, let count = root.childCount, count >= 0, root.type == nil
    else {
      throw .corrupt(found: "a leaf", expected: "a group of columns at the root", part: "schema")
    }
    var next = 1
    for _ in 0..<count {
      let child = try Self.raw(elements, &next, depth: 1)
      roots.append(try tree(child, SchemaPosition()))
    }
    guard next == elements.count else {
      throw .corrupt(
        found: "\(elements.count) elements", expected: "a tree of \(next)", part: "schema")
    }
  }

  /// An element with its children.
  private struct Raw {
    let element: SchemaElement
    let children: [Raw]
    var isRepeated: Bool { element.repetition == 2 }
    var isList: Bool { element.logicalType == .list || element.convertedType == 3 }
    var isMap: Bool {
      element.logicalType == .map || element.convertedType == 1 || element.convertedType == 2
    }
  }

  private static func raw(
    _ elements: [SchemaElement], _ next: inout Int, depth: Int
  ) throws(ColumnarError) -> Raw {
    guard next < elements.count, depth <= maximumDepth else {
      throw .corrupt(
        found: "\(elements.count) elements in \(depth) levels",
        expected: "a tree of at most \(maximumDepth) levels", part: "schema")
    }
    let element = elements[next]
    next += 1
    guard let repetition = element.repetition, (0...2).contains(repetition) else {
      throw .corrupt(
        found: "repetition \(element.repetition ?? -1) of '\(element.name)'",
        expected: "0, 1 or 2", part: "schema")
    }
    guard element.type == nil else { return Raw(element: element, children: []) }
    var children: [Raw] = []
    let count = element.childCount ?? 0
    guard count >= 0, count <= elements.count - next else {
      throw .corrupt(
        found: "\(count) children of '\(element.name)'",
        expected: "at most \(elements.count - next)", part: "schema")
    }
    for _ in 0..<count { children.append(try raw(elements, &next, depth: depth + 1)) }
    return Raw(element: element, children: children)
  }

  /// Builds the tree of a node; a repeated node outside of a list is a list of required elements.
  private mutating func tree(
    _ raw: Raw, _ parent: SchemaPosition
  ) throws(ColumnarError) -> ColumnTree {
    guard !raw.isRepeated else {
      let levels = ColumnNode.Levels(
        definition: parent.definition + 1, repetition: parent.repetition + 1)
      let first = leaves.count
      let element = try content(raw, parent)
      return ColumnTree(
        name: raw.element.name, node: .list(element: element, levels), isOptional: false,
        definition: parent.definition, leaves: first..<leaves.count)
    }
    return try content(raw, parent)
  }

  /// Builds the tree of a node without its repetition.
  private mutating func content(
    _ raw: Raw, _ parent: SchemaPosition
  ) throws(ColumnarError) -> ColumnTree {
    var position = parent
    position.path.append(raw.element.name)
    if raw.element.repetition != 0 { position.definition += 1 }
    if raw.isRepeated { position.repetition += 1 }
    guard position.definition <= Self.maximumLevel else {
      throw .corrupt(
        found: "\(position.definition) levels", expected: "at most \(Self.maximumLevel)",
        part: "schema")
    }
    let first = leaves.count
    let node = try node(raw, position)
    return ColumnTree(
      name: raw.element.name, node: node, isOptional: raw.element.repetition == 1,
      definition: position.definition, leaves: first..<leaves.count)
  }

  private mutating func node(
    _ raw: Raw, _ position: SchemaPosition
  ) throws(ColumnarError) -> ColumnNode {
    if let type = raw.element.type { return .leaf(try leaf(raw.element, type, position)) }
    if raw.children.count == 1, raw.children[0].isRepeated, raw.isList || raw.isMap {
      let repeated = raw.children[0]
      var inner = position
      inner.enterRepeated(repeated.element.name)
      let levels = ColumnNode.Levels(definition: inner.definition, repetition: inner.repetition)
      if raw.isMap, (1...2).contains(repeated.children.count) {
        let key = try tree(repeated.children[0], inner)
        let value = repeated.children.count == 2 ? try tree(repeated.children[1], inner) : nil
        return .map(key: key, value: value, levels)
      }
      if Self.isElement(repeated, of: raw) {
        return .list(element: try content(repeated, position), levels)
      }
      return .list(element: try tree(repeated.children[0], inner), levels)
    }
    var children: [ColumnTree] = []
    for child in raw.children { children.append(try tree(child, position)) }
    return .group(children)
  }

  /// Returns whether the repeated node of a list is the element itself, as older writers have it.
  private static func isElement(_ repeated: Raw, of list: Raw) -> Bool {
    guard repeated.element.type == nil, repeated.children.count == 1 else { return true }
    return repeated.children[0].isRepeated || repeated.element.name == "array"
      || repeated.element.name == list.element.name + "_tuple"
  }

  private mutating func leaf(
    _ element: SchemaElement, _ number: Int, _ position: SchemaPosition
  ) throws(ColumnarError) -> LeafColumn {
    guard let type = PhysicalType(rawValue: number) else {
      throw .corrupt(
        found: "type \(number) of '\(element.name)'", expected: "0 to 7", part: "schema")
    }
    let length = element.typeLength ?? 0
    guard type != .fixedBytes || (1...Self.maximumTypeLength).contains(length) else {
      throw .corrupt(
        found: "values of \(length) bytes in '\(element.name)'",
        expected: "1 to \(Self.maximumTypeLength)", part: "schema")
    }
    let leaf = LeafColumn(
      index: leaves.count, path: position.path, type: type, typeLength: length,
      content: LeafContent(element, type), maximumDefinition: position.definition,
      maximumRepetition: position.repetition)
    leaves.append(leaf)
    return leaf
  }
}

/// The conversion of columns to fields.
enum ParquetFields {
  /// Returns the field of a column.
  ///
  /// A column whose statistics count no null is required.
  static func field(_ tree: ColumnTree, _ metadata: ParquetMetadata) -> ColumnarField {
    var field = field(tree)
    guard case .leaf(let leaf) = tree.node else { return field }
    if leaf.content == .integer(bits: 64, isSigned: false), !fitsInt64(leaf, metadata) {
      field.type = .scalar(.decimal128)
    }
    if field.isOptional {
      field.isOptional = !metadata.rowGroups.allSatisfy {
        $0.rowCount == 0 || $0.chunks[leaf.index].statistics?.nullCount == 0
      }
    }
    return field
  }

  /// Returns whether all unsigned integers are less than 2⁶³ by the statistics.
  private static func fitsInt64(_ leaf: LeafColumn, _ metadata: ParquetMetadata) -> Bool {
    metadata.rowGroups.allSatisfy { group in
      guard let maximum = group.chunks[leaf.index].statistics?.maximum, maximum.count == 8 else {
        return group.rowCount == 0
      }
      return maximum[7] < 0x80
    }
  }

  private static func field(_ tree: ColumnTree) -> ColumnarField {
    var field = ColumnarField(name: tree.name, type: type(tree), isOptional: tree.isOptional)
    if case .leaf(let leaf) = tree.node, leaf.content == .date { field.dates = .days }
    return field
  }

  private static func type(_ tree: ColumnTree) -> ColumnarType {
    switch tree.node {
    case .leaf(let leaf): scalar(leaf.content)
    case .group(let members): .record(members.map(field))
    case .list(let element, _): .list(type(element), isOptional: element.isOptional)
    case .map(let key, let value, _):
      .map(
        key: type(key), value: value.map(type) ?? .nothing,
        isOptional: value?.isOptional ?? true)
    }
  }

  private static func scalar(_ content: LeafContent) -> ColumnarType {
    switch content {
    case .nothing: .nothing
    case .bool: .scalar(.bool)
    case .integer: .scalar(.int)
    case .float, .float16: .scalar(.float)
    case .double: .scalar(.double)
    case .text, .json, .time, .interval: .scalar(.string)
    case .data, .wellKnownBinary: .scalar(.data)
    case .date, .timestamp, .int96: .scalar(.date)
    case .decimal: .scalar(.decimal128)
    case .uuid: .scalar(.UUID)
    }
  }
}
