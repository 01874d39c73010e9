import CSQLite

extension Connection {
  /// Prepares one statement of the program that only reads rows.
  ///
  /// - Parameter sql: The text.
  /// - Returns: The statement, which is not cached.
  /// - Throws: ``SQLError`` where the text is no query, ``StoreError`` where reading fails.
  package func query(_ sql: String) throws -> Statement {
    guard !sql.utf8.contains(0) else {
      throw SQLError(
        .invalidText, in: sql, found: "a character NUL", expected: "it in an argument only")
    }
    let authorizer = queryAuthorizer
    return try authorizer.whileActive {
      Result { try sql.withCString { try self.query($0, sql, authorizer) } }
    }.get()
  }

  private func query(
    _ text: UnsafePointer<CChar>, _ sql: String, _ authorizer: QueryAuthorizer
  ) throws -> Statement {
    var (handle, rest) = (OpaquePointer?.none, Optional(text))
    let code = sqlite3_prepare_v3(self.handle, text, -1, 0, &handle, &rest)
    guard code == SQLITE_OK else {
      if let refused = authorizer.refused {
        throw SQLError(.notAQuery, in: sql, found: refused, expected: Self.expected)
      }
      guard code & 0xFF == SQLITE_ERROR || code & 0xFF == SQLITE_TOOBIG else {
        throw error(code, statement: sql)
      }
      throw SQLError(
        .invalidText, in: sql, found: "an error (\(String(cString: sqlite3_errmsg(self.handle))))",
        expected: "an SQL query of tables and columns of the store")
    }
    guard let handle else {
      throw SQLError(.notAQuery, in: sql, found: "no statement", expected: Self.expected)
    }
    let statement = Statement(handle, sql, on: self)
    guard sqlite3_stmt_readonly(handle) != 0, statement.columnCount > 0 else {
      throw SQLError(
        .notAQuery, in: sql, found: "a statement that writes or returns no rows",
        expected: Self.expected)
    }
    try requireNoStatement(rest, sql)
    return statement
  }

  /// Checks that only spaces and comments follow a statement.
  private func requireNoStatement(_ text: UnsafePointer<CChar>?, _ sql: String) throws(SQLError) {
    var rest = text
    while let start = rest, start.pointee != 0 {
      var next: OpaquePointer?
      let code = sqlite3_prepare_v3(handle, start, -1, 0, &next, &rest)
      guard code == SQLITE_OK, next == nil, rest != start else {
        sqlite3_finalize(next)
        throw SQLError(
          .severalStatements, in: sql, found: "text after the statement", expected: "one statement")
      }
    }
  }

  private static let expected = "a query that only reads: SELECT, VALUES, or WITH before them"
}

extension Statement {
  /// Checks that there are as many arguments as placeholders.
  ///
  /// - Throws: ``SQLError``.
  package func requireArguments(_ count: Int) throws(SQLError) {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard count != expected else { return }
    throw SQLError(
      .wrongNumberOfArguments, in: sql, found: "\(count) arguments",
      expected: "\(expected), one for each placeholder")
  }
}
