public import Cadastre
import CadastreDatasets
import CadastreStore
public import Foundation

/// The options of an export of objects to a file.
public struct FileExportOptions: Sendable {
  /// The fields to write: paths and calculations, as in `name` or `population / 1000 as thousands`; nil for all.
  public var fields: [String]?
  /// The number of rows in a row group of a Parquet file.
  public var rowGroupSize = ObjectExport.defaultGroupRows
  /// Whether an apostrophe precedes texts in CSV that a spreadsheet would run as formulas.
  ///
  /// These begin with `=`, `+`, `-`, `@`, a tab or a carriage return and are not numbers. An import reads the apostrophe as
  /// part of the text.
  public var guardsFormulas = false
  /// Whether an existing file is replaced.
  public var overwrites = false

  /// Creates options that write all fields to a new file.
  public init() {}
}

extension Results where Element: Object {
  /// Writes the objects to a file.
  ///
  ///     try realm.objects(Airport.self).where { $0.country == "FR" }.export(to: url)
  ///
  /// The extension of the name decides the format: `.csv`, `.geojson`, `.geojsonl`, `.gpkg`, `.parquet`, `.fgb`, `.kml`,
  /// `.kmz` or `.gpx`; text formats with `.gz` are compressed. The file gets its name when it is complete. Parquet files are
  /// GeoParquet 1.1, in the order of the result if it is sorted, otherwise in the order of a Hilbert curve.
  ///
  /// In a task that is cancelled the call throws `CancellationError`. Frozen results can be exported on another thread.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - options: The options.
  ///   - progress: Called at intervals; the export fails with an error that it throws.
  /// - Returns: The number of objects.
  /// - Throws: ``FileTransferError`` if the name has no known extension or the file cannot be written,
  ///   `QueryPredicateError` for an unknown field, `Realm.Error` if the store cannot be read or the Realm is in a write
  ///   transaction, `CancellationError`, or the error of the closure. No file is left then.
  /// - Complexity: O(n log n) in the number of objects.
  @discardableResult
  public func export(
    to url: URL, options: FileExportOptions = FileExportOptions(),
    progress: (FileProgress) throws -> Void = { _ in }
  ) throws -> Int {
    guard url.isFileURL, let format = FormatDescriptor.writable(byFile: url.path) else {
      throw FileTransferError(
        refused:
          "'\(url.path)' has no known extension; expected \(FormatDescriptor.writableExtensions())",
        url)
    }
    if let objection = format.objection(to: url.path) {
      throw FileTransferError(refused: objection, url)
    }
    guard options.rowGroupSize > 0 else {
      throw FileTransferError(refused: "rowGroupSize must be positive", url)
    }
    return try withoutActuallyEscaping(progress) { progress in
      try withStoredKeys { stored in
        try FileTransferError.translating {
          let rules = OutputRules(
            replacing: options.overwrites ? .all : .none, stores: OpenStores.openPaths)
          let file = try OutputFile(
            path: url.path, rules, compression: FormatDescriptor.compression(path: url.path))
          var query = try StoreQuery(stored.snapshot, className: stored.className)
          query.progress = { rows in
            try Task.checkCancellation()
            try progress(FileProgress(written: rows, of: stored.keys.count))
          }
          var export = ObjectExport(query, format)
          export.keys = stored.keys
          export.keepsOrder = stored.isSorted
          export.select = options.fields.map { $0.joined(separator: ",") }
          export.groupRows = options.rowGroupSize
          export.guardsFormulas = options.guardsFormulas
          return try export.write(to: .file(file))
        }
      }
    }
  }
}
