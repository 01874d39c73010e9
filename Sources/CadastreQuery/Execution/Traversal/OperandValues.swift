import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// One side of a comparison: its values, row by row.
protocol OperandValues {
  /// Whether the values are computed from nothing but the batch.
  var readsBatchOnly: Bool { get }
  /// The values of each of some rows of a batch; an empty list for a row without values.
  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]]
}

extension OperandValues {
  var readsBatchOnly: Bool { false }
}

/// The same values for every row.
struct ConstantValues: OperandValues {
  let constants: [Value]

  var readsBatchOnly: Bool { true }

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) -> [[Value]] {
    Array(repeating: constants, count: rows.count)
  }
}

/// The single value in a column.
struct ColumnValues: OperandValues {
  let source: RowValue
  /// The class that links in the column lead to; nil where it holds no links.
  let target: String?

  var readsBatchOnly: Bool { true }

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

  var readsBatchOnly: Bool { left.readsBatchOnly && right.readsBatchOnly }

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    let (first, second) = (try left.values(batch, rows), try right.values(batch, rows))
    return zip(first, second).map { first, second in
      first.flatMap { one in second.map { operation.result(one, $0) } }
    }
  }
}

/// The distances in metres of geometries of the row to another one; none of missing or empty ones.
struct DistanceValues: OperandValues {
  let left: GeometrySource
  let right: RelationFilter.Side
  let edges: EdgeModel

  var readsBatchOnly: Bool { left.isInBatch && right.isInBatch }

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    try rows.map { row in
      guard let other = try right.geometry(row, batch, edges) else { return [] }
      return try left.geometries(row, batch, edges).geometries.compactMap {
        // The distance to an empty constant is infinite.
        let distance = $0.distance(to: other, edges: edges)
        return distance < .greatest ? .double(distance.asMeters()) : nil
      }
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
