import CadastreModel

/// The change of a table to another form of its class, which keeps the rows and additions of other programs.
struct TableChange: Sendable {
  /// The table of the database.
  let old: PostgresTable
  /// The table of the class.
  let new: PostgresTable

  /// The columns that only the new table has, or with another type.
  private var added: [PostgresTable.Column] {
    new.columns.filter { column in
      !old.columns.contains { $0.name == column.name && $0.type == column.type }
    }
  }

  private var addedPoints: [String] { new.points.filter { !old.points.contains($0) } }

  private var removedColumns: [String] {
    old.columns.filter { column in
      !new.columns.contains { $0.name == column.name && $0.type == column.type }
    }.map(\.name)
  }

  private var removedGeographies: [String] {
    old.points.filter { !new.points.contains($0) }.map(ColumnNaming.geography)
  }

  /// The columns to drop.
  var removed: [String] { removedGeographies + removedColumns }

  /// Whether the columns differ.
  var isNeeded: Bool { !added.isEmpty || !removed.isEmpty }

  /// Returns the statements to run before rows change.
  ///
  /// - Parameter cascades: Whether dependents of the dropped columns, such as views, are dropped too.
  /// - Returns: The statements.
  func preparation(cascades: Bool) -> [SQLStatement] {
    let optional = changedRequirements.filter { !$0.isRequired }.map(requirement)
    guard isNeeded else { return optional }
    func removal(_ column: String) -> String {
      "DROP COLUMN IF EXISTS \(SQLStatement.quoted(column))" + (cascades ? " CASCADE" : "")
    }
    var statements: [SQLStatement] = []
    if old.hasPointTrigger {
      statements.append(
        SQLStatement("DROP TRIGGER IF EXISTS \(PostgresTable.pointTrigger) ON \(old.quotedName)"))
    }
    // A generated geography must be dropped before the columns that it depends on.
    let parts = [
      removedGeographies.map(removal),
      removedColumns.map(removal) + added.map { "ADD COLUMN \(new.declaration(of: $0))" },
      addedPoints.map { "ADD COLUMN \(new.geographyDeclaration(of: $0))" },
    ]
    for part in parts where !part.isEmpty {
      statements.append(
        SQLStatement("ALTER TABLE \(new.quotedName) \(part.joined(separator: ", "))"))
    }
    return statements + optional + new.pointStatements
  }

  /// The statements to run after rows have changed.
  var completion: [SQLStatement] {
    var statements = changedRequirements.filter(\.isRequired).map(requirement)
    let existing = old.indexes.map(\.statement)
    let columns = added.map(\.name) + addedPoints.map(ColumnNaming.geography)
    statements += new.indexes.filter {
      $0.columns.contains(where: columns.contains) || !existing.contains($0.statement)
    }.map(\.statement)
    return statements
  }

  /// The columns that are required in only one of the tables; columns are added without NOT NULL.
  private var changedRequirements: [PostgresTable.Column] {
    new.columns.filter { column in
      let before = old.columns.first { $0.name == column.name && $0.type == column.type }
      return column.name != ColumnNaming.key && before?.isRequired ?? false != column.isRequired
    }
  }

  private func requirement(_ column: PostgresTable.Column) -> SQLStatement {
    SQLStatement(
      "ALTER TABLE \(new.quotedName) ALTER COLUMN \(SQLStatement.quoted(column.name)) "
        + "\(column.isRequired ? "SET" : "DROP") NOT NULL")
  }

  /// The column of the former primary key; nil if the primary key has not changed.
  var formerPrimaryKey: String? {
    guard let key = old.fields.first(where: \.property.isPrimaryKey)?.property.columnName,
      key != new.fields.first(where: \.property.isPrimaryKey)?.property.columnName,
      !removed.contains(key)
    else { return nil }
    return key
  }
}
