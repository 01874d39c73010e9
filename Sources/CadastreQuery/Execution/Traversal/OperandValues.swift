import CadastreModel
import CadastrePredicate
import CadastreStore

/// One side of a comparison: its values, row by row.
protocol OperandValues {
  /// The values of each of some rows of a batch; an empty list for a row without values.
  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]]
}

/// The same values for every row.
struct ConstantValues: OperandValues {
  let constants: [Value]

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) -> [[Value]] {
    Array(repeating: constants, count: rows.count)
  }
}

/// The single value in a column.
struct ColumnValues: OperandValues {
  let source: RowValue
  /// The class that links in the column lead to; nil where it holds no links.
  let target: String?

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) -> [[Value]] {
    rows.map { row in
      let value = source.value(batch, row)
      guard let target, case .link(let key) = value else { return [value] }
      return [.object(ObjectAddress(className: target, key: key))]
    }
  }
}

/// All values to which a path leads.
struct PathValues: OperandValues {
  let traversal: PathTraversal
  let className: String
  let hops: [BoundPath.Hop]

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    var values: [[Value]] = []
    values.reserveCapacity(rows.count)
    for row in rows { values.append(try nodes(batch.key(row)).map(\.value)) }
    return values
  }

  /// The nodes to which the path leads from a row.
  func nodes(_ key: Int64) throws -> [PathNode] {
    guard let object = traversal.object(className, key) else { return [] }
    return try traversal.nodes(hops, from: .object(object))
  }
}

/// The value computed from the elements of a collection.
struct AggregateValues: OperandValues {
  let collection: PathValues
  /// The hops from each object to its value; none in a collection of values.
  let member: [BoundPath.Hop]
  let operation: Aggregate.Operation
  let isDecimal: Bool

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    var values: [[Value]] = []
    for row in rows {
      let elements = try collection.nodes(batch.key(row))
      let counted = try collection.traversal.nodes(member, from: elements, isToMany: true)
      values.append([operation.result(counted.map(\.value), isDecimal: isDecimal)])
    }
    return values
  }
}

/// A number computed from two others.
struct ArithmeticValues: OperandValues {
  let left: any OperandValues
  let operation: Arithmetic.Operation
  let right: any OperandValues

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    let (first, second) = (try left.values(batch, rows), try right.values(batch, rows))
    return zip(first, second).map { first, second in
      first.flatMap { one in second.map { operation.result(one, $0) } }
    }
  }
}

/// The number of a collection's objects that match a predicate of their own.
struct SubqueryValues: OperandValues {
  let collection: PathValues
  let objects: KeyFilter

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    let keys = try rows.map { row in
      try collection.nodes(batch.key(row)).compactMap { node -> Int64? in
        if case .object(let object) = node { object.key } else { nil }
      }
    }
    let matching = try objects.matching(Set(keys.joined()))
    return keys.map { keys in [.int(Int64(keys.count { matching.contains($0) }))] }
  }
}
