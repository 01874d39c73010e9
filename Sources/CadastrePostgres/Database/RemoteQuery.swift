package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// A query on the tables of a database.
package struct RemoteQuery: Sendable {
  /// The classes and their tables.
  package let classes: RemoteClasses
  /// The query.
  package var bound: BoundQuery

  /// Creates a query from one that is bound to the schema of the classes.
  package init(_ classes: RemoteClasses, _ bound: BoundQuery) {
    self.classes = classes
    self.bound = bound
  }

  /// Returns the statement, after the refinement of points near borders of regions by this library.
  ///
  /// - Parameters:
  ///   - output: The output of the statement.
  ///   - connection: A connection in the transaction that will run the statement.
  /// - Returns: The statement.
  /// - Throws: ``UntranslatablePart`` for a part without exact translation, or ``PostgresError``.
  package func statement(
    _ output: SQLTranslator.Output, _ connection: PostgresConnection
  ) async throws -> SQLStatement {
    let draft = try draft(output)
    return draft.isFinal ? draft.statement : try await completed(output, draft, connection)
  }

  /// Whether all parts of the query have an exact translation.
  var isTranslated: Bool { (try? draft(.keys)) != nil }

  /// A statement that may depend on the results of other statements.
  private struct Draft: Sendable {
    let statement: SQLStatement
    /// The borders near which this library refines the result.
    let borders: [RegionBorder]
    /// Whether the distance of the last of the nearest objects must be read first.
    let needsReach: Bool

    var isFinal: Bool { borders.isEmpty && !needsReach }
  }

  private func draft(_ output: SQLTranslator.Output) throws -> Draft {
    var translator = SQLTranslator(classes)
    let statement = try translator.statement(bound, output)
    let needsReach =
      switch output {
      case .keys, .rows: SQLTranslator.nearest(bound) != nil
      case .count, .aggregates, .groups: false
      }
    return Draft(statement: statement, borders: translator.borders, needsReach: needsReach)
  }

  /// Runs the statements on which a draft depends, and returns the final statement.
  private func completed(
    _ output: SQLTranslator.Output, _ draft: Draft, _ connection: PostgresConnection
  ) async throws -> SQLStatement {
    var corrections: [RegionCorrection] = []
    for border in draft.borders {
      guard let table = classes.tables[border.owner] else {
        throw UntranslatablePart(
          part: border.owner, reason: "the class has no table on the server")
      }
      corrections.append(
        try border.correction(try await connection.run(border.candidates(in: table))))
    }
    var translator = SQLTranslator(classes, corrections: corrections)
    if draft.needsReach, let statement = try translator.reach(bound) {
      let result = try await connection.run(statement)
      if case .float8(let reach) = try result.value(0, 0),
        try result.integer(0, 1) == Int64(bound.rowsNeeded ?? 0)
      {
        translator.reach = reach
      }
    }
    return try translator.statement(bound, output)
  }

  /// Runs a statement of the query; with the statements on which it depends, in one transaction.
  func run(
    _ output: SQLTranslator.Output, _ connection: PostgresConnection
  ) async throws -> ResultBuffer {
    let draft = try draft(output)
    guard !draft.isFinal else { return try await connection.run(draft.statement) }
    return try await connection.transaction(.snapshot) { connection in
      try await connection.run(try await completed(output, draft, connection))
    }
  }

  /// Passes the objects to a closure in the order of the query, with constant memory.
  package func forEachRow(
    _ connection: PostgresConnection,
    _ body: @Sendable (ImportRow) throws -> Void
  ) async throws {
    guard let table = classes.tables[bound.className] else {
      throw UntranslatablePart(
        part: bound.className, reason: "the class has no table on the server")
    }
    try await connection.transaction(.snapshot) { connection in
      try await connection.forEachRow(of: try await statement(.rows, connection)) { result in
        try body(try table.decoded(try result.row(0), table.layout))
      }
    }
  }

  /// Returns the keys of the objects in the order of the query.
  // Swift 6.3.1 crashes when it inlines this into other asynchronous functions.
  @inline(never)
  package func keys(_ connection: PostgresConnection) async throws -> [Int64] {
    try await run(.keys, connection).integers(0)
  }

  /// Returns the number of objects within offset and limit of the query.
  package func count(_ connection: PostgresConnection) async throws -> Int {
    let all = Int(try await run(.count, connection).integer(0, 0))
    return min(max(0, all - bound.offset), bound.limit ?? .max)
  }

  /// Returns aggregates of all objects; null for no values.
  package func aggregates(
    _ terms: [(function: AggregateFunction, path: BoundPath)], _ connection: PostgresConnection
  ) async throws -> [PostgresValue] {
    try await run(.aggregates(terms), connection).row(0)
  }

  /// Returns the plan of the server as text.
  package func explain(_ connection: PostgresConnection) async throws -> String {
    try await connection.transaction(.snapshot) { connection in
      let statement = try await statement(.rows, connection)
      let result = try await connection.run(statement.explained)
      var lines: [String] = []
      for row in 0..<result.rowCount {
        guard case .text(let line) = try result.value(row, 0) else { continue }
        // The expression of a distance takes thousands of characters.
        lines.append(line.count > 160 ? line.prefix(159) + "…" : line)
      }
      return lines.joined(separator: "\n")
    }
  }
}

/// The aggregates of the objects with equal values of some properties.
package struct RemoteGroup: Sendable {
  /// The values.
  package let keys: [Value]
  /// The number of objects.
  package let count: Int
  /// The aggregates.
  package let values: [PostgresValue]
}

extension RemoteQuery {
  /// Returns the groups of objects with equal values, in the order of the values: null first, then NaN.
  ///
  /// - Parameters:
  ///   - paths: The paths of the values; empty for one group of all objects.
  ///   - terms: The aggregates.
  ///   - connection: The connection.
  /// - Returns: The groups.
  /// - Throws: ``UntranslatablePart`` for a part without exact translation, or ``PostgresError``.
  package func groups(
    by paths: [BoundPath], _ terms: [(function: AggregateFunction, path: BoundPath)],
    _ connection: PostgresConnection
  ) async throws -> [RemoteGroup] {
    let result = try await run(.groups(paths, terms), connection)
    return try (0..<result.rowCount).map { try group(try result.row($0)[...], paths) }
  }

  private func group(
    _ row: ArraySlice<PostgresValue>, _ paths: [BoundPath]
  ) throws(PostgresError) -> RemoteGroup {
    var rest = row
    var keys: [Value] = []
    for path in paths {
      guard case .property(let bound)? = path.hops.last,
        let key = Self.key(&rest, bound.property.type)
      else { throw unexpected("the values of '\(path)' have another type") }
      keys.append(key)
    }
    guard case .int8(let count)? = rest.popFirst() else { throw unexpected("there is no count") }
    return RemoteGroup(keys: keys, count: Int(count), values: Array(rest))
  }

  private func unexpected(_ message: String) -> PostgresError {
    PostgresError(.unexpectedValue, "reading groups of '\(bound.className)'", message)
  }

  private static func key(_ rest: inout ArraySlice<PostgresValue>, _ type: PropertyType) -> Value? {
    guard let first = rest.popFirst() else { return nil }
    guard type == .date else { return Value(first, type) }
    switch (first, rest.popFirst()) {
    case (.int8(let seconds), .int4(let nanoseconds)?):
      return .date(Timestamp(seconds: seconds, nanoseconds: Int64(nanoseconds)))
    case (.null, .null?): return .null
    default: return nil
    }
  }
}

extension PostgresValue {
  /// The integer of a sum of integers; nil for other values.
  package var wholeNumber: Int128? {
    switch self {
    case .int8(let value): Int128(value)
    case .numeric(let value): Int128(value.text.prefix { $0 != "E" })
    default: nil
    }
  }
}

/// Changes of the objects of a query, in a transaction.
extension RemoteQuery {
  /// Deletes the objects, and removes them from collections of other objects.
  ///
  /// - Returns: The number of objects.
  func deleteObjects(_ connection: PostgresConnection) async throws -> Int {
    for other in classes.tables.values where other.partitions != nil {
      // A partitioned table has no foreign keys that clear its links.
      if other.allFields.contains(where: { $0.field.property.objectClassName == bound.className }) {
        try other.requireChangeable()
      }
    }
    let keys = try await lockedKeys(connection)
    guard !keys.isEmpty, let table = classes.tables[bound.className] else { return 0 }
    let changed = classes.tables.values.filter {
      !$0.removals(of: keys, className: bound.className).isEmpty
    }
    let check = TableCheck(classes.names, connection)
    try await check.requireChangeable(changed.map(\.schema.className), locks: true)
    try await check.requireAllRows(of: changed.map(\.schema.className), linkedTo: bound.className)
    // A policy or a trigger of the table may prevent deletions; links to these rows stay.
    let deleted = try await connection.run(table.deletion(of: keys)).integers(0)
    guard !deleted.isEmpty else { return 0 }
    for other in changed {
      for statement in other.removals(of: deleted, className: bound.className) {
        try await connection.run(statement)
      }
    }
    return deleted.count
  }

  /// Sets columns of the objects.
  ///
  /// - Returns: The number of objects.
  func setValues(
    _ values: [ColumnValue], _ connection: PostgresConnection
  ) async throws -> Int {
    let keys = try await lockedKeys(connection)
    guard let table = classes.tables[bound.className] else { return 0 }
    return try await connection.run(table.update(of: keys, to: values)).changedRowCount ?? 0
  }

  /// Locks the table until the end of the transaction, and returns the keys of the objects.
  private func lockedKeys(_ connection: PostgresConnection) async throws -> [Int64] {
    guard let table = classes.tables[bound.className] else { return [] }
    try table.requireChangeable()
    try await connection.run(
      SQLStatement("LOCK TABLE \(table.quotedName) IN SHARE ROW EXCLUSIVE MODE"))
    try await TableCheck(classes.names, connection).requireChangeable(
      [table.schema.className], locks: false)
    return try await connection.run(try await statement(.keys, connection)).integers(0)
  }
}
