package import CadastreGeometry
package import CadastreModel

/// A reader of records with typed fields and geometries: of a Shapefile or a GeoPackage.
package protocol TypedReader: AnyObject {
  /// The file, as named by the caller.
  var path: String { get }
  /// The fields, in the order of their values, with distinct names.
  var fields: [TypedField] { get }
  /// Whether records may have a geometry.
  var hasGeometry: Bool { get }
  /// The name of the geometries in a selection of fields.
  var geometryName: String { get }
  /// The number of bytes of `totalBytes` that have been read.
  var progressBytes: Int { get }
  /// The size of all files of the source; nil if it is unknown.
  var totalBytes: Int? { get }

  /// Reads the next record.
  ///
  /// After an error of scope `.row` the next call reads the following record.
  ///
  /// - Parameter row: Receives the record; its memory is reused.
  /// - Returns: False at the end.
  /// - Throws: ``DatasetError``, of scope `.row` for an invalid record.
  func nextRow(_ row: inout TypedRow) throws(DatasetError) -> Bool
}

extension TypedReader {
  /// True.
  package var hasGeometry: Bool { true }

  /// The name `geometry`.
  package var geometryName: String { "geometry" }
}

/// A field of a source: its name and its declared type.
package struct TypedField: Hashable, Sendable {
  /// The name, which is not empty.
  package var name: String
  /// One of `int`, `double`, `string`, `bool`, `date` and `data`.
  package var type: PropertyType
  /// Whether the field contains dates without a time of day.
  package var isDay: Bool

  /// Creates a field.
  package init(name: String, type: PropertyType, isDay: Bool = false) {
    self.name = name
    self.type = type
    self.isDay = isDay
  }
}

/// A record of a source: its values, its geometry and its number.
package struct TypedRow: Hashable, Sendable {
  /// A value for each field; in a GeoPackage it may have another type than declared.
  package var values: [Value] = []
  /// The point; nil for none and for another geometry.
  package var point: TypedPoint?
  /// The geometry; nil for none and for a point.
  package var geometry: Geometry?
  /// The number of the record in the file, from 1, including deleted records.
  package var number = 0

  /// Creates an empty record.
  package init() {}
}

/// A point in WGS 84, as in the file.
package struct TypedPoint: Hashable, Sendable {
  /// The longitude in degrees, from -180 to 180.
  package var longitude: Double
  /// The latitude in degrees, from -90 to 90.
  package var latitude: Double
  /// The altitude in metres; nil if the file has none.
  package var altitude: Double?

  /// Creates a point; an invalid altitude becomes nil.
  ///
  /// - Parameters:
  ///   - longitude: The longitude in degrees.
  ///   - latitude: The latitude in degrees.
  ///   - altitude: The altitude in metres.
  /// - Throws: ``CoordinateProblem`` if a coordinate is not finite or out of range.
  package init(
    longitude: Double, latitude: Double, altitude: Double? = nil
  ) throws(CoordinateProblem) {
    guard longitude.isFinite, latitude.isFinite, Self.isData(longitude), Self.isData(latitude)
    else { throw .notNumbers }
    guard abs(longitude) <= 180, abs(latitude) <= 90 else {
      throw .outOfRange(longitude: longitude, latitude: latitude)
    }
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude.flatMap { $0.isFinite && Self.isData($0) ? $0 : nil }
  }

  /// Creates a point from coordinates of a file, converted if there is a conversion.
  ///
  /// - Throws: ``CoordinateProblem`` if a coordinate is not finite, out of range, or has no
  ///   counterpart in WGS 84.
  init(
    _ x: Double, _ y: Double, altitude: Double?, _ transformation: CoordinateTransformation?
  ) throws(CoordinateProblem) {
    guard let transformation else {
      try self.init(longitude: x, latitude: y, altitude: altitude)
      return
    }
    guard x.isFinite, y.isFinite, Self.isData(x), Self.isData(y) else { throw .notNumbers }
    guard let (longitude, latitude) = transformation.degrees(x, y) else {
      throw .notConverted(x: x, y: y)
    }
    try self.init(longitude: longitude, latitude: latitude, altitude: altitude)
  }

  /// Creates a point from a valid one; an altitude of 0 becomes nil.
  init(_ point: GeoPoint) {
    longitude = point.longitude
    latitude = point.latitude
    altitude = point.altitude == 0 ? nil : point.altitude
  }

  /// The point as a geometry.
  var geometry: Geometry? {
    GeoPosition(longitude: longitude, latitude: latitude, altitude: altitude).flatMap {
      try? Geometry(.point($0))
    }
  }

  /// Returns whether a number is a value; in Shapefiles numbers below -10³⁸ mean "no data".
  ///
  /// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Numeric Types".
  private static func isData(_ number: Double) -> Bool { number >= -1e38 }
}

/// An error in the coordinates of a point.
package enum CoordinateProblem: Error, Hashable, Sendable {
  /// A coordinate is not finite.
  case notNumbers
  /// A coordinate is out of range.
  case outOfRange(longitude: Double, latitude: Double)
  /// The position has no counterpart in WGS 84.
  case notConverted(x: Double, y: Double)

  /// The error as a clause that follows the location.
  var sentence: String {
    switch self {
    case .notNumbers: "the coordinates are not numbers"
    case .notConverted(let x, let y):
      "the coordinates \(x), \(y) have no counterpart in WGS 84"
    case .outOfRange(let longitude, let latitude):
      "the coordinates are \(longitude), \(latitude); expected a longitude from -180 to 180 and a "
        + "latitude from -90 to 90 in WGS 84"
    }
  }
}
