import CadastreModel
import CadastrePredicate
import CadastreStore
import Foundation

/// Brings files into a store, in one transaction: all of it, or nothing.
package struct Importer {
  /// How far an import is.
  package struct Progress {
    /// Bytes read of `totalBytes`.
    package var bytes: Int
    /// Bytes to read; nil when nobody knows.
    package var totalBytes: Int?
    /// Rows read.
    package var rows: Int
    /// What is being done.
    package var phase: Phase
  }

  /// The parts of an import.
  package enum Phase: String, Sendable {
    case checking = "reading types"
    case storing = "storing"
    case finishing = "indexing and writing"
  }

  private let settings: ImportSettings
  private let report: (Progress) -> Void

  /// Prepares an import; `progress` is called now and then, and at the start of each phase.
  package init(_ settings: ImportSettings, progress: @escaping (Progress) -> Void = { _ in }) {
    self.settings = settings
    report = progress
  }

  /// Imports.
  ///
  /// The files are read twice: once to learn the types of their columns from every row, once to
  /// store.
  ///
  /// - Throws: ``DatasetError``, ``ImportError``, `StoreError` or ``QueryPredicateError``; the store
  ///   is then as it was.
  package func run() throws -> ImportReport {
    let start = ContinuousClock().now
    let (header, guesses) = try columns()
    var result = try store(header, guesses)
    let duration = (ContinuousClock().now - start).components
    result.seconds = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    return result
  }

  // MARK: First pass

  private func columns() throws -> (header: [String], guesses: [ColumnGuess]) {
    var header: [String] = []
    var guess = TypeGuess(header: [])
    for (number, path) in settings.files.enumerated() {
      let reader = try reader(path)
      guard reader.totalBytes != nil else {
        throw ImportError(
          "\(path): is a pipe or a device; an import reads its files twice, so expected a file")
      }
      if number == 0 {
        header = reader.header
        guess = TypeGuess(header: header, nullText: settings.nullText)
      }
      guard reader.header == header else {
        throw ImportError(
          "\(path): its columns are \(reader.header.joined(separator: ", ")); expected those of "
            + "\(settings.files[0]): \(header.joined(separator: ", "))")
      }
      try eachRecord(reader, .checking) { record, error in
        if error == nil { guess.observe(record) }
        return true
      }
    }
    let guesses = guess.guesses
    guard let types = settings.types else { return (header, guesses) }
    return (header, try ColumnTypes(types).applied(to: guesses))
  }

  private func reader(_ path: String) throws(DatasetError) -> CSVReader {
    try CSVReader(path: path, options: settings.format ?? CSVOptions())
  }

  /// Goes through the rows of a file until the closure says no.
  ///
  /// A row that cannot be read comes with its error.
  private func eachRecord(
    _ reader: CSVReader, _ phase: Phase,
    _ body: (borrowing CSVRecord, DatasetError?) throws -> Bool
  ) throws {
    var record = CSVRecord()
    var rows = 0
    while true {
      var problem: DatasetError?
      do throws(DatasetError) {
        guard try reader.nextRecord(&record) else { return }
      } catch {
        guard error.scope == .row else { throw error }
        problem = error
      }
      rows += 1
      if rows % 4096 == 1 {
        report(
          Progress(
            bytes: reader.progressBytes, totalBytes: reader.totalBytes, rows: rows, phase: phase))
      }
      guard try body(record, problem) else { return }
    }
  }

  // MARK: Second pass

  private func store(_ header: [String], _ guesses: [ColumnGuess]) throws -> ImportReport {
    let existed = FileManager.default.fileExists(atPath: settings.store)
    let transaction = try file(existed).beginWrite()
    do {
      let imported = try ImportedClass(
        settings, header: header, guesses: guesses, stored: transaction.catalogue.schema)
      try transaction.adopt(imported.schema)
      var load = try ImportLoad(settings, imported, header, transaction)
      try read(into: &load)
      report(Progress(bytes: 1, totalBytes: 1, rows: load.report.read, phase: .finishing))
      if settings.isDryRun { transaction.rollback() } else { try transaction.commit() }
      return load.report
    } catch {
      // A store that was made for this import goes again, while nobody else can write to it.
      if !existed, transaction.version == 1 {
        for suffix in StoreFile.fileSuffixes { unlink(settings.store + suffix) }
      }
      transaction.rollback()
      throw error
    }
  }

  /// The store; for a dry run into a store that is not there, one that vanishes.
  private func file(_ existed: Bool) throws -> StoreFile {
    let file = try OpenStores.store(at: settings.store)
    return settings.isDryRun && !existed
      ? try OpenStores.temporaryStore(UUID().uuidString) : file
  }

  private func read(into load: inout ImportLoad) throws {
    for path in settings.files where !load.isFull {
      try eachRecord(reader(path), .storing) { record, problem in
        try load.take(record, problem, path)
        return !load.isFull
      }
    }
  }
}
