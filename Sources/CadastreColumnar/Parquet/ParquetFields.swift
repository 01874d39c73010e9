import CadastreModel

/// The types of columns as fields.
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

  /// Returns whether the statistics tell that all unsigned integers are less than 2⁶³.
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
