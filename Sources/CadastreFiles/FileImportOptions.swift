import CadastreDatasets
public import CadastrePredicate
import Foundation

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

  /// An area whose edges are parallels and meridians, in degrees; it crosses ±180° if `west` is greater than
  /// `east`.
  public struct Bounds: Hashable, Sendable {
    /// The western edge, a longitude.
    public var west: Double
    /// The southern edge, a latitude.
    public var south: Double
    /// The eastern edge, a longitude.
    public var east: Double
    /// The northern edge, a latitude.
    public var north: Double

    /// Creates bounds from their edges in degrees.
    public init(west: Double, south: Double, east: Double, north: Double) {
      (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }
  }

  /// The treatment of records whose primary key is stored already.
  public var existingObjects = ExistingObjects.reject
  /// The treatment of invalid geometries.
  public var invalidGeometries = InvalidGeometries.reject
  /// The fields that are imported, `geometry` for the geometries of the records; nil for all.
  public var columns: [String]?
  /// The layer of a GeoPackage, GPX or TopoJSON file that has several.
  public var layer: String?
  /// The predicate that selects records, on the properties of the class; nil for all.
  ///
  /// Row groups and pages of Parquet files are skipped by comparisons with constants.
  public var predicate: QueryPredicate?
  /// The area in which the location of a record must be; nil for all.
  ///
  /// Row groups and pages of Parquet files, and features of FlatGeobuf files with an index, are skipped by it.
  public var bounds: Bounds?
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
