import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Queries on tables whose rows are divided: conditions by which the server leaves partitions out, and
/// counts that each server computes of its own rows.
extension SQLTranslator {
  /// The condition that a point is in one of the cells that a region touches; nil if the rows are not
  /// divided by its cells, or if the region touches all of them.
  mutating func isNear(_ region: PreparedRegion, _ location: SQLOperand.Location) -> String? {
    guard let cells = tableIfKnown(location.owner)?.cells(touching: region, location.cell.name)
    else { return nil }
    return "\(location.cell.text) = ANY(\(parameter(.array(.int8, cells.map(PostgresValue.int8)))))"
  }

  /// The partitions that may have rows of a query, if they are on other servers.
  func distantParts(_ query: BoundQuery) -> [Int]? {
    guard let table = tableIfKnown(query.className), let partitions = table.partitions,
      partitions.parts.contains(where: { $0.server != nil })
    else { return nil }
    let parts = parts(query.predicate, partitions, table)
    // The first one counts no rows, where no partition has some.
    return parts.isEmpty ? [0] : parts
  }

  private func parts(
    _ predicate: BoundPredicate, _ partitions: TablePartitions, _ table: PostgresTable
  ) -> [Int] {
    let all = Array(partitions.parts.indices)
    switch predicate {
    case .and(let inner):
      return inner.reduce(all) { kept, part in
        let found = parts(part, partitions, table)
        return kept.filter(found.contains)
      }
    case .geoWithin(let within):
      guard within.path.hops.count == 1, case .property(let point) = within.path.hops[0],
        let cells = table.cells(
          touching: within.region, ColumnName.cell(point.property.columnName))
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

  /// The statement that merges the aggregates of partitions.
  ///
  /// - Parameters:
  ///   - terms: The aggregates.
  ///   - keys: The columns of the groups, named `g0`, `g1` …; none for one group of all rows.
  ///   - query: The query.
  ///   - parts: The numbers of the partitions.
  ///   - condition: The condition on the rows.
  ///   - grouping: The end of a statement that groups by the keys.
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

extension PostgresTable {
  /// The cells that a region touches; nil if the rows are not divided by the cells of a column, or if
  /// the region touches all of them.
  func cells(touching region: PreparedRegion, _ column: String) -> [Int64]? {
    guard let partitions, let grid = partitions.grid, partitions.column == column else {
      return nil
    }
    let cells = grid.numbers(covering: region.envelopes)
    return cells.count < grid.count ? cells : nil
  }
}
