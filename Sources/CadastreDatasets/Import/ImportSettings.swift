import CadastreGeometry
package import CadastrePredicate
package import CadastreStore
import Foundation

/// The settings of an import.
///
///     var settings = ImportSettings(
///       files: ["airports.csv"], store: "a.cadastre", className: "Airport")
///     settings.primaryKey = "icao"
///     let report = try Importer(settings).run()
package struct ImportSettings: Sendable {
  /// The treatment of rows whose primary key exists already.
  package enum KeyPolicy: Sendable { case fail, update, skip }

  /// The files, all of the same format; `-` is standard input.
  package var files: [String]
  /// The path of the store.
  package var store: String
  /// The class of the imported objects.
  package var className: String
  /// The format of the files; nil to detect it.
  package var format: FormatDescriptor?
  /// The settings for text tables.
  package var table = TableSettings()
  /// The layer of a GeoPackage, GPX or TopoJSON file; nil if it has only one, or for all of GPX.
  package var layer: String?
  /// The names of the members of a JSON document that lead to its records, such as
  /// `result.records`; `.` for the document itself, nil to detect them.
  package var records: String?
  /// The fields that are imported, `geometry` for the geometries of the records; nil for all.
  package var columns: [String]?
  /// The primary key column.
  package var primaryKey: String?
  /// The columns that get an ordered index; several columns of one index are separated by commas.
  package var indexes: [String] = []
  /// The columns of longitude and latitude, "LON,LAT"; nil to detect them by their names.
  package var location: String?
  /// The column with points in WKT.
  package var wktColumn: String?
  /// The reference system of the coordinates, such as `EPSG:27700`; nil to use the reference system
  /// of the files.
  package var referenceSystem: String?
  /// Whether longitudes beyond ±180° are moved into the range.
  package var wrapsLongitudes = false
  /// The remarks about values, which all copies of the settings share.
  let remarks = ImportRemarks()
  /// The conversion of coordinates to WGS 84.
  var conversion: CoordinateConversion {
    CoordinateConversion(
      system: referenceSystem, isEnabled: true, wrapsLongitudes: wrapsLongitudes,
      ignoresGeometries: geometryUse == .ignored, remarks: remarks)
  }
  /// The path of ``records``; nil to detect it.
  var recordsPath: [String]? {
    records.map { $0.split(separator: ".").map(String.init) }
  }
  /// Column types that replace inferred ones, "a=int,b=date".
  package var types: String?
  /// The texts that mean null.
  package var nullTexts = [""]
  /// The treatment of rows whose primary key exists already.
  package var keyPolicy = KeyPolicy.fail
  /// The use of the geometries of records.
  package var geometryUse = GeometryUse.stored
  /// The treatment of invalid geometries.
  package var invalidShapes = InvalidShapes.reject
  /// Whether to delete the objects without a row in the files; rows update stored objects then.
  package var deletesMissing = false
  /// The field whose value decides whether a stored object is compared with its row: with an equal
  /// value it counts as unchanged; nil to compare all fields.
  package var versionField: String?
  /// Whether to change the stored class where the files do not match it, see ``ClassAlteration``.
  package var altersClass = false
  /// Whether the changed class takes new objects that lack a required property, which becomes optional.
  var takesIncompleteObjects = false
  /// The predicate that selects rows; nil for all rows.
  package var predicate: QueryPredicate?
  /// The bounding box that selects rows; nil for all rows.
  package var bounds: BoundingBox?
  /// The bounding box by which readers skip records; nil for all.
  ///
  /// A centroid may be outside of the planar envelope, by which indexes select; and the envelopes of a file are those
  /// of its coordinates before a conversion.
  var readerBounds: BoundingBox? {
    geometryUse == .centroid || referenceSystem != nil || wrapsLongitudes ? nil : bounds
  }
  /// The maximum number of rows to store.
  package var limit: Int?
  /// The number of selected rows to skip.
  package var offset = 0
  /// The number of rows that may be rejected before the import fails.
  package var maximumRejects = 0
  /// When the columns of the class are stored beside the rows.
  package var columnStorage = ColumnStorage.automatic
  /// Whether to read and validate everything without storing it.
  package var isDryRun = false

  /// The maximum number of records that can affect the result; nil for all.
  ///
  /// With a limit and without a condition, further records are neither stored nor rejected. One
  /// more record is read, so that a limit of 0 has a schema too.
  var maximumRecords: Int? {
    guard let limit, predicate == nil, bounds == nil, keyPolicy == .fail else { return nil }
    let (count, isOverflow) = limit.addingReportingOverflow(offset)
    let (sum, overflows) = count.addingReportingOverflow(maximumRejects + 1)
    return isOverflow || overflows || maximumRejects == .max ? nil : sum
  }

  /// Creates the settings of an import into a class of a store.
  package init(files: [String], store: String, className: String) {
    self.files = files
    self.store = store
    self.className = className
  }
}

/// A bounding box of longitudes and latitudes in degrees, border included.
///
/// A box whose west is greater than its east crosses ±180°.
package struct BoundingBox: Hashable, Sendable {
  let west: Double
  let south: Double
  let east: Double
  let north: Double

  /// Parses "W,S,E,N" in degrees; nil for invalid text.
  package init?(_ text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.trimmingCharacters(in: .whitespaces))
    }
    guard numbers.count == 4, let west = numbers[0], let south = numbers[1],
      let east = numbers[2], let north = numbers[3]
    else { return nil }
    self.init(west, south, east, north)
  }

  /// Creates a box from its sides in degrees; nil if the south is greater than the north or a number is NaN.
  package init?(_ west: Double, _ south: Double, _ east: Double, _ north: Double) {
    guard south <= north, !west.isNaN, !east.isNaN else { return nil }
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// Returns whether a geometry and the box have a common point, with planar edges.
  func intersects(_ geometry: Geometry) -> Bool {
    let boxes: [(west: Double, east: Double)] =
      west <= east ? [(west, east)] : [(west, 180), (-180, east)]
    return boxes.contains { box in
      guard let southWest = GeoPoint(latitude: south, longitude: box.west),
        let northEast = GeoPoint(latitude: north, longitude: box.east)
      else { return false }
      return Geometry(GeoBox(bottomLeft: southWest, topRight: northEast))
        .intersects(geometry, edges: .planar)
    }
  }

  /// Returns whether a point is inside the box or on its border.
  func contains(longitude: Double, latitude: Double) -> Bool {
    guard latitude >= south, latitude <= north else { return false }
    return west <= east
      ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
  }
}

extension ImportSettings {
  /// Returns the names of the properties of each index, once each.
  ///
  /// The name of a property may contain a comma.
  func indexedProperties(among names: [String]) -> [[String]] {
    var all: [[String]] = []
    for text in indexes {
      let index = names.contains(text) ? [text] : text.split(separator: ",").map(String.init)
      if !all.contains(index) { all.append(index) }
    }
    return all
  }
}
