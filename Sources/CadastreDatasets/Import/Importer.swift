import CadastreModel
import CadastrePredicate
import CadastreStore
import Foundation

/// Brings files into a store, in one transaction: all of it, or nothing.
package struct Importer {
  /// How far an import is.
  package struct Progress: Sendable {
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
  /// The files are read twice: once to learn from every record what their fields hold, once to store.
  /// The second time a thread reads and converts while this one stores.
  ///
  /// - Throws: ``DatasetError``, ``ImportError``, `StoreError` or ``QueryPredicateError``; the store
  ///   is then as it was.
  package func run() throws -> ImportReport {
    let start = ContinuousClock().now
    let files = try settings.files.map { try InputFile($0) }
    var result = try imported(files)
    let duration = (ContinuousClock().now - start).components
    result.seconds = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    return result
  }

  /// Chooses the format; all that follows is the same for each.
  private func imported(_ files: [InputFile]) throws -> ImportReport {
    let format = try settings.format ?? FileFormat(files)
    switch format {
    case .csv, .tsv, .geonames:
      return try run(TableFormat(settings, format), files)
    case .geojson: return try run(JSONFormat(nil), files)
    case .geojsonseq: return try run(JSONFormat(.sequence), files)
    case .shp:
      return try run(
        TypedFormat { path throws(DatasetError) in try ShapefileReader(path: path) }, files)
    case .gpkg:
      return try run(
        TypedFormat { [settings] path throws(DatasetError) in
          try GeoPackageReader(path: path, layer: settings.layer)
        }, files)
    }
  }

  private func run(_ format: some DatasetFormat, _ files: [InputFile]) throws -> ImportReport {
    var format = format
    for file in files { try observe(file, &format) }
    var inferred = try format.inferredSchema
    if let types = settings.types {
      inferred.fields = try ColumnTypes(types).applied(to: inferred.fields)
    }
    return try store(files, format, inferred)
  }

  // MARK: First pass

  private func observe<Format: DatasetFormat>(_ file: InputFile, _ format: inout Format) throws {
    do throws(DatasetError) {
      let reader = try format.open(file.path)
      var record = Format.Reader.Record()
      var rows = 0
      while true {
        var isWhole = true
        do throws(DatasetError) {
          guard try reader.next(&record) else { return }
        } catch {
          guard error.scope == .row else { throw error }
          isWhole = false
        }
        if isWhole { format.observe(record) }
        if rows % 4096 == 0 {
          report(
            Progress(
              bytes: reader.progressBytes, totalBytes: reader.totalBytes, rows: rows + 1,
              phase: .checking))
        }
        rows += 1
      }
    } catch {
      throw file.named(error)
    }
  }

  // MARK: Second pass

  private func store(
    _ files: [InputFile], _ format: some DatasetFormat, _ inferred: DatasetSchema
  ) throws -> ImportReport {
    let existed = FileManager.default.fileExists(atPath: settings.store)
    let transaction = try file(existed).beginWrite()
    do {
      let imported = try ImportedClass(settings, inferred, stored: transaction.catalogue.schema)
      try transaction.adopt(imported.schema)
      guard let layout = transaction.catalogue.layout(settings.className) else {
        throw ImportError("class '\(settings.className)' has no table")
      }
      let target = RowTarget(
        imported: imported, layout: layout, catalogue: transaction.catalogue)
      let converter = format.converter(target)
      var load = try ImportLoad(settings, target, properties: converter.properties, transaction)
      for file in files where !load.isFull { try read(file, format, converter, into: &load) }
      report(Progress(bytes: 1, totalBytes: 1, rows: load.report.read, phase: .finishing))
      if settings.isDryRun { transaction.rollback() } else { try transaction.commit() }
      var result = load.report
      result.fields = inferred.fields
      return result
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

  private func read<Format: DatasetFormat>(
    _ file: InputFile, _ format: Format, _ converter: Format.Converter, into load: inout ImportLoad
  ) throws {
    let queue = RowQueue()
    RecordReading(file, format, converter, queue).start()
    defer { queue.cancel() }
    while let batch = try queue.pop() {
      report(
        Progress(
          bytes: batch.bytes, totalBytes: batch.totalBytes, rows: load.report.read,
          phase: .storing))
      for record in batch.records {
        try load.take(record, file.name)
        if load.isFull { return }
      }
    }
  }
}
