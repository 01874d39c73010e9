import CSQLite

/// The keys of entries of an index, and an integer of each, which an SQL function collects while a statement runs.
///
/// This takes about half as long as returning the entries one by one.
package final class CollectedEntries {
  /// The keys, in the order in which the statement reads the entries.
  @exclusivity(unchecked) package private(set) var keys: [Int64] = []
  /// The integers of the entries, where the statement reads one: nil for null and values of other types.
  @exclusivity(unchecked) package private(set) var integers: [Int64?] = []
  private let limit: Int

  /// Prepares to collect entries.
  ///
  /// - Parameter limit: The largest number of entries.
  package init(limit: Int) { self.limit = limit }

  /// Adds an entry; returns false where there are more than the limit.
  fileprivate func add(_ values: UnsafeMutablePointer<OpaquePointer?>, _ count: Int32) -> Bool {
    guard keys.count < limit else { return false }
    keys.append(sqlite3_value_int64(values[0]))
    guard count > 1 else { return true }
    let isInteger = sqlite3_value_type(values[1]) == SQLITE_INTEGER
    integers.append(isInteger ? sqlite3_value_int64(values[1]) : nil)
    return true
  }
}

// Not Sendable: a statement writes to it.
@available(*, unavailable)
extension CollectedEntries: Sendable {}

extension Connection {
  /// The SQL aggregate function of a key, and of an integer if there is one, that adds an entry to those of the running
  /// statement.
  package static let entryFunction = "cadastre_collect_entry"

  /// Runs a statement whose only result is a call of ``entryFunction``.
  ///
  /// - Parameters:
  ///   - entries: Receives the entries.
  ///   - text: The statement.
  ///   - bind: Binds the parameters.
  /// - Returns: Whether all entries were collected, not only the first ones up to the limit.
  /// - Throws: ``StoreError`` when reading fails.
  package func collect(
    _ entries: CollectedEntries, of text: SQLText,
    binding bind: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    let target = if let collectedEntries { collectedEntries } else { try makeEntryFunction() }
    let statement = try statement(text)
    try bind(statement)
    target.pointee = Unmanaged.passUnretained(entries).toOpaque()
    defer {
      target.pointee = nil
      withExtendedLifetime(entries) {}
    }
    return try statement.runFunction() == .ended
  }

  private func makeEntryFunction() throws(StoreError) -> UnsafeMutablePointer<
    UnsafeMutableRawPointer?
  > {
    let target = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    target.initialize(to: nil)
    collectedEntries = target
    try makeCollector(Self.entryFunction, target) { context, count, values in
      // Without entries, as in a query of the program, the function does nothing.
      guard let context, let values, count > 0,
        let entries = sqlite3_user_data(context)?
          .assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
      else { return }
      let isAdded = Unmanaged<CollectedEntries>.fromOpaque(entries)
        ._withUnsafeGuaranteedRef { $0.add(values, count) }
      if !isAdded { sqlite3_result_error_code(context, SQLITE_ABORT) }
    }
    return target
  }
}
