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
  /// The object embedded in each row from which the path begins; nil for the row's own object.
  let embedded: EmbeddedLayout?
  let hops: [BoundPath.Hop]

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    var values: [[Value]] = []
    values.reserveCapacity(rows.count)
    for row in rows { values.append(try nodes(batch.key(row)).map(\.value)) }
    return values
  }

  /// The nodes to which the path leads from a row.
  func nodes(_ key: Int64) throws -> [PathNode] {
    guard var object = traversal.object(className, key) else { return [] }
    if let embedded {
      guard let number = try object.row()?[embedded.presence], !number.isNull else { return [] }
      object.inner = (embedded, number)
    }
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

/// The values of an operand of the current outer object.
// Confined: filters that read more than their batch run on one thread.
final class OuterRow { var values: [Value] = [] }

/// The values of the current outer object, for each row of a subquery.
struct OuterValues: OperandValues {
  let row: OuterRow

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) -> [[Value]] {
    Array(repeating: row.values, count: rows.count)
  }
}

/// The number of a collection's objects that match a predicate of their own.
struct SubqueryValues: OperandValues {
  typealias OuterOperand = (values: any OperandValues, row: OuterRow)

  /// The table of some objects, and the path in its rows where they are embedded.
  struct Place: Hashable {
    let className: String
    let path: PropertyPath?
  }

  let collection: PathValues
  /// The filters of the objects in each place.
  let objects: [Place: KeyFilter]
  /// The operands of the object itself with which the predicate compares; none for most predicates.
  let outer: [OuterOperand]

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    let members = try rows.map { row in try self.members(batch.key(row)) }
    guard outer.isEmpty else { return try values(batch, rows, members) }
    let matching = try self.matching(members.joined())
    return members.map { [.int(Int64(Self.count($0, matching)))] }
  }

  private typealias Member = (place: Place, key: Int64)

  /// The objects of the collection of a row.
  private func members(_ key: Int64) throws -> [Member] {
    try collection.nodes(key).compactMap { node in
      guard case .object(let object) = node else { return nil }
      let className = object.table.layout.schema.className
      return (Place(className: className, path: object.inner?.layout.path), object.key)
    }
  }

  /// The keys of the objects that match, by place.
  private func matching(_ members: some Sequence<Member>) throws -> [Place: Set<Int64>] {
    if objects.count == 1, let (place, filter) = objects.first {
      return [place: try filter.matching(Set(members.lazy.map(\.key)))]
    }
    var keys: [Place: Set<Int64>] = [:]
    for member in members { keys[member.place, default: []].insert(member.key) }
    var found: [Place: Set<Int64>] = [:]
    for (place, keys) in keys { found[place] = try objects[place]?.matching(keys) }
    return found
  }

  private static func count(_ members: [Member], _ matching: [Place: Set<Int64>]) -> Int {
    members.count { matching[$0.place]?.contains($0.key) ?? false }
  }

  /// The numbers of objects that match, object by object, because the predicate compares with its values.
  private func values(
    _ batch: borrowing ColumnBatch, _ rows: RowSet, _ members: [[Member]]
  ) throws -> [[Value]] {
    var operands: [[[Value]]] = []
    for operand in outer { operands.append(try operand.values.values(batch, rows)) }
    var counts: [[Value]] = []
    for (index, members) in members.enumerated() {
      for (operand, values) in zip(outer, operands) { operand.row.values = values[index] }
      counts.append([.int(Int64(Self.count(members, try matching(members))))])
    }
    return counts
  }
}
