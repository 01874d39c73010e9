package import CadastreModel
package import CadastrePredicate

/// The aggregates of the objects that are equal in some values.
package struct RemoteGroup: Sendable {
  /// The values.
  package let keys: [Value]
  /// The number of objects.
  package let count: Int
  /// The aggregates.
  package let values: [PostgresValue]
}

extension RemoteQuery {
  /// The groups of objects that are equal in some values, in order of these: null first, then NaN.
  ///
  /// - Parameters:
  ///   - paths: The paths of the values; none for one group of all objects.
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
