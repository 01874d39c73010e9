package import CadastreStore

/// What the import and the export of files need of a Realm.
extension Realm {
  /// Calls a closure with the store of a Realm that may be written, outside of write transactions,
  /// and moves to the newest version afterwards.
  ///
  /// - Parameter body: The closure, which may write the store.
  /// - Returns: The result of the closure.
  /// - Throws: ``Realm/Error`` `invalidInput` if the Realm is frozen, read-only or in a write
  ///   transaction, ``Realm/Error`` for a `StoreError`, or the error of the closure.
  package func withWritableStore<Result>(_ body: (StoreFile) throws -> Result) throws -> Result {
    core.checkThread()
    guard !core.isFrozen, !core.configuration.readOnly, !core.isInWriteTransaction else {
      throw Error(
        .invalidInput,
        "an import needs a Realm that is neither frozen nor read-only nor in a write transaction",
        core.configuration.fileURL)
    }
    let result = try Error.translating { try body(core.file) }
    _ = core.refresh()
    return result
  }

  /// The name of a class of this Realm.
  ///
  /// - Throws: ``Realm/Error`` `invalidInput` if the Realm has no such class.
  package func className(of type: ObjectBase.Type) throws -> String {
    let name = DetachedObjects.schema(of: type).className
    guard core.schema[name] != nil else {
      throw Error(
        .invalidInput, "the Realm has no class '\(name)': name it in objectTypes",
        core.configuration.fileURL)
    }
    return name
  }
}

extension Results where Element: ObjectBase {
  /// The objects of the result as an export reads them.
  package struct StoredKeys {
    /// The version of the store.
    package let snapshot: Snapshot
    /// The class.
    package let className: String
    /// The keys, in the order of the result.
    package let keys: [Int64]
    /// Whether the result is sorted.
    package let isSorted: Bool
  }

  /// Calls a closure with the keys of the objects.
  ///
  /// - Parameter body: The closure, which may read the store.
  /// - Returns: The result of the closure.
  /// - Throws: ``Realm/Error`` `invalidInput` in a write transaction, whose changes are in no version
  ///   yet, ``Realm/Error`` if the store cannot be read, or the error of the closure.
  package func withStoredKeys<Output>(
    _ body: (StoredKeys) throws -> Output
  ) throws -> Output {
    let (result, core) = (queryResult, queryResult.core)
    let output = core.exclusively {
      Swift.Result<Output, any Error> {
        try Realm.Error.translating {
          guard let snapshot = try core.currentReader() as? Snapshot else {
            throw Realm.Error(
              .invalidInput, "an export reads a committed version: end the write transaction first",
              core.configuration.fileURL)
          }
          let keys = try Realm(core: core).checkingReads { result.keys }
          return try body(
            StoredKeys(
              snapshot: snapshot, className: result.query.className, keys: keys,
              isSorted: !result.query.order.isEmpty))
        }
      }
    }
    return try output.get()
  }
}
