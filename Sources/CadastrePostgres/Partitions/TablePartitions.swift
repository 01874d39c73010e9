import CadastreGeometry

/// The partitions of a table.
package struct TablePartitions: Codable, Hashable, Sendable {
  /// The partition key column.
  let column: String
  /// The grid whose cell numbers the column contains; nil for partitions by hash.
  let grid: DegreeGrid?
  /// The partitions, in order; empty if the extension Citus distributes the table.
  var parts: [Part]

  /// A partition.
  struct Part: Codable, Hashable, Sendable {
    /// The foreign server; nil if the partition is in the same database.
    let server: String?
    /// The schema of the partition on the foreign server.
    let schema: String?
    /// The first cell of the partition; nil for partitions by hash.
    let firstCell: Int64?
  }

  /// Returns the numbers of the partitions that contain some of the cells.
  func parts(with cells: [Int64]) -> [Int] {
    parts.indices.filter { index in
      guard let first = parts[index].firstCell else { return true }
      let end = index + 1 < parts.count ? parts[index + 1].firstCell : nil
      return cells.contains { $0 >= first && $0 < end ?? .max }
    }
  }

  /// Returns the number of the partition of a value of the column.
  func part(of value: PostgresValue) -> Int {
    guard grid != nil else { return PartitionHash.partition(of: value, count: parts.count) }
    guard case .int8(let cell) = value else { return 0 }
    return (parts.lastIndex { $0.firstCell.map { $0 <= cell } ?? false }) ?? 0
  }
}

extension TablePartitions {
  /// The partitions of a table that the extension Citus distributes by the key of the row.
  static let citus = TablePartitions(column: ColumnNaming.key, grid: nil, parts: [])

  /// Partitions the rows of a table; ranges of cells are chosen for partitions of about equal size.
  ///
  /// - Parameters:
  ///   - division: The expression and the number of partitions.
  ///   - table: The table.
  ///   - servers: The servers of the partitions; nil for the database itself.
  ///   - rows: The rows; their number in each cell determines the ranges.
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
      let names = [ColumnNaming.longitude, ColumnNaming.latitude]
      let points = table.points.filter { ColumnNaming.cell($0) == column }
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

  /// Returns the first cells of partitions with about equal numbers of rows and at least one cell each.
  static func starts(_ counts: [Int], parts: Int) -> [Int64] {
    let total = counts.reduce(0, +)
    var starts: [Int64] = [DegreeGrid.outside]
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

/// A grid of square cells in degrees, numbered by rows from the south and columns from the west.
struct DegreeGrid: Hashable, Sendable, Codable {
  /// The side of a cell in degrees, a divisor of 180.
  let degrees: Int

  init(degrees: Int) { self.degrees = degrees }

  /// Decodes a grid, whose side must be one of ``sides``.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    degrees = try members.decode(Int.self, forKey: .degrees)
    guard Self.sides.contains(degrees) else {
      throw DecodingError.dataCorruptedError(
        forKey: .degrees, in: members, debugDescription: "expected one of \(Self.sides) degrees")
    }
  }

  private enum CodingKeys: CodingKey {
    case degrees
  }

  /// The valid sides, in degrees.
  static let sides = (5...90).filter { 180 % $0 == 0 }

  /// The cell number of rows without a location.
  static let outside: Int64 = -1

  private var columns: Int { 360 / degrees }
  private var rows: Int { 180 / degrees }

  /// The number of cells.
  var count: Int { rows * columns }

  /// Returns the number of the cell that contains a point; ``outside`` for invalid coordinates.
  func number(longitude: Double, latitude: Double) -> Int64 {
    guard (-180...180).contains(longitude), (-90...90).contains(latitude) else {
      return Self.outside
    }
    return Int64(row(latitude) * columns + column(longitude))
  }

  /// Returns the SQL expression for the cell number of two expressions, which are null or a valid point.
  func expression(longitude: String, latitude: String) -> String {
    func index(_ value: String, _ offset: Int, _ count: Int) -> String {
      "least(floor((\(value) + \(offset)) / \(degrees)), \(count - 1))"
    }
    return "CASE WHEN \(longitude) IS NULL THEN \(Self.outside) ELSE "
      + "(\(index(latitude, 90, rows)) * \(columns) + \(index(longitude, 180, columns)))::int8 END"
  }

  /// Returns the numbers of all cells that intersect some envelopes, sorted.
  func numbers(covering envelopes: [Envelope]) -> [Int64] {
    var numbers: Set<Int64> = []
    for envelope in envelopes {
      let columns = column(envelope.west)...column(envelope.east)
      for row in row(envelope.south)...row(envelope.north) {
        for column in columns { numbers.insert(Int64(row * self.columns + column)) }
      }
    }
    return numbers.sorted()
  }

  private func column(_ longitude: Double) -> Int {
    Self.index((longitude + 180), columns, degrees)
  }

  private func row(_ latitude: Double) -> Int { Self.index((latitude + 90), rows, degrees) }

  private static func index(_ offset: Double, _ count: Int, _ degrees: Int) -> Int {
    let index = (offset / Double(degrees)).rounded(.down)
    return index >= Double(count) ? count - 1 : index > 0 ? Int(index) : 0
  }
}
