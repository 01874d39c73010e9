import CadastreModel
import CadastrePredicate
package import CadastreStore
import Foundation

/// An import of files into a store, in one transaction.
package struct Importer {
  /// The progress of an import.
  package struct Progress: Sendable {
    /// The number of bytes read.
    package var bytes: Int
    /// The number of bytes to read; nil if it is unknown.
    package var totalBytes: Int?
    /// The number of rows read.
    package var rows: Int
    /// The current phase.
    package var phase: Phase

    /// Creates a report of the progress.
    package init(bytes: Int, totalBytes: Int?, rows: Int, phase: Phase) {
      self.bytes = bytes
      self.totalBytes = totalBytes
      self.rows = rows
      self.phase = phase
    }
  }

  /// The phases of an import.
  package enum Phase: String, Sendable {
    case checking = "reading types"
    case storing = "storing"
    case finishing = "indexing and writing"
  }

  private let settings: ImportSettings
  private let openStore: StoreFile?
  private let report: (Progress) throws -> Void
  private let beforeCommit: (ImportReport) throws -> Void

  /// Creates an import.
  ///
  /// - Parameters:
  ///   - settings: The settings of the import.
  ///   - store: The store, if it is open already; nil to open the one that the settings name.
  ///   - progress: Called at intervals and at the start of each phase; if it throws, the
  ///     transaction is rolled back.
  ///   - beforeCommit: Called when all rows are stored; if it throws, the transaction is rolled back.
  package init(
    _ settings: ImportSettings, into store: StoreFile? = nil,
    progress: @escaping (Progress) throws -> Void = { _ in },
    beforeCommit: @escaping (ImportReport) throws -> Void = { _ in }
  ) {
    self.settings = settings
    openStore = store
    report = progress
    self.beforeCommit = beforeCommit
  }

  /// Runs the import.
  ///
  /// The files are read twice: the first pass infers the schema from every record, the second pass
  /// stores them. In both passes another thread reads the records, and in the second it converts them.
  /// With a limit and without a condition, both passes end at the last record that the limit can need.
  ///
  /// - Returns: The numbers of rows and the rejected rows.
  /// - Throws: ``DatasetError``, ``ImportError``, `StoreError`, ``QueryPredicateError`` or the error of a
  ///   closure; the transaction is rolled back.
  /// - Complexity: O(n log n) in the number of rows.
  package func run() throws -> ImportReport {
    let start = ContinuousClock().now
    let files = try InputFolder.files(settings.files).map { try InputFile($0) }
    var result = try imported(files)
    let duration = (ContinuousClock().now - start).components
    result.seconds = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    return result
  }

  /// Chooses the format and runs both passes.
  private func imported(_ files: [InputFile]) throws -> ImportReport {
    let format = try settings.format ?? FormatDescriptor.common(of: files)
    if let option = settings.table.used.first { try ImportOption.table.check(option, format) }
    if settings.referenceSystem != nil { try ImportOption.referenceSystem.check("--crs", format) }
    if settings.layer != nil { try ImportOption.layer.check("--layer", format) }
    if settings.records != nil { try ImportOption.records.check("--records", format) }
    if format.needsRandomAccess { for file in files { try file.complete() } }
    return try run(try format.reader(settings, files), files)
  }

  private func run(_ dataset: some Dataset, _ files: [InputFile]) throws -> ImportReport {
    var dataset = dataset
    var parts: [FilePart] = []
    var remaining = settings.maximumRecords
    var first = FirstPass()
    for file in files where remaining != 0 {
      let count = try observe(file, atMost: remaining, &dataset, &first)
      remaining = remaining.map { max($0 - count, 0) }
      let isCounted = remaining != nil && !dataset.declaresTypes
      parts.append(FilePart(file: file, maximumRecords: isCounted ? count : nil))
    }
    var inferred = try dataset.inferredSchema
    if let types = settings.types {
      inferred.fields = try ColumnTypes(types).applied(to: inferred.fields)
    }
    if let columns = settings.columns, !dataset.selectsColumns { try inferred.select(columns) }
    if inferred.fields.isEmpty, !inferred.hasLocation, !dataset.declaresTypes {
      if let error = first.error, first.validRecords == 0 { throw error }
      if first.records == 0 { return Self.emptyReport(dataset.notices) }
    }
    return try store(parts, dataset, inferred)
  }

  /// The report of an import of files without records, which changes nothing.
  private static func emptyReport(_ notices: [String]) -> ImportReport {
    var report = ImportReport()
    report.notices = notices + ["the files have no records; the store is not changed"]
    return report
  }

  // MARK: First pass

  /// A file and the number of its records that the second pass reads; nil for all.
  private struct FilePart {
    let file: InputFile
    let maximumRecords: Int?
  }

  /// What the first pass has found.
  private struct FirstPass {
    /// The number of records, invalid ones included.
    var records = 0
    /// The number of valid records.
    var validRecords = 0
    /// The error of the first invalid record; nil if all are valid.
    var error: DatasetError?
  }

  /// Infers the schema from at most `maximum` records of a file; returns their number.
  private func observe<Source: Dataset>(
    _ file: InputFile, atMost maximum: Int?, _ dataset: inout Source, _ first: inout FirstPass
  ) throws -> Int {
    do {
      let reader = try dataset.open(file.path)
      if dataset.declaresTypes { return 0 }
      let queue = BatchQueue<ReadBatch<Source.Reader.Record>>(capacity: 2)
      let maximum = dataset.needsAllRecords(of: file.path) ? nil : maximum
      ReadingThread(reader, atMost: maximum ?? .max, queue).start()
      defer { queue.cancel() }
      var rows = 0
      while var batch = try queue.pop() {
        batch.forEach { record in
          dataset.observe(record)
          first.validRecords += 1
        }
        first.error = first.error ?? batch.firstError.map(file.named)
        first.records += batch.rows
        rows += batch.rows
        batch.releaseLongRecords()
        try report(
          Progress(
            bytes: batch.bytes, totalBytes: batch.totalBytes, rows: rows, phase: .checking))
        queue.recycle(consume batch)
      }
      return rows
    } catch let error as DatasetError {
      throw file.named(error)
    }
  }

  // MARK: Second pass

  private func store(
    _ files: [FilePart], _ dataset: some Dataset, _ inferred: DatasetSchema
  ) throws -> ImportReport {
    var report = try storeRecords(files, dataset, inferred)
    if let notice = storeColumns(report) { report.notices.insert(notice, at: 0) }
    return report
  }

  private func storeRecords(
    _ files: [FilePart], _ dataset: some Dataset, _ inferred: DatasetSchema
  ) throws -> ImportReport {
    if let openStore { return try store(files, dataset, inferred, in: openStore) }
    let existed = FileManager.default.fileExists(atPath: settings.store)
    if settings.isDryRun {
      let file = try OpenStores.store(at: settings.store)
      return try store(
        files, dataset, inferred,
        in: existed ? file : OpenStores.temporaryStore(UUID().uuidString))
    }
    return try NewStore.create(at: settings.store) { file in
      try store(files, dataset, inferred, in: file)
    } ?? store(files, dataset, inferred, in: OpenStores.store(at: settings.store))
  }

  /// Stores the records, in a second transaction if new objects require another change of the
  /// class.
  private func store(
    _ files: [FilePart], _ dataset: some Dataset, _ inferred: DatasetSchema,
    in file: StoreFile
  ) throws -> ImportReport {
    do {
      return try store(files, dataset, inferred, settings, in: file)
    } catch is IncompleteObject {
      var settings = settings
      settings.takesIncompleteObjects = true
      return try store(files, dataset, inferred, settings, in: file)
    }
  }

  /// Stores the records in a transaction, which an error rolls back.
  private func store(
    _ files: [FilePart], _ dataset: some Dataset, _ inferred: DatasetSchema,
    _ settings: ImportSettings, in file: StoreFile
  ) throws -> ImportReport {
    let transaction = try file.beginWrite()
    do {
      guard
        !inferred.fields.isEmpty || inferred.hasLocation
          || transaction.catalogue.layout(settings.className) != nil
      else {
        throw ImportError(
          "there is no field to import; expected a row or an object with at least one field")
      }
      let before = transaction.catalogue.layout(settings.className)
      let imported = try ImportedClass(settings, inferred, stored: transaction.catalogue.schema)
      if let alteration = imported.alteration {
        try alteration.apply(to: transaction, from: try file.snapshotBeforeWriting())
      }
      try transaction.adopt(imported.schema)
      guard let layout = transaction.catalogue.layout(settings.className) else {
        throw ImportError("class '\(settings.className)' has no table")
      }
      try registerDays(imported.dayPaths(of: inferred), layout, before: before, transaction)
      let target = RowTarget(
        imported: imported, layout: layout, catalogue: transaction.catalogue,
        conversion: settings.conversion)
      if settings.keyPolicy == .fail {
        try transaction.suspendIndexes(of: settings.className)
      }
      let converter = try dataset.converter(target)
      var loader = try RowLoader(settings, target, properties: converter.properties, transaction)
      for file in files where !loader.isComplete { try read(file, dataset, converter, &loader) }
      try report(Progress(bytes: 1, totalBytes: 1, rows: loader.report.read, phase: .finishing))
      try loader.deleteMissing(transaction)
      try beforeCommit(loader.report)
      if settings.isDryRun {
        transaction.rollback()
      } else {
        try transaction.commitRecorded(in: file)
      }
      var result = loader.report
      result.fields = inferred.fields.filter { !$0.isIgnored }
      result.notices =
        dataset.notices + settings.remarks.notices + imported.notices(of: inferred)
      result.alterations = imported.alteration?.changes ?? []
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// The beginning of a notice about columns that could not be stored.
  package static let missingColumns =
    "the columns are not stored beside the rows, so that first queries take longer"

  /// Stores the columns of the class after an import of as many rows as a segment has, and returns why it could not.
  private func storeColumns(_ report: ImportReport) -> String? {
    guard !settings.isDryRun, settings.columnStorage != .never,
      report.inserted + report.updated >= KeySegment.capacity
    else { return nil }
    do throws(StoreError) {
      // A new store has readers only after it was published.
      let file = if let openStore { openStore } else { try OpenStores.store(at: settings.store) }
      try file.storeColumns(settings.columnStorage, of: settings.className)
      return nil
    } catch {
      // The objects are committed.
      return "\(Self.missingColumns): \(error)"
    }
  }

  /// Registers the new columns that contain days.
  private func registerDays(
    _ dayPaths: [String], _ layout: TableLayout, before: TableLayout?,
    _ transaction: WriteTransaction
  ) throws(StoreError) {
    let days = Set(dayPaths)
    let old = Set(before?.columns.map(\.name) ?? [])
    let new = layout.columns.filter { $0.type == .date && !old.contains($0.name) }.map(\.name)
    let columns = days.intersection(new)
    if !columns.isEmpty { try transaction.addDayColumns(columns, of: layout) }
  }

  private func read<Source: Dataset>(
    _ part: FilePart, _ dataset: Source, _ converter: Source.Converter, _ loader: inout RowLoader
  ) throws {
    let file = part.file
    let queue = BatchQueue<RecordBatch>(capacity: 8)
    ConversionThread(file, dataset, converter, queue, atMost: part.maximumRecords).start()
    defer { queue.cancel() }
    while let batch = try queue.pop() {
      try report(
        Progress(
          bytes: batch.bytes, totalBytes: batch.totalBytes, rows: loader.report.read,
          phase: .storing))
      for record in batch.records {
        try loader.load(record, file.name)
        if loader.isComplete { return }
      }
      try loader.storePending(file.name)
      queue.recycle(consume batch)
    }
  }
}
