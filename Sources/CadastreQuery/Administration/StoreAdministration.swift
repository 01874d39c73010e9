package import CadastreModel
package import CadastreStore

/// The operations on a store as a whole: its schema, its contents, its correctness and its size.
package struct StoreAdministration {
  private let file: StoreFile

  /// Opens the store in a file, which must exist.
  ///
  /// - Throws: ``StoreError`` when the file is missing or is not a store.
  package init(path: String) throws(StoreError) {
    file = try OpenStores.store(at: path, mustExist: true)
  }

  /// Opens the store in a file for reading, with whatever access this process has it open.
  ///
  /// - Throws: ``StoreError`` when the file is missing or is not a store.
  package init(reading path: String) throws(StoreError) {
    file = try OpenStores.readableStore(at: path)
  }

  /// Returns the classes and their properties.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func schema() throws(StoreError) -> Schema { try file.snapshot().catalogue.schema }

  /// Returns what is wrong with the store, one sentence for each problem.
  ///
  /// - Throws: ``StoreError`` when the store cannot be read at all.
  /// - Complexity: O(n log n) in the size of the store.
  package func problems() throws(StoreError) -> [String] {
    try StoreCheck(file.snapshot()).problems()
  }

  /// Returns the triggers and views of other tools in the file, one sentence each; they do not run.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func foreignParts() throws(StoreError) -> [String] {
    try StoreCheck(file.snapshot()).foreignParts()
  }

  /// Rebuilds wrong indexes and counters from the rows, in one transaction.
  ///
  /// - Returns: What was rebuilt, and the problems that remain, one sentence each.
  /// - Throws: ``StoreError`` when the store cannot be read or written at all.
  /// - Complexity: O(n log n) in the size of the store.
  package func repair() throws(StoreError) -> (rebuilt: [String], problems: [String]) {
    let report = try StoreRepair.run(file)
    return (report.done, report.left)
  }

  /// Stores the columns of classes beside the rows, or removes them.
  ///
  /// - Parameters:
  ///   - storage: The classes.
  ///   - className: The only class whose columns are stored; nil for all.
  /// - Throws: ``StoreError`` when reading or writing fails.
  package func storeColumns(
    _ storage: ColumnStorage, of className: String? = nil
  ) throws(StoreError) {
    try file.storeColumns(storage, of: className)
  }

  /// Returns unused space to the file system, and stores the columns of classes.
  ///
  /// - Throws: ``StoreError`` when reading or writing fails.
  package func compact(storing storage: ColumnStorage = .automatic) throws(StoreError) {
    try file.compact(storing: storage)
  }

  /// Returns the sizes of the store at its newest version.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func size() throws(StoreError) -> StoreContents.Size {
    StoreContents.Size(try file.measure())
  }

  /// Returns the number of objects, the indexes and the sizes.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func contents() throws(StoreError) -> StoreContents {
    let snapshot = try file.snapshot()
    let columns = file.columns.report
    var classes: [StoreContents.Table] = []
    for table in snapshot.catalogue.tables {
      classes.append(.init(table, objects: try snapshot.rowCount(table.schema.className)))
    }
    return StoreContents(
      size: try size(), commits: Int(snapshot.version),
      columnMemoryLimit: columns.budget, columnMemory: columns.byteCount, classes: classes)
  }
}
