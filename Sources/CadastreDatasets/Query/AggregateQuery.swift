import CadastreEngine
import CadastreFormatting
import CadastreModel
import CadastrePlanner
package import CadastrePredicate
import CadastreStore

/// An aggregate query: counts, sums, averages and extremes of a query result, optionally grouped by
/// a field.
///
///     let query = try AggregateQuery(storeQuery, compute: "count, avg(rating)", by: "country")
///
/// Null and NaN are ignored; `count(FIELD)` is the number of values that are not null. Groups are
/// sorted by their values, null first.
package struct AggregateQuery {
  private let query: StoreQuery
  private let columns: [AggregateColumn]
  /// The distinct fields of the aggregates, and their types.
  private let fields: [(path: PropertyPath, type: PropertyType)]
  /// For each column the index of its field in `fields`; nil to count objects.
  private let fieldIndexes: [Int?]
  private let group: (path: PropertyPath, type: PropertyType)?

  /// Creates an aggregate query.
  ///
  /// - Parameters:
  ///   - query: The query whose result is aggregated.
  ///   - compute: The aggregates, for example `count, avg(rating)`.
  ///   - group: The field to group by; nil for a single group.
  /// - Throws: ``QueryPredicateError`` for invalid syntax, unknown fields or unsuitable types.
  package init(
    _ query: StoreQuery, compute: String, by group: String?
  ) throws(QueryPredicateError) {
    self.query = query
    columns = try AggregateColumn.list(compute)
    var fields: [(path: PropertyPath, type: PropertyType)] = []
    var indexes: [Int?] = []
    for column in columns {
      guard let path = column.path else {
        indexes.append(nil)
        continue
      }
      let type = try query.valueType(at: path, for: column.name)
      guard column.accepts(type) else {
        throw QueryPredicateError(
          .invalidQuery,
          "'\(column.name)': expected \(column.accepted), and '\(path)' is of type '\(type)'")
      }
      let index = fields.firstIndex { $0.path == path }
      indexes.append(index ?? fields.count)
      if index == nil { fields.append((path, type)) }
    }
    self.fields = fields
    fieldIndexes = indexes
    if let group {
      let path = PropertyPath(group.trimmingBlanks().description)
      self.group = (path, try query.valueType(at: path, for: "--by"))
    } else {
      self.group = nil
    }
  }

  /// The columns of the result: the grouping field, then the aggregates.
  package var outputColumns: [OutputColumn] {
    let by = group.map { [OutputColumn($0.path.description, type: $0.type)] } ?? []
    return by
      + zip(columns, fieldIndexes).map { column, field in
        let type: PropertyType? =
          switch column.operation {
          case .count: .int
          case .avg: .double
          case .sum, .min, .max: field.map { fields[$0].type }
          }
        return OutputColumn(column.name, type: type)
      }
  }

  /// Returns a record for each group, or one record without grouping.
  ///
  /// - Parameters:
  ///   - order: The columns to sort by: "COLUMN [asc|desc], …"; by default the grouping field.
  ///   - limit: The maximum number of groups.
  /// - Returns: Records with the fields of ``outputColumns``.
  /// - Throws: ``QueryPredicateError`` if a sum overflows or a sort column is unknown, `StoreError`
  ///   if reading fails.
  /// - Complexity: O(n + g log g) for n objects in g groups; only the columns in use are read.
  package func records(order: String? = nil, limit: Int? = nil) throws -> [StoredRecord] {
    guard let group else { return [record(try total())] }
    let keys = try sortKeys(order)
    let groups = try groups(by: group.path)
    var rows: [[Value]] = []
    for (value, accumulator) in groups.sorted(by: { $0.key.ordering($1.key) == .ascending }) {
      rows.append([value] + (try values(accumulator)))
    }
    if !keys.isEmpty {
      // The sort is stable: groups with equal sort keys stay in the order of their values.
      rows.sort { first, second in
        for key in keys {
          switch first[key.column].ordering(second[key.column]) {
          case .ascending: return key.isAscending
          case .descending: return !key.isAscending
          default: continue
          }
        }
        return false
      }
    }
    return rows.prefix(limit ?? .max).map(record)
  }

  // MARK: Computation

  /// The state of the aggregates of a group.
  private struct Accumulator {
    var count = 0
    var fields: [(present: Int, aggregation: Aggregation)]
  }

  private var emptyAccumulator: Accumulator {
    Accumulator(fields: fields.map { (0, Aggregation(of: $0.type)) })
  }

  /// Returns the aggregates of all objects as one group.
  private func total() throws -> [Value] {
    var accumulator = emptyAccumulator
    guard !fields.isEmpty else {
      accumulator.count = try query.count()
      return try values(accumulator)
    }
    let keys = try query.keys()
    accumulator.count = keys.count
    for (index, field) in fields.enumerated() {
      let isColumn = try query.session.forEachColumn(
        keys, of: query.bound.className, at: field.path
      ) { column, rows in
        var present = rows
        column.keep(&present, areNull: false)
        accumulator.fields[index].present += present.count
        accumulator.fields[index].aggregation.add(column, rows)
      }
      if isColumn { continue }
      try query.session.forEachValue(
        keys, of: query.bound.className, at: [field.path]
      ) { values in
        if !values[0].isNull { accumulator.fields[index].present += 1 }
        accumulator.fields[index].aggregation.add(values[0])
      }
    }
    return try values(accumulator)
  }

  private func groups(by path: PropertyPath) throws -> [Value: Accumulator] {
    var indexes: [Value: Int] = [:]
    var accumulators: [Accumulator] = []
    let emptyAccumulator = emptyAccumulator
    try query.session.forEachValue(
      try query.keys(), of: query.bound.className, at: [path] + fields.map(\.path)
    ) { values in
      let group = indexes[values[0].groupingKey, default: accumulators.count]
      if group == accumulators.count {
        indexes[values[0].groupingKey] = group
        accumulators.append(emptyAccumulator)
      }
      accumulators[group].count += 1
      for index in fields.indices where !values[index + 1].isNull {
        accumulators[group].fields[index].present += 1
        accumulators[group].fields[index].aggregation.add(values[index + 1])
      }
    }
    return indexes.mapValues { accumulators[$0] }
  }

  private func values(_ accumulator: Accumulator) throws(QueryPredicateError) -> [Value] {
    var values: [Value] = []
    for (column, index) in zip(columns, fieldIndexes) {
      guard let index else {
        values.append(.int(Int64(accumulator.count)))
        continue
      }
      let (present, aggregation) = accumulator.fields[index]
      switch column.operation {
      case .count: values.append(.int(Int64(present)))
      case .min: values.append(aggregation.minimum ?? .null)
      case .max: values.append(aggregation.maximum ?? .null)
      case .avg: values.append(aggregation.average ?? .null)
      case .sum:
        guard let sum = aggregation.sum else {
          throw QueryPredicateError(
            .invalidQuery, "'\(column.name)' exceeds the range of 64-bit integers")
        }
        values.append(sum)
      }
    }
    return values
  }

  private func record(_ values: [Value]) -> StoredRecord {
    StoredRecord(
      fields: zip(outputColumns, values).map { ($0.path.names[0], .value($1)) })
  }

  private func sortKeys(
    _ order: String?
  ) throws(QueryPredicateError) -> [(column: Int, isAscending: Bool)] {
    var keys: [(column: Int, isAscending: Bool)] = []
    let names = outputColumns.map { $0.path.names[0] }
    for part in try order.map(SortText.parts) ?? [] {
      guard let column = names.firstIndex(of: part.name) else {
        throw QueryPredicateError(
          .sort,
          "there is no column '\(printable(part.name))' to sort by; expected "
            + names.map { "'\($0)'" }.joined(separator: ", "))
      }
      keys.append((column, part.isAscending))
    }
    return keys
  }
}
