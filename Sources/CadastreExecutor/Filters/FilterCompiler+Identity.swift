import CadastreModel
import CadastrePredicate
import CadastreStore

/// Comparisons with embedded objects, each of which is in one place only.
extension FilterCompiler {
  /// A filter for rows in which the object at a path through links and embedded objects is the
  /// embedded one that is meant.
  mutating func identityFilter(
    _ reference: ObjectReference, _ path: ResolvedPath
  ) throws -> any BatchFilter {
    let inline = path.properties.reversed().prefix(while: schema.isInline).reversed().map(\.name)
    let row = path.path.names.dropLast(inline.count)
    let rowClass = path.properties[..<row.count].last?.objectClassName ?? root.className
    switch reference.identity {
    case .key(let key) where inline.isEmpty: return try rowFilter(Array(row), key)
    case .embedded(let owner, let place, let number)
    where !inline.isEmpty && owner.className == rowClass && place == PropertyPath(inline):
      guard let presence = try request.leaf(path).leaf.presence else { break }
      return AllFilter(parts: [
        try rowFilter(Array(row), owner.key), Self.equal(presence, number),
      ])
    default: break
    }
    return ConstantFilter(value: false)
  }

  /// A filter for rows from which names lead to the row with a key; no names lead to the row itself.
  private mutating func rowFilter(
    _ names: [String], _ key: ObjectKey
  ) throws -> any BatchFilter {
    guard !names.isEmpty else { return OwnKeyFilter(key: key.rawValue) }
    let column = try leafAndWay(PropertyPath(names)).leaf.presence
    return column.map { Self.equal($0, key.rawValue) } ?? ConstantFilter(value: false)
  }

  private static func equal(_ column: Int, _ number: Int64) -> any BatchFilter {
    let interval = Interval<Int64>.holding(.equal, .int(number))
    return IntegerFilter(column: column, intervals: [interval].compactMap { $0 }, nulls: false)
  }
}

/// The row with a key.
struct OwnKeyFilter: BatchFilter {
  let key: Int64

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    rows.filter { batch.key(Int($0)) == key }
  }
}

extension ColumnRequest.Leaf {
  /// The column that is null where there is no object.
  fileprivate var presence: Int? {
    switch self {
    case .value(let place), .presence(let place): place
    case .point(let point): point.presence
    case .pointType, .pointCoordinates, .collection: nil
    }
  }
}
