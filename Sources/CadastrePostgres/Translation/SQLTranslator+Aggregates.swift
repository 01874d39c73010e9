import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// An aggregate function.
package enum AggregateFunction: String, Sendable {
  /// The number of values that are not null.
  case count
  case sum, average, minimum, maximum
}

/// The SQL of an aggregate of all rows of a table, or of partial aggregates of partitions.
struct AggregateSQL: Sendable {
  /// The aggregate of all rows.
  let whole: String
  /// The aggregates of the rows of one partition.
  let partial: [String]
  /// The aggregate of all partitions as a function of the columns of the partial aggregates.
  let merged: @Sendable ([String]) -> String

  /// The number of rows.
  static let count = AggregateSQL(counting: "count(*)")

  fileprivate init(counting whole: String) {
    self.init(whole, partial: [whole]) { "sum(\($0[0]))::int8" }
  }

  fileprivate init(
    _ whole: String, partial: [String], merged: @escaping @Sendable ([String]) -> String
  ) {
    (self.whole, self.partial, self.merged) = (whole, partial, merged)
  }
}

/// The SQL of a value by which rows are grouped.
struct GroupSQL {
  /// The columns of the value; two for a date.
  let columns: [String]
  /// Whether the value can be NaN, which sorts before other values.
  let hasNaN: Bool

  /// Returns the terms of ORDER BY for columns with the values: null first, then NaN, then values.
  func order(_ names: [String]) -> [String] {
    names.flatMap { name in
      ["\(name) IS NOT NULL"] + (hasNaN ? ["\(name) <> 'NaN'"] : []) + [name]
    }
  }
}

extension SQLTranslator {
  /// Returns the SQL of aggregates.
  mutating func aggregates(
    _ terms: [(function: AggregateFunction, path: BoundPath)]
  ) throws(UntranslatablePart) -> [AggregateSQL] {
    var columns: [AggregateSQL] = []
    for term in terms { columns.append(try aggregate(term.function, term.path)) }
    return columns
  }

  /// Returns the SQL of a value by which rows are grouped.
  mutating func group(_ path: BoundPath) throws(UntranslatablePart) -> GroupSQL {
    let operand = try operand(path)
    guard case .value(let type) = operand.kind, type != .geometry else {
      throw refused(path, "objects are grouped by single values")
    }
    if type == .date {
      // The text is a row constructor of two columns.
      let parts = operand.text.dropFirst().dropLast().split(separator: ", ").map(String.init)
      return GroupSQL(columns: parts, hasNaN: false)
    }
    // Adding 0 gives -0 and 0 the same group.
    let zero = type == .float ? " + 0::float4" : type == .double ? " + 0::float8" : ""
    return GroupSQL(
      columns: [operand.text + zero], hasNaN: !zero.isEmpty || type == .decimal128)
  }

  /// Returns the statement of aggregates of all rows or of groups.
  func aggregated(
    _ terms: [AggregateSQL], by groups: [GroupSQL] = [], _ query: BoundQuery, _ condition: String
  ) throws(UntranslatablePart) -> SQLStatement {
    let keys = groups.flatMap(\.columns).enumerated().map { "\($1) AS g\($0)" }
    let grouping =
      keys.isEmpty
      ? "" : " GROUP BY " + (1...keys.count).map { "\($0)" }.joined(separator: ", ")
    var text =
      if let parts = foreignParts(query) {
        try merged(terms, keys, query, parts, condition, grouping)
      } else {
        "SELECT \((keys + terms.map(\.whole)).joined(separator: ", ")) "
          + "FROM \(try source(query.className)) WHERE \(condition)" + grouping
      }
    if !groups.isEmpty {
      var order: [String] = []
      var next = 0
      for group in groups {
        order += group.order(group.columns.indices.map { "g\(next + $0)" })
        next += group.columns.count
      }
      text = "SELECT * FROM (\(text)) g ORDER BY \(order.joined(separator: ", "))"
    }
    return SQLStatement(text, parameters.parameters)
  }

  /// Returns the SQL of an aggregate; minimum and maximum ignore NaN.
  mutating func aggregate(
    _ function: AggregateFunction, _ path: BoundPath
  ) throws(UntranslatablePart) -> AggregateSQL {
    let operand = try operand(path)
    guard case .value(let type) = operand.kind else {
      throw refused(path, "it has no single value")
    }
    let text = operand.text
    let count =
      type == .date ? "count(*) FILTER (WHERE \(text) IS NOT NULL)" : "count(\(text))"
    switch function {
    case .count: return AggregateSQL(counting: count)
    case .sum, .average:
      guard type.isNumeric else { throw refused(path, "its values are no numbers") }
      // The sum of an `int8` is `numeric` in PostgreSQL.
      let isInteger = type == .int
      let values = [.float, .double].contains(type) ? "\(text)::float8" : text
      let sum = isInteger ? "sum(\(values))::numeric" : "sum(\(values))"
      if function == .sum { return AggregateSQL(sum, partial: [sum]) { "sum(\($0[0]))" } }
      let cast = isInteger ? "::float8" : ""
      return AggregateSQL("avg(\(values))\(cast)", partial: [sum, count]) {
        "(sum(\($0[0])) / nullif(sum(\($0[1])), 0)\(type == .decimal128 || isInteger ? "" : "::float8"))"
          + cast
      }
    case .minimum, .maximum:
      guard type.isNumeric || type == .string else {
        throw refused(path, "its values have no extremes")
      }
      let name = function == .minimum ? "min" : "max"
      let filter =
        [.float, .double, .decimal128].contains(type) ? " FILTER (WHERE \(text) <> 'NaN')" : ""
      return AggregateSQL("\(name)(\(text))\(filter)", partial: ["\(name)(\(text))\(filter)"]) {
        "\(name)(\($0[0]))"
      }
    }
  }
}

/// Aggregates on tables with partitions on other servers, which aggregate their rows.
extension SQLTranslator {

  /// Returns the partitions that may have rows of a query; nil without partitions on other servers.
  func foreignParts(_ query: BoundQuery) -> [Int]? {
    guard let table = tableIfKnown(query.className), let partitions = table.partitions,
      partitions.parts.contains(where: { $0.server != nil })
    else { return nil }
    let parts = parts(query.predicate, partitions, table)
    // Without a matching partition, the first one returns the aggregates of no rows.
    return parts.isEmpty ? [0] : parts
  }

  private func parts(
    _ predicate: BoundPredicate, _ partitions: TablePartitions, _ table: PostgresTable
  ) -> [Int] {
    let all = Array(partitions.parts.indices)
    switch predicate {
    case .and(let inner):
      return inner.reduce(all) { candidates, part in
        candidates.filter(parts(part, partitions, table).contains)
      }
    case .geoWithin(let within):
      guard within.path.hops.count == 1, case .property(let point) = within.path.hops[0],
        let cells = table.cells(
          touching: within.shape.prepared, ColumnNaming.cell(point.property.columnName))
      else { return all }
      return partitions.parts(with: cells)
    case .comparison(let comparison):
      guard partitions.grid == nil, comparison.operation == .equal, comparison.options.isEmpty,
        case .property(let path) = comparison.left, path.hops.count == 1,
        case .property(let bound) = path.hops[0], case .value(let value) = comparison.right,
        bound.property.columnName == partitions.column, value.type == bound.property.type
      else { return all }
      return [partitions.part(of: PostgresValue(value))]
    case .constant(false): return []
    case .constant, .or, .not, .relation: return all
    }
  }

  /// Returns the statement that merges the partial aggregates of partitions.
  ///
  /// - Parameters:
  ///   - terms: The aggregates.
  ///   - keys: The columns of the groups, named `g0`, `g1` …; empty for one group of all rows.
  ///   - query: The query.
  ///   - parts: The numbers of the partitions.
  ///   - condition: The condition on the rows.
  ///   - grouping: The clause GROUP BY; empty for one group of all rows.
  /// - Returns: The statement.
  /// - Throws: ``UntranslatablePart``.
  func merged(
    _ terms: [AggregateSQL], _ keys: [String], _ query: BoundQuery, _ parts: [Int],
    _ condition: String, _ grouping: String
  ) throws(UntranslatablePart) -> String {
    let columns = keys + terms.flatMap(\.partial).enumerated().map { "\($1) AS c\($0)" }
    let table = try table(query.className)
    let joined = joins.map(\.text).joined()
    let selects = parts.map { part in
      "SELECT \(columns.joined(separator: ", ")) FROM \(table.quotedPart(part)) "
        + "\(Self.rootAlias)\(joined) WHERE \(condition)\(grouping)"
    }
    var merged = keys.indices.map { "g\($0)" }
    var column = 0
    for term in terms {
      merged.append(term.merged((0..<term.partial.count).map { "c\(column + $0)" }))
      column += term.partial.count
    }
    return "SELECT \(merged.joined(separator: ", ")) FROM "
      + "(\(selects.joined(separator: " UNION ALL "))) p\(grouping)"
  }
}
