import CadastreFormatting
import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
import CadastreQuery
import CadastreStore

/// An aggregate query: counts, sums, averages, extremes, deviations and quantiles of a query result,
/// optionally grouped by fields and calculations.
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
  ///   - group: The fields, parts of dates, cells and calculations to group by; nil for a single group.
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
      fields[index].needs.formUnion(column.needs)
    }
    self.fields = fields
    fieldIndexes = indexes
    grouping = try Grouping(group, of: query, for: query.scope.name(of: "by"))
    for group in groups where !group.isField && columns.contains(where: { $0.name == group.name }) {
      throw QueryPredicateError(
        .invalidQuery,
        "Two columns of the result are called '\(group.name)'; give the calculation another name with "
          + "'as'")
    }
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
    let accumulators = try accumulators()
    let sorted = accumulators.groups.indices.sorted {
      Self.isBefore(accumulators.groups[$0], accumulators.groups[$1])
    }
    return try records(
      of: try sorted.map { (accumulators.groups[$0], try values(accumulators, of: $0)) },
      order: order, having: having, limit: limit)
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
    let outputColumns = outputColumns
    let names = ColumnNames(outputColumns)
    let keys = try sortKeys(order, names, outputColumns)
    let condition = try having.map { try GroupCondition($0, outputColumns) }
    var rows: [[Value]] = []
    for (group, values) in results {
      let row = zip(groups, group).map { $0.printed($1) } + values
      if try condition?.matches(row) ?? true { rows.append(row) }
    }
    if !keys.isEmpty {
      let values = rows.map { row in keys.map { $0.rule.key(of: row[$0.column]) } }
      rows = rows.indices.sorted { first, second in
        for (index, key) in keys.enumerated() {
          let ordering = key.rule.ordering(values[first][index], values[second][index])
          if ordering != .same { return ordering == .ascending }
        }
        // Groups with equal sort keys stay in the order of their values.
        return first < second
      }.map { rows[$0] }
    }
    return rows.prefix(limit ?? .max).map { row in
      StoredRecord(fields: zip(names.names, row).map { ($0, .value($1)) })
    }
  }

  /// Returns records with the geometries of their cells, as a further column.
  ///
  /// - Parameter records: Records with the fields of ``outputColumns``.
  /// - Returns: The columns and the records.
  /// - Throws: ``QueryPredicateError`` if the objects are not grouped by cells.
  package func features(
    _ records: [StoredRecord]
  ) throws(QueryPredicateError) -> (columns: [OutputColumn], records: [StoredRecord]) {
    guard let index = groups.firstIndex(where: { $0.grid != nil }) else {
      throw QueryPredicateError(
        .invalidQuery,
        "GeoJSON needs groups by cells: 'tile(location, 6)' or 'geohash(location, 4)'")
    }
    var names = DistinctNames("_", used: Set(outputColumns.map(\.name)))
    let name = names.add(ImportedClass.geometryName)
    let features = records.map { record in
      var feature = record
      var content = Value.null
      if case .value(.string(let cell)) = record.fields[index].content, let cell = GridCell(cell) {
        content = .geometry(Geometry(cell.boundingBox))
      }
      feature.fields.append((name, .value(content)))
      return feature
    }
    return (outputColumns + [OutputColumn(name, type: .geometry)], features)
  }

  private static func isBefore(_ first: [Value], _ second: [Value]) -> Bool {
    for (first, second) in zip(first, second) {
      let ordering = first.ordering(second)
      if ordering != .same { return ordering == .ascending }
    }
    return false
  }

  // MARK: Computation

  /// The state of the aggregates of all groups, in the order of the first objects of the groups.
  private struct Accumulators: GroupReceiver {
    /// The values of each group, which are those of its first object.
    var groups: [[Value]] = []
    /// The number of objects of each group.
    var counts: [Int] = []
    /// The fields, and the indexes of their paths among those of all fields.
    var fields: [(accumulator: FieldAccumulator, paths: Range<Int>)] = []

    init(_ fields: [AggregateField], isSingle: Bool) {
      var start = 0
      for field in fields {
        let paths = start..<start + field.paths.count
        self.fields.append((FieldAccumulator(field, isSingle: isSingle), paths))
        start = paths.upperBound
      }
    }

    mutating func addGroup(_ values: [Value]) {
      groups.append(values)
      counts.append(0)
      for index in fields.indices { fields[index].accumulator.addGroup() }
    }

    mutating func add(_ columns: ArraySlice<BatchColumn>, _ rows: RowSet, of groups: [Int32]) {
      for row in rows { counts[Int(groups[row])] += 1 }
      for index in fields.indices {
        let range = fields[index].paths
        let start = columns.startIndex
        fields[index].accumulator.add(
          columns[start + range.lowerBound..<start + range.upperBound], rows, of: groups)
      }
    }

    mutating func add(_ values: ArraySlice<Value>, to group: Int) {
      counts[group] += 1
      for index in fields.indices {
        let range = fields[index].paths
        let start = values.startIndex
        fields[index].accumulator.add(
          fields[index].accumulator.field.value(
            values[start + range.lowerBound..<start + range.upperBound]), to: group)
      }
    }
  }

  /// Returns the aggregates of the groups; without grouping there is one group, even without objects.
  private func accumulators() throws -> Accumulators {
    let isSingle = groups.isEmpty
    var accumulators = Accumulators(fields, isSingle: isSingle)
    if isSingle, fields.isEmpty {
      accumulators.addGroup([])
      accumulators.counts[0] = try query.count()
      return accumulators
    }
    try grouping.group(at: fields.flatMap(\.paths), into: &accumulators)
    if isSingle, accumulators.groups.isEmpty { accumulators.addGroup([]) }
    return accumulators
  }

  private func values(
    _ accumulators: Accumulators, of group: Int
  ) throws(QueryPredicateError) -> [Value] {
    var values: [Value] = []
    for (column, index) in zip(columns, fieldIndexes) {
      guard let index else {
        values.append(.int(Int64(accumulators.counts[group])))
        continue
      }
      values.append(try accumulators.fields[index].accumulator.value(of: column, in: group))
    }
    return values
  }

  private func sortKeys(
    _ order: String?, _ columns: ColumnNames, _ outputColumns: [OutputColumn]
  ) throws(QueryPredicateError) -> [(column: Int, rule: SortRule)] {
    var keys: [(column: Int, rule: SortRule)] = []
    for part in try order.map(SortText.parts) ?? [] {
      guard let column = columns.index(of: part.name) else {
        throw QueryPredicateError(
          .sort,
          "there is no column '\(printable(part.name))' to sort by; expected "
            + columns.names.map { "'\($0)'" }.joined(separator: ", "))
      }
      let type = outputColumns[column].type
      guard part.collation.isEmpty || type == .string || type == nil else {
        throw QueryPredicateError(
          .sort,
          "\(part.collation.suffix) orders texts, and the column '\(printable(part.name))' has none"
        )
      }
      keys.append((column, part.key.rule))
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
