import CadastreModel

/// The change of a table to another form of its class, which keeps its rows and what others have added.
struct TableChange: Sendable {
  /// The table of the database.
  let old: PostgresTable
  /// The table of the class.
  let new: PostgresTable

  /// The columns that only the new table has, or that have another type there.
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

  /// The columns that are removed.
  var removed: [String] { removedGeographies + removedColumns }

  /// Whether the columns differ.
  var isNeeded: Bool { !added.isEmpty || !removed.isEmpty }

  /// The statements before rows change.
  ///
  /// - Parameter cascades: Whether views and others that depend on removed columns are removed too.
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
    // A geography may be generated from columns that are removed with it.
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

  /// The statements after the rows have changed.
  var completion: [SQLStatement] {
    var statements = changedRequirements.filter(\.isRequired).map(requirement)
    let known = old.indexes.map(\.statement)
    let columns = added.map(\.name) + addedPoints.map(ColumnNaming.geography)
    statements += new.indexes.filter {
      columns.contains($0.column) || !known.contains($0.statement)
    }.map(\.statement)
    return statements
  }

  /// The columns that must have a value only in one of the tables; new columns are made without that.
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

  /// The column whose values need not be unique any more; nil if there is none.
  var formerPrimaryKey: String? {
    guard let key = old.fields.first(where: \.property.isPrimaryKey)?.property.columnName,
      key != new.fields.first(where: \.property.isPrimaryKey)?.property.columnName,
      !removed.contains(key)
    else { return nil }
    return key
  }
}
