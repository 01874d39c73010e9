/// How the rows of a table are divided into partitions, and where they are.
package struct TablePartitions: Codable, Hashable, Sendable {
  /// The column by whose value a row belongs to a partition.
  let column: String
  /// The grid of cells whose numbers are in the column; nil for partitions by hash.
  let grid: CellGrid?
  /// The partitions, in order; none if an extension of the server divides the table.
  var parts: [Part]

  /// A partition.
  struct Part: Codable, Hashable, Sendable {
    /// The foreign server; nil if the partition is in the same database.
    let server: String?
    /// The schema of its table on the foreign server.
    let schema: String?
    /// The first cell of the partition; nil for partitions by hash.
    let firstCell: Int64?
  }

  /// The numbers of the partitions with some of the cells, which are sorted.
  func parts(with cells: [Int64]) -> [Int] {
    parts.indices.filter { index in
      guard let first = parts[index].firstCell else { return true }
      let end = index + 1 < parts.count ? parts[index + 1].firstCell : nil
      return cells.contains { $0 >= first && $0 < end ?? .max }
    }
  }

  /// The number of the partition of a value of the column.
  func part(of value: PostgresValue) -> Int {
    guard grid != nil else { return PartitionHash.partition(of: value, count: parts.count) }
    guard case .int8(let cell) = value else { return 0 }
    return (parts.lastIndex { $0.firstCell.map { $0 <= cell } ?? false }) ?? 0
  }
}

extension TablePartitions {
  /// The partitions of a table that the extension Citus divides by the key of the row.
  static let citus = TablePartitions(column: ColumnName.key, grid: nil, parts: [])

  /// Divides the rows of a table; cells are divided so that partitions have about as many rows.
  ///
  /// - Parameters:
  ///   - division: The expression and the number of partitions.
  ///   - table: The table.
  ///   - servers: The servers of the partitions; nil for the database itself.
  ///   - rows: The rows, which are counted by their cells.
  /// - Throws: ``PostgresMappingError`` if the class has no property for the expression, `StoreError`.
  init(
    _ division: RowDivision, of table: PostgresTable, on servers: PartitionServers?,
    _ rows: StoreRows
  ) throws {
    let (column, grid) = try table.partitioning(by: division.expression)
    var starts: [Int64?] = Array(repeating: nil, count: division.count)
    if let grid {
      guard division.count <= grid.count else {
        throw PostgresMappingError(
          subject: "\(division.count) partitions",
          reason: "the grid has \(grid.count) cells; choose a smaller side")
      }
      let names = [ColumnName.longitude, ColumnName.latitude]
      let points = table.points.filter { ColumnName.cell($0) == column }
      let indexes = points.flatMap { point in
        names.compactMap { name in table.columns.firstIndex { $0.name == name(point) } }
      }
      var counts = Array(repeating: 0, count: grid.count)
      while case let batch = try rows.batch(), !batch.isEmpty {
        for row in batch {
          guard case .float8(let longitude) = row[indexes[0]],
            case .float8(let latitude) = row[indexes[1]],
            case let cell = grid.number(longitude: longitude, latitude: latitude), cell >= 0
          else { continue }
          counts[Int(cell)] += 1
        }
      }
      starts = Self.starts(counts, parts: division.count)
    }
    self.column = column
    self.grid = grid
    parts = starts.enumerated().map { index, start in
      Part(
        server: servers?.servers[index].name, schema: servers?.schema(index), firstCell: start)
    }
  }

  /// The first cells of partitions with about as many rows and at least one cell each.
  static func starts(_ counts: [Int], parts: Int) -> [Int64] {
    let total = counts.reduce(0, +)
    var starts: [Int64] = [CellGrid.outside]
    var sum = 0
    for (cell, count) in counts.enumerated() where starts.count < parts {
      sum += count
      let isFull = sum * parts >= total * starts.count
      let isLast = counts.count - cell - 1 <= parts - starts.count
      if isFull || isLast { starts.append(Int64(cell + 1)) }
    }
    return starts
  }
}
