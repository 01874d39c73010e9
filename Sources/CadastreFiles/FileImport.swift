public import Cadastre
import CadastreDatasets
public import CadastreGeometry
public import CadastrePredicate
public import Foundation

/// The options of an import of files into a Realm.
public struct FileImportOptions: Sendable {
  /// The treatment of records whose primary key is stored already.
  public enum ExistingObjects: Hashable, Sendable {
    /// The record is rejected.
    case reject
    /// The object gets the values of the fields that the record has, and keeps all others.
    case update
    /// The record is skipped.
    case skip
  }

  /// The treatment of geometries that are invalid, such as polygons whose rings cross.
  public enum InvalidGeometries: Hashable, Sendable {
    /// The record is rejected.
    case reject
    /// The geometry is stored as it is.
    case keep
    /// The geometry is made valid in longitude and latitude.
    case repair
  }

  /// The treatment of records whose primary key is stored already.
  public var existingObjects = ExistingObjects.reject
  /// The treatment of invalid geometries.
  public var invalidGeometries = InvalidGeometries.reject
  /// The fields that are imported, `geometry` for the geometries of the records; nil for all.
  public var columns: [String]?
  /// The layer of a GeoPackage, GPX or TopoJSON file that has several.
  public var layer: String?
  /// The reference system of the coordinates, such as `EPSG:27700`; nil for that of the files, else WGS 84.
  ///
  /// The library PROJ converts the coordinates; it is loaded at run time where it is installed.
  public var referenceSystem: String?
  /// Whether longitudes beyond ±180°, up to ±540°, are moved into the range; otherwise their records are rejected.
  public var wrapsLongitudes = false
  /// The texts that mean null in text tables.
  public var nullTexts = [""]
  /// The predicate that selects records, on the properties of the class; nil for all.
  ///
  /// Comparisons with constants let the import skip row groups and pages of Parquet files.
  public var predicate: QueryPredicate?
  /// The box in which the location of a record must be; nil for all.
  ///
  /// A box whose west is greater than its east crosses ±180°.
  /// The import skips row groups and pages of Parquet files, and features of FlatGeobuf files with an index, that are
  /// outside of the box.
  public var bounds: Envelope?
  /// The maximum number of objects to store; nil for no limit.
  public var limit: Int?
  /// The number of records that may be rejected before the import fails.
  public var maximumRejections = 0

  /// Creates options that import all records.
  public init() {}

  /// Returns the settings of an import.
  func settings(_ files: [URL], className: String) throws(FileTransferError) -> ImportSettings {
    var settings = ImportSettings(files: files.map(\.path), store: "", className: className)
    settings.keyPolicy =
      switch existingObjects {
      case .reject: .fail
      case .update: .update
      case .skip: .skip
      }
    settings.invalidShapes =
      switch invalidGeometries {
      case .reject: .reject
      case .keep: .keep
      case .repair: .repair
      }
    settings.columns = columns
    settings.layer = layer
    settings.referenceSystem = referenceSystem
    settings.wrapsLongitudes = wrapsLongitudes
    settings.nullTexts = nullTexts
    settings.predicate = predicate
    if let bounds {
      guard let box = BoundingBox(bounds.west, bounds.south, bounds.east, bounds.north) else {
        throw FileTransferError(
          refused:
            "bounds: expected numbers with south <= north, found south \(bounds.south) and north \(bounds.north)"
        )
      }
      settings.bounds = box
    }
    guard limit ?? 0 >= 0, maximumRejections >= 0 else {
      throw FileTransferError(refused: "limit and maximumRejections must not be negative")
    }
    settings.limit = limit
    settings.maximumRejects = maximumRejections
    return settings
  }
}

/// The result of an import of files.
public struct FileImportReport: Hashable, Sendable {
  /// A record that was not stored.
  public struct Rejection: Hashable, Sendable {
    /// The path of the file.
    public let file: String
    /// The first line of the record, from 1; nil in formats without lines.
    public let line: Int?
    /// The number of the record, from 1, in formats without lines.
    public let record: Int?
    /// What was found and what was expected.
    public let reason: String
  }

  /// The number of records that were read.
  public let readCount: Int
  /// The number of new objects.
  public let insertedCount: Int
  /// The number of objects with changed values.
  public let updatedCount: Int
  /// The number of objects that were equal to their records.
  public let unchangedCount: Int
  /// The number of records that the options excluded.
  public let skippedCount: Int
  /// The rejected records.
  public let rejections: [Rejection]
  /// Notices about content that was changed or left out, one clause each.
  public let notices: [String]

  init(_ report: ImportReport) {
    (readCount, insertedCount, updatedCount) = (report.read, report.inserted, report.updated)
    (unchangedCount, skippedCount) = (report.unchanged, report.skipped)
    notices = report.notices
    rejections = report.rejects.map {
      Rejection(file: $0.file, line: $0.line, record: $0.record, reason: $0.reason)
    }
  }
}

extension Realm {
  /// Imports files into a class, in one transaction.
  ///
  ///     let report = try realm.importFiles([url], into: Airport.self) { print($0.fraction ?? 0) }
  ///
  /// The formats are those of `cadastre import`: tables, GeoJSON, Parquet and GeoParquet, FlatGeobuf, GeoPackage, Shapefile,
  /// KML, GPX and TopoJSON, detected from names and first bytes. The fields of the records have the names
  /// of properties; properties without a field must be optional, unless the records update objects, which keep
  /// the values of these properties. The geometry of a record becomes the property `geometry` where the class has it, else `location`, an embedded
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
    rowCount = progress.rows
    fraction = progress.totalBytes.map { total in
      total > 0 ? min(1, Double(progress.bytes) / Double(total)) : 1
    }
  }
}
