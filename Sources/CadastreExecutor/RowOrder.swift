import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore

/// Puts rows in the order of some sort keys; rows that are level stay in order of their keys.
///
/// Null comes first, then NaN, then values; rows behind a null link come last. Descending order is
/// the mirror image of all that.
struct RowOrder {
  private struct Key {
    let value: RowValue
    /// Columns that are null where something on the way to the value is null.
    let way: [Int]
    let isAscending: Bool
  }

  /// What a row is ordered by.
  private struct Entry {
    let row: Int64
    let values: [Value?]
  }

  private let keys: [Key]
  private let keep: Int?
  private var entries: [Entry] = []

  /// Of the order only the first `keep` rows are needed; all where it is nil.
  init(
    _ order: [SortKey], keep: Int?, _ compiler: inout FilterCompiler, _ schema: Schema,
    _ root: ObjectSchema
  ) throws {
    self.keep = keep
    var keys: [Key] = []
    for sortKey in order {
      let path = try schema.resolve(sortKey.path, from: root)
      let (leaf, way) = try compiler.request.leaf(path)
      guard let value = RowValue(leaf) else {
        throw QueryPredicateError(
          .sort, "Cannot sort by '\(sortKey.path)' of type '\(path.leaf.typeDescription)'")
      }
      keys.append(Key(value: value, way: way, isAscending: sortKey.isAscending))
    }
    self.keys = keys
  }

  /// Takes in the selected rows of a batch.
  mutating func add(_ batch: borrowing ColumnBatch, _ rows: [Int32]) {
    for row in rows {
      let index = Int(row)
      let values = keys.map { key -> Value? in
        let isBroken = key.way.contains { batch.columns[$0].isNull[index] }
        return isBroken ? nil : key.value.value(batch, index)
      }
      entries.append(Entry(row: batch.keys[index], values: values))
    }
    // Cutting at twice the needed rows keeps each row's share of the sorting constant.
    if let keep, (entries.count - ColumnBatch.capacity) / 2 > keep { cut(to: keep) }
  }

  private mutating func cut(to count: Int) {
    entries.sort(by: precedes)
    entries.removeSubrange(min(count, entries.count)...)
  }

  /// The rows in order.
  mutating func rows() -> [Int64] {
    entries.sort(by: precedes)
    return entries.map(\.row)
  }

  private func precedes(_ first: Entry, _ second: Entry) -> Bool {
    for (place, key) in keys.enumerated() {
      let order = Self.ordering(first.values[place], second.values[place])
      if order != .same { return (order == .ascending) == key.isAscending }
    }
    return first.row < second.row
  }

  private static func ordering(_ first: Value?, _ second: Value?) -> ValueOrdering {
    switch (first, second) {
    case (let first?, let second?): first.ordering(second)
    case (nil, nil): .same
    case (nil, _): .descending
    case (_, nil): .ascending
    }
  }
}
