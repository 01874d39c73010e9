import CadastreStore

/// A change of an existing store in one transaction.
enum StoreTransaction {
  /// Runs a change and commits it.
  ///
  /// - Parameters:
  ///   - path: The path of the store, which must exist.
  ///   - isDryRun: Whether to roll the change back at the end.
  ///   - body: The change.
  /// - Returns: The result of the change.
  /// - Throws: The error of the change, after it is rolled back, or `StoreError`.
  static func run<Result>(
    on path: String, isDryRun: Bool = false, _ body: (StoreFile, WriteTransaction) throws -> Result
  ) throws -> Result {
    let file = try OpenStores.store(at: path, mustExist: true)
    let transaction = try file.beginWrite()
    do {
      let result = try body(file, transaction)
      if isDryRun { transaction.rollback() } else { try transaction.commit() }
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }
}
