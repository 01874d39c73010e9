public import Cadastre
import CadastreDatasets
public import Foundation

extension Realm {
  /// Imports files into a class, in one transaction.
  ///
  ///     let report = try realm.importFiles([url], into: Airport.self) { print($0.fraction ?? 0) }
  ///
  /// The formats are those of `cadastre import`: tables, GeoJSON, Parquet and GeoParquet, FlatGeobuf, GeoPackage, Shapefile,
  /// KML, GPX and TopoJSON, detected from names and first bytes. The fields of the records have the names
  /// of properties; properties without a field must be optional, or the records update objects, which keep
  /// them. The geometry of a record becomes the property `geometry` where the class has it, else `location`, an embedded
  /// point. Longitude and latitude in columns become `location`, else `geometry`.
  ///
  /// The call returns when the transaction is committed, and the Realm is at that version. In a task that is cancelled it
  /// throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - files: The files, all of one format. A folder means all Parquet files in it.
  ///   - type: The class.
  ///   - options: The options.
  ///   - progress: Called at intervals; the import fails with an error that it throws.
  /// - Returns: The numbers of records and objects, and the rejected records.
  /// - Throws: ``FileTransferError`` for a file that cannot be read or does not fit the class, `QueryPredicateError` for
  ///   an invalid predicate, `Realm.Error` for the store or in a write transaction, `CancellationError`, or the error of
  ///   the closure. Nothing is stored then.
  /// - Complexity: O(n log n) in the number of records, with constant memory.
  @discardableResult
  public func importFiles(
    _ files: [URL], into type: Object.Type, options: FileImportOptions = FileImportOptions(),
    progress: (FileProgress) throws -> Void = { _ in }
  ) throws -> FileImportReport {
    let settings = try options.settings(files, className: try className(of: type))
    return try withoutActuallyEscaping(progress) { progress in
      try withWritableStore { store in
        try FileTransferError.translating {
          let importer = Importer(settings, into: store) { current in
            try Task.checkCancellation()
            try progress(FileProgress(current))
          }
          return FileImportReport(try importer.run())
        }
      }
    }
  }
}

extension FileProgress {
  fileprivate init(_ progress: Importer.Progress) {
    phase =
      switch progress.phase {
      case .checking: .checking
      case .storing: .transferring
      case .finishing: .finishing
      }
    rows = progress.rows
    fraction = progress.totalBytes.map { total in
      total > 0 ? min(1, Double(progress.bytes) / Double(total)) : 1
    }
  }
}
