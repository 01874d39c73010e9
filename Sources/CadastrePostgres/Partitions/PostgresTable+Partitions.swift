import CadastreGeometry
import CadastreModel

/// The statements about partitions of the table.
extension PostgresTable {
  /// Returns the name of a partition in the database of the class.
  static func partName(_ className: String, _ number: Int) -> String { "\(className).p\(number)" }

  /// Returns the name of a partition in its schema on a foreign server.
  static func foreignName(_ number: Int) -> String { "p\(number)" }

  /// Returns the quoted name of a partition in the database of the class.
  func quotedPart(_ number: Int) -> String {
    names.table(Self.partName(schema.className, number))
  }

  /// The names of the table and its partitions in the database of the class.
  var storedNames: [String] {
    let parts = partitions?.parts.indices.map { Self.partName(schema.className, $0) } ?? []
    return [schema.className] + parts
  }

  /// Returns the table of a partition, on its foreign server if it has one.
  func part(_ number: Int) -> PostgresTable {
    var part = self
    let schema = partitions?.parts[number].schema
    part.quotedName =
      schema.map { "\(SQLStatement.quoted($0)).\(SQLStatement.quoted(Self.foreignName(number)))" }
      ?? quotedPart(number)
    return part
  }

  /// The clause PARTITION BY of the statement that creates the table; empty for a partition.
  var partitionClause: String {
    guard let partitions, !partitions.parts.isEmpty,
      quotedName == names.table(schema.className)
    else { return "" }
    let method = partitions.grid == nil ? "HASH" : "RANGE"
    return " PARTITION BY \(method) (\(SQLStatement.quoted(partitions.column)))"
  }

  /// Returns the statement that creates a local or foreign partition of the table.
  func creation(ofPart number: Int) -> SQLStatement {
    guard let partitions else { return SQLStatement("") }
    let part = partitions.parts[number]
    var text = "CREATE \(part.server == nil ? "" : "FOREIGN ")TABLE \(quotedPart(number)) "
    text += "PARTITION OF \(quotedName) FOR VALUES "
    if partitions.grid == nil {
      text += "WITH (MODULUS \(partitions.parts.count), REMAINDER \(number))"
    } else {
      let start = number == 0 ? "MINVALUE" : "\(part.firstCell ?? 0)"
      let next = number + 1 < partitions.parts.count ? partitions.parts[number + 1].firstCell : nil
      text += "FROM (\(start)) TO (\(next.map { "\($0)" } ?? "MAXVALUE"))"
    }
    if let server = part.server, let schema = part.schema {
      text += " SERVER \(SQLStatement.quoted(server)) OPTIONS (schema_name "
      text += "\(SQLStatement.literal(schema)), table_name "
      text += "\(SQLStatement.literal(Self.foreignName(number))))"
    }
    return SQLStatement(text)
  }

  /// Returns the cell of the location of a row.
  func cell(of row: [PostgresValue], _ grid: DegreeGrid) -> Int64 {
    guard let divided, case .float8(let longitude) = row[divided.longitude],
      case .float8(let latitude) = row[divided.latitude]
    else { return DegreeGrid.outside }
    return grid.number(longitude: longitude, latitude: latitude)
  }

  /// Returns the cells that a region intersects; nil if the column is not a partition key, or if the region
  /// intersects all cells.
  func cells(touching region: PreparedRegion, _ column: String) -> [Int64]? {
    guard let partitions, let grid = partitions.grid, partitions.column == column else {
      return nil
    }
    let cells = grid.numbers(covering: region.envelopes)
    return cells.count < grid.count ? cells : nil
  }

  /// Returns the column and the grid of partitions by an expression.
  ///
  /// - Throws: ``PostgresMappingError`` if the class has no such property, or a property of an unsuitable type.
  func partitioning(
    by expression: PartitionExpression
  ) throws(PostgresMappingError) -> (column: String, grid: DegreeGrid?) {
    switch expression {
    case .hash(let name):
      if name == ColumnNaming.key { return (name, nil) }
      guard
        case .scalar(let property, let type)? = fields.first(where: { $0.property.name == name }),
        PartitionHash.types.contains(type)
      else {
        throw PostgresMappingError(
          subject: "class '\(schema.className)'",
          reason: "it has no property '\(name)' of type Int, String, Data, UUID or ObjectId to "
            + "divide its rows by; hash(\(ColumnNaming.key)) divides them by the number of the row")
      }
      return (property.columnName, nil)
    case .cell(let name, let degrees):
      let found = fields.first { $0.property.name == name }
      guard case .point(let property, _)? = found else {
        throw PostgresMappingError(
          subject: "class '\(schema.className)'",
          reason: "it has no embedded point '\(name)' to divide its rows by")
      }
      return (ColumnNaming.cell(property.columnName), DegreeGrid(degrees: degrees))
    }
  }

  /// Requires a table without partitions, because transactions of several servers do not commit atomically.
  func requireChangeable() throws(PostgresMappingError) {
    guard partitions == nil else {
      throw PostgresMappingError(
        subject: "class '\(schema.className)'",
        reason: "its rows are divided into partitions, which only a push replaces")
    }
  }

  // MARK: Citus

  /// The statement that distributes the rows of the empty table by their keys.
  var citusDistribution: SQLStatement {
    SQLStatement(
      "SELECT create_distributed_table(\(SQLStatement.literal(quotedName)), "
        + "\(SQLStatement.literal(ColumnNaming.key)))")
  }

  /// Creates the extension Citus, which distributes the rows of a table over a cluster.
  ///
  /// - Throws: ``PostgresMappingError`` if the server does not have it, or ``PostgresError``.
  static func requireCitus(_ connection: PostgresConnection) async throws {
    let found = try await connection.run(
      "SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'")
    guard try found.integer(0, 0) > 0 else {
      throw PostgresMappingError(
        subject: "the database",
        reason: "its server has no extension 'citus', which spreads rows over a cluster; "
          + "--partition-by divides them without it")
    }
    try await connection.run("CREATE EXTENSION IF NOT EXISTS citus")
  }
}
