import CadastreModel
import CadastreStore

/// A column and a value that it takes.
struct ColumnValue: Sendable {
  let column: String
  let value: PostgresValue
  let type: PostgresType

  init(_ column: String, _ value: PostgresValue, _ type: PostgresType) {
    (self.column, self.value, self.type) = (column, value, type)
  }
}

/// The statements that find and change rows.
extension PostgresTable {
  /// Returns the keys of all rows in their order.
  var allKeys: SQLStatement {
    SQLStatement("SELECT \"\(ColumnNaming.key)\" FROM \(quotedName) ORDER BY 1")
  }

  /// Returns keys of rows and the values of the primary key.
  func primaryKeys(_ column: String, of keys: [Int64]) -> SQLStatement {
    var statement = SQLStatement(
      "SELECT \"\(ColumnNaming.key)\", \(SQLStatement.quoted(column)) FROM \(quotedName) "
        + "WHERE \"\(ColumnNaming.key)\" = ANY(")
    statement.append(statement.keys(keys) + ")")
    return statement
  }

  /// The statement that returns the keys and the primary keys of rows with some primary keys, and the type of
  /// these; nil if the class has no primary key.
  func search(for primaryKeys: Set<Value>) -> (statement: SQLStatement, type: PropertyType)? {
    guard
      case .scalar(let property, let type)? = fields.first(where: \.property.isPrimaryKey)
    else { return nil }
    let column = SQLStatement.quoted(property.columnName)
    var statement = SQLStatement(
      "SELECT \"\(ColumnNaming.key)\", \(column) FROM \(quotedName) WHERE \(column) = ANY(")
    // No row has a value that PostgreSQL cannot hold.
    let values = primaryKeys.map { PostgresValue($0) }.filter { $0 != .null && $0.problem == nil }
    statement.append(statement.parameter(.array(type, values), .array(type)) + ")")
    if primaryKeys.contains(.null) { statement.append(" OR \(column) IS NULL") }
    return (statement, property.type)
  }

  /// Deletes rows and returns the keys of those that were deleted.
  func deletion(of keys: [Int64]) -> SQLStatement {
    var statement = SQLStatement("DELETE FROM \(quotedName) WHERE \"\(ColumnNaming.key)\" = ANY(")
    statement.append(statement.keys(keys) + ") RETURNING \"\(ColumnNaming.key)\"")
    return statement
  }

  /// Removes links to rows of a class from arrays: elements of lists and sets, and values of maps,
  /// which become null.
  func removals(of keys: [Int64], className: String) -> [SQLStatement] {
    allFields.compactMap { name, field in
      let isMap: Bool
      switch field {
      case .array(_, _, className): isMap = false
      case .map(_, _, className): isMap = true
      default: return nil
      }
      let column = SQLStatement.quoted(name)
      var statement = SQLStatement("UPDATE \(quotedName) SET \(column) = ARRAY(SELECT ")
      let keys = statement.keys(keys)
      let elements = "FROM unnest(\(column)) WITH ORDINALITY AS e(v, n)"
      statement.append(
        isMap
          ? "CASE WHEN v = ANY(\(keys)) THEN NULL ELSE v END \(elements)"
          : "v \(elements) WHERE v <> ALL(\(keys))")
      statement.append(" ORDER BY n) WHERE \(column) && \(keys)")
      return statement
    }
  }

  /// The columns and values that set a property; nil for one without a single value.
  ///
  /// - Throws: ``PostgresMappingError`` for a value that PostgreSQL cannot hold.
  func assigned(
    _ value: Value, at path: PropertyPath
  ) throws(PostgresMappingError) -> [ColumnValue]? {
    guard path.names.count == 1, let name = path.names.first,
      let field = fields.first(where: { $0.property.name == name }),
      !field.property.isPrimaryKey, field.property.isOptional || !value.isNull
    else { return nil }
    let stored = PostgresValue(value)
    if let problem = stored.problem {
      throw PostgresMappingError(
        subject: "property '\(name)' of class '\(schema.className)'", reason: problem)
    }
    let column = field.property.columnName
    switch (field, value) {
    case (.date, .date(let date)):
      return [
        ColumnValue(column, .int8(date.seconds), .int8),
        ColumnValue(ColumnNaming.nanoseconds(column), .int4(date.nanoseconds), .int4),
      ]
    case (.date, .null):
      return [
        ColumnValue(column, .null, .int8),
        ColumnValue(ColumnNaming.nanoseconds(column), .null, .int4),
      ]
    case (.scalar(let property, let type), _) where value.isNull || value.type == property.type:
      return [ColumnValue(column, stored, type)]
    default: return nil
    }
  }

  /// Sets columns of rows.
  func update(
    of keys: [Int64], to values: [ColumnValue]
  ) -> SQLStatement {
    var statement = SQLStatement("UPDATE \(quotedName) SET ")
    let assignments = values.map {
      "\(SQLStatement.quoted($0.column)) = \(statement.parameter($0.value, $0.type))"
    }
    statement.append(assignments.joined(separator: ", ") + " WHERE \"\(ColumnNaming.key)\" = ANY(")
    statement.append(statement.keys(keys) + ")")
    return statement
  }
}
