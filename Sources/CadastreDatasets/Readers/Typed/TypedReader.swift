import CadastreGeometry
package import CadastreModel

/// A source whose fields have types and whose records have places: a Shapefile or a GeoPackage.
package protocol TypedReader: AnyObject {
  /// The file, as it was named by the caller.
  var path: String { get }
  /// The fields, in the order of their values; no two have one name.
  var fields: [TypedField] { get }
  /// How far reading has come, in bytes of `totalBytes`.
  var progressBytes: Int { get }
  /// The size of all files that are read; nil when nobody knows.
  var totalBytes: Int? { get }

  /// Reads the next record.
  ///
  /// An error of scope `.row` is stepped past: the next call goes on behind it.
  ///
  /// - Parameter row: Receives the record; its memory is used again.
  /// - Returns: False when there is no further record.
  /// - Throws: What is wrong with the record, or with the file from here on.
  func nextRow(_ row: inout TypedRow) throws(DatasetError) -> Bool
}

/// A field of a source: its name and the type it is declared with.
package struct TypedField: Hashable, Sendable {
  /// The name; never empty.
  package var name: String
  /// One of `int`, `double`, `string`, `bool`, `date` and `data`.
  package var type: PropertyType

  /// States a field.
  package init(name: String, type: PropertyType) {
    self.name = name
    self.type = type
  }
}

/// One record of a source: its values, where it is, and which it is.
package struct TypedRow: Hashable, Sendable {
  /// A value for every field; in a GeoPackage they may be of other types than declared.
  package var values: [Value] = []
  /// Where the record is; nil if it is nowhere.
  package var place: TypedPlace?
  /// The record's number in the file, counted from 1, deleted ones included.
  package var number = 0

  /// A record that holds nothing yet.
  package init() {}
}

/// A place as a file states it, on WGS 84.
package struct TypedPlace: Hashable, Sendable {
  /// Degrees east, -180 to 180.
  package var longitude: Double
  /// Degrees north, -90 to 90.
  package var latitude: Double
  /// Metres; nil when the file states none.
  package var altitude: Double?

  /// A place; an altitude that is no number is none.
  ///
  /// - Throws: That the coordinates are not numbers, or name no place.
  package init(
    longitude: Double, latitude: Double, altitude: Double? = nil
  ) throws(PlaceProblem) {
    guard longitude.isFinite, latitude.isFinite, Self.isData(longitude), Self.isData(latitude)
    else { throw .notNumbers }
    guard abs(longitude) <= 180, abs(latitude) <= 90 else {
      throw .outOfRange(longitude: longitude, latitude: latitude)
    }
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude.flatMap { $0.isFinite && Self.isData($0) ? $0 : nil }
  }

  /// A place that is known to be one; altitude 0 is none.
  init(_ point: GeoPoint) {
    longitude = point.longitude
    latitude = point.latitude
    altitude = point.altitude == 0 ? nil : point.altitude
  }

  /// Whether a number is meant: below -10³⁸ is how Shapefiles say that there is none.
  ///
  /// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Numeric Types".
  private static func isData(_ number: Double) -> Bool { number >= -1e38 }
}

/// Why two coordinates name no place.
package enum PlaceProblem: Error, Hashable, Sendable {
  /// One of them is not a number.
  case notNumbers
  /// They are not degrees.
  case outOfRange(longitude: Double, latitude: Double)

  var sentence: String {
    switch self {
    case .notNumbers: "its coordinates are not numbers"
    case .outOfRange(let longitude, let latitude):
      "its place is \(longitude), \(latitude); expected a longitude from -180 to 180 and a "
        + "latitude from -90 to 90 on WGS 84"
    }
  }
}
