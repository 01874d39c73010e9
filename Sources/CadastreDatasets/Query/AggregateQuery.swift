import CadastreEngine
import CadastreFormatting
package import CadastreModel
import CadastrePlanner
package import CadastrePredicate
import CadastreStore

/// An aggregate query: counts, sums, averages, extremes and quantiles of a query result, optionally
/// grouped by fields.
///
///     let query = try AggregateQuery(storeQuery, compute: "count, avg(rating)", by: "country")
///
/// The first and the last value are those in the order of the query. Null and NaN are ignored;
/// `count(FIELD)` is the number of values that are not null. Groups are sorted by their values,
/// null first.
package struct AggregateQuery {
  private let query: StoreQuery
  private let columns: [AggregateColumn]
  /// The distinct fields of the aggregates, and their types.
  private let fields: [AggregateField]
  /// The index in `fields` of the field of each column; nil to count objects.
  private let fieldIndexes: [Int?]
  private let grouping: Grouping
  private var groups: [GroupColumn] { grouping.columns }

  /// Creates an aggregate query.
  ///
  /// - Parameters:
  ///   - query: The query whose result is aggregated.
  ///   - compute: The aggregates, for example `count, avg(rating)`.
  ///   - group: The fields to group by; nil for a single group.
  /// - Throws: ``QueryPredicateError`` for invalid syntax, unknown fields or unsuitable types.
  package init(
    _ query: StoreQuery, compute: String, by group: String?
  ) throws(QueryPredicateError) {
    self.query = query
    columns = try AggregateColumn.list(compute)
    var fields: [AggregateField] = []
    var arguments: [String] = []
    var indexes: [Int?] = []
    for column in columns {
      guard let argument = column.argument else {
        indexes.append(nil)
        continue
      }
      let field = try AggregateField(argument, of: column, query)
      let index = arguments.firstIndex(of: argument) ?? fields.count
      indexes.append(index)
      if index == fields.count {
        arguments.append(argument)
        fields.append(field)
      }
      if column.operation == .countDistinct { fields[index].needsDistinct = true }
      if column.percent != nil { fields[index].needsNumbers = true }
      if [.first, .last].contains(column.operation) { fields[index].needsEnds = true }
    }
    self.fields = fields
    fieldIndexes = indexes
    grouping = try Grouping(group, of: query, for: query.scope.name(of: "by"))
  }

  /// The columns of the result: the grouping fields, then the aggregates.
  package var outputColumns: [OutputColumn] {
    groups.map { group in
      outputColumn(group.name, type: group.type, of: group.isField ? group.path : nil)
    }
      + zip(columns, fieldIndexes).map { column, index in
        let field = index.map { fields[$0] }
        let path = field.flatMap { $0.paths.count == 1 ? $0.paths.first : nil }
        return outputColumn(column.name, type: column.resultType(of: field?.type), of: path)
      }
  }

  /// Returns a column of the result; its dates are days if the field contains days.
  private func outputColumn(
    _ name: String, type: PropertyType?, of path: PropertyPath?
  ) -> OutputColumn {
    var column = OutputColumn(name, type: type)
    column.isDay = type == .date && path.map { query.isDay(OutputColumn($0, type: .date)) } ?? false
    return column
  }

  /// Returns a record for each group, or one record without grouping.
  ///
  /// - Parameters:
  ///   - order: The columns to sort by: "COLUMN [asc|desc], …"; by default the grouping fields.
  ///   - having: A predicate on the columns of a group; nil for all groups.
  ///   - limit: The maximum number of groups.
  /// - Returns: Records with the fields of ``outputColumns``.
  /// - Throws: ``QueryPredicateError`` if a sum overflows or a column is unknown, `StoreError` if
  ///   reading fails.
  /// - Complexity: O(n + g log g) for n objects in g groups; only the columns in use are read.
  package func records(
    order: String? = nil, having: String? = nil, limit: Int? = nil
  ) throws -> [StoredRecord] {
    guard !groups.isEmpty else {
      return try records(of: [([], try total())], order: order, having: having, limit: limit)
    }
    let sorted = try accumulators().sorted { Self.isBefore($0.group, $1.group) }
    return try records(
      of: try sorted.map { ($0.group, try values($0.accumulator)) }, order: order, having: having,
      limit: limit)
  }

  /// Returns a record for each of the given groups, as ``records(order:having:limit:)`` does for
  /// the groups of the query.
  ///
  /// - Parameters:
  ///   - results: The groups in their order, with the values of the aggregates.
  ///   - order: The columns to sort by.
  ///   - having: A predicate on the columns of a group; nil for all groups.
  ///   - limit: The maximum number of groups.
  /// - Returns: Records with the fields of ``outputColumns``.
  /// - Throws: ``QueryPredicateError`` if a column is unknown.
  package func records(
    of results: [(group: [Value], values: [Value])], order: String? = nil, having: String? = nil,
    limit: Int? = nil
  ) throws -> [StoredRecord] {
    let keys = try sortKeys(order)
    let condition = try having.map { try GroupCondition($0, outputColumns) }
    var rows: [[Value]] = []
    for (group, values) in results {
      let row = zip(groups, group).map { $0.printed($1) } + values
      if try condition?.matches(row) ?? true { rows.append(row) }
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

  private static func isBefore(_ first: [Value], _ second: [Value]) -> Bool {
    for (first, second) in zip(first, second) {
      let ordering = first.ordering(second)
      if ordering != .same { return ordering == .ascending }
    }
    return false
  }

  // MARK: Computation

  /// The state of the aggregates of a group.
  private struct Accumulator {
    var count = 0
    var fields: [AggregateField.State]
  }

  private var emptyAccumulator: Accumulator {
    Accumulator(fields: fields.map(AggregateField.State.init))
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
      if let path = field.columnPath,
        try query.session.forEachColumn(
          keys, of: query.bound.className, at: path,
          { column, rows in accumulator.fields[index].add(column, rows) })
      {
        continue
      }
      try query.session.forEachValue(
        keys, of: query.bound.className, at: field.paths
      ) { values in accumulator.fields[index].add(field.value(values)) }
    }
    return try values(accumulator)
  }

  /// Returns the groups in the order of their first objects, whose values represent the groups.
  private func accumulators() throws -> [(group: [Value], accumulator: Accumulator)] {
    var indexes: [[ValueKey]: Int] = [:]
    var groups: [(group: [Value], accumulator: Accumulator)] = []
    let emptyAccumulator = emptyAccumulator
    try grouping.forEachGroup(try query.keys(), at: fields.flatMap(\.paths)) { group, values in
      let key = group.map(ValueKey.init)
      let number = indexes[key, default: groups.count]
      if number == groups.count {
        indexes[key] = number
        groups.append((group, emptyAccumulator))
      }
      groups[number].accumulator.count += 1
      var start = values.startIndex
      for (index, field) in fields.enumerated() {
        let end = start + field.paths.count
        groups[number].accumulator.fields[index].add(field.value(values[start..<end]))
        start = end
      }
    }
    return groups
  }

  private func values(_ accumulator: Accumulator) throws(QueryPredicateError) -> [Value] {
    var values: [Value] = []
    for (column, index) in zip(columns, fieldIndexes) {
      guard let index else {
        values.append(.int(Int64(accumulator.count)))
        continue
      }
      values.append(try accumulator.fields[index].value(of: column))
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
    let columns = ColumnNames(outputColumns)
    for part in try order.map(SortText.parts) ?? [] {
      guard let column = columns.index(of: part.name) else {
        throw QueryPredicateError(
          .sort,
          "there is no column '\(printable(part.name))' to sort by; expected "
            + columns.names.map { "'\($0)'" }.joined(separator: ", "))
      }
      keys.append((column, part.isAscending))
    }
    return keys
  }

  // MARK: Databases

  /// An aggregate that a database computes with the same result.
  package enum PlainTerm: Sendable {
    /// The number of objects.
    case objects
    /// The number of values that are not null.
    case count(PropertyPath)
    /// The sum of integers, or their mean.
    case sum(PropertyPath, isMean: Bool, name: String)
    /// The least or greatest number or string.
    case extreme(PropertyPath, PropertyType, isLeast: Bool)
  }

  /// The fields of the groups, and the aggregates, if a database computes them with the same result;
  /// sums of fractions depend on the order of the objects.
  package var plainTerms: (groups: [PropertyPath], terms: [PlainTerm])? {
    guard groups.allSatisfy(\.isField) else { return nil }
    var terms: [PlainTerm] = []
    for (column, index) in zip(columns, fieldIndexes) {
      guard let index else {
        terms.append(.objects)
        continue
      }
      guard case .field(let path) = fields[index].source else { return nil }
      let type = fields[index].type
      switch column.operation {
      case .count: terms.append(.count(path))
      case .sum where type == .int: terms.append(.sum(path, isMean: false, name: column.name))
      case .avg where type == .int: terms.append(.sum(path, isMean: true, name: column.name))
      case .min where [.int, .float, .double, .string].contains(type),
        .max where [.int, .float, .double, .string].contains(type):
        terms.append(.extreme(path, type, isLeast: column.operation == .min))
      default: return nil
      }
    }
    return (groups.map(\.path), terms)
  }
}
