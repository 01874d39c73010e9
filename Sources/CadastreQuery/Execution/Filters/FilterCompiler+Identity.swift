import CadastreModel
import CadastrePredicate
import CadastreStore

/// Comparisons with embedded objects. An embedded object has exactly one owner.
extension FilterCompiler {
  /// A filter for rows in which the object at a path is the given embedded object.
  mutating func identityFilter(
    _ reference: ObjectReference, _ path: BoundPath
  ) throws -> any BatchFilter {
    let properties = path.properties ?? []
    let inline = properties.reversed().prefix { $0.target.contains(.inline) }
      .reversed().map(\.property.name)
    let row = properties.dropLast(inline.count)
    // The path of an embedded object begins at its row.
    let inRow = (row.isEmpty ? embedded?.path.names ?? [] : []) + inline
    let rowClass = row.last?.property.objectClassName ?? className
    switch reference.identity {
    case .key(let key) where inline.isEmpty: return try rowFilter(row, key)
    case .embedded(let owner, let place, let number)
    where !inline.isEmpty && owner.className == rowClass && place == PropertyPath(inRow):
      guard let presence = try presence(at: properties) else { break }
      return AllFilter(parts: [
        try rowFilter(row, owner.key), Self.equal(presence, number),
      ])
    default: break
    }
    return ConstantFilter(value: false)
  }

  /// A filter for rows from which some properties lead to the row with a key; none lead to the row
  /// itself.
  private mutating func rowFilter(
    _ links: ArraySlice<BoundProperty>, _ key: ObjectKey
  ) throws -> any BatchFilter {
    guard !links.isEmpty else { return OwnKeyFilter(key: key.rawValue) }
    let column = try presence(at: links)
    return column.map { Self.equal($0, key.rawValue) } ?? ConstantFilter(value: false)
  }

  /// The slot of the column that is null where there is no object at the end of a path; nil where there is none.
  private mutating func presence(at properties: some Collection<BoundProperty>) throws -> Int? {
    switch try request.leaf(properties).leaf {
    case .value(let place), .presence(let place): place
    case .point(let point): request.presence(of: point)
    case .pointType, .pointCoordinates, .collection: nil
    }
  }

  private static func equal(_ column: Int, _ number: Int64) -> any BatchFilter {
    let interval = Interval<Int64>.holding(.equal, .int(number))
    return IntervalFilter(column: column, intervals: [interval].compactMap { $0 }, nulls: false)
  }
}

/// The row with a key.
struct OwnKeyFilter: BatchFilter {
  let key: Int64

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    rows.keep { batch.key($0) == key }
  }
}
