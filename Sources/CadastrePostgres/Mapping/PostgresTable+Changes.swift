import CadastreModel
import CadastreStore

/// A column and its new value.
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
  /// The statement that returns the keys of all rows, ascending.
  var allKeys: SQLStatement {
    SQLStatement("SELECT \"\(ColumnNaming.key)\" FROM \(quotedName) ORDER BY 1")
  }

  /// Returns the statement that reads the primary keys of rows by their row keys.
  func primaryKeys(_ column: String, of keys: [Int64]) -> SQLStatement {
    var statement = SQLStatement(
      "SELECT \"\(ColumnNaming.key)\", \(SQLStatement.quoted(column)) FROM \(quotedName) "
        + "WHERE \"\(ColumnNaming.key)\" = ANY(")
    statement.append(statement.keys(keys) + ")")
    return statement
  }

  /// Returns the statement that reads row keys by primary keys, and the type of the primary key; nil for a class
  /// without a primary key.
  func search(for primaryKeys: Set<Value>) -> (statement: SQLStatement, type: PropertyType)? {
    guard
      case .scalar(let property, let type)? = fields.first(where: \.property.isPrimaryKey)
    else { return nil }
    let column = SQLStatement.quoted(property.columnName)
    var statement = SQLStatement(
      "SELECT \"\(ColumnNaming.key)\", \(column) FROM \(quotedName) WHERE \(column) = ANY(")
    // Values that PostgreSQL cannot represent match no row.
    let values = primaryKeys.map { PostgresValue($0) }.filter { $0 != .null && $0.problem == nil }
    statement.append(statement.parameter(.array(type, values), .array(type)) + ")")
    if primaryKeys.contains(.null) { statement.append(" OR \(column) IS NULL") }
    return (statement, property.type)
  }

  /// Returns the statement that deletes rows and returns the keys of the deleted rows.
  func deletion(of keys: [Int64]) -> SQLStatement {
    var statement = SQLStatement("DELETE FROM \(quotedName) WHERE \"\(ColumnNaming.key)\" = ANY(")
    statement.append(statement.keys(keys) + ") RETURNING \"\(ColumnNaming.key)\"")
    return statement
  }

  /// Returns the statements that remove links to rows of a class from lists and sets, and set such values of maps
  /// to null.
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

  /// Returns the columns and values that set a property; nil for a property without a single value.
  ///
  /// - Throws: ``PostgresMappingError`` for a value that PostgreSQL cannot represent.
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

  /// Returns the statement that sets columns of rows.
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
