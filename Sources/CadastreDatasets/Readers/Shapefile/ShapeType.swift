/// The shape types that are read; the raw values are those of the file.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Shape Type".
enum ShapeType: Int32 {
  case null = 0
  case point = 1
  case multiPoint = 8
  case pointZ = 11
  case multiPointZ = 18
  case pointM = 21
  case multiPointM = 28

  /// Returns the name of any shape type.
  static func name(_ number: Int32) -> String {
    switch number {
    case 0: "Null"
    case 1: "Point"
    case 3: "PolyLine"
    case 5: "Polygon"
    case 8: "MultiPoint"
    case 11: "PointZ"
    case 13: "PolyLineZ"
    case 15: "PolygonZ"
    case 18: "MultiPointZ"
    case 21: "PointM"
    case 23: "PolyLineM"
    case 25: "PolygonM"
    case 28: "MultiPointM"
    case 31: "MultiPatch"
    default: "\(number)"
    }
  }

  var name: String { Self.name(rawValue) }

  /// The possible lengths of a record with a single point, in bytes.
  ///
  /// Measures at the end may be omitted.
  var recordLengths: [Int] {
    switch self {
    case .null: [4]
    case .point: [20]
    case .pointZ: [36, 28]
    case .pointM: [28]
    case .multiPoint: [56]
    case .multiPointZ: [104, 80]
    case .multiPointM: [80, 56]
    }
  }

  /// The offset of longitude and latitude in a record.
  var coordinatesOffset: Int {
    switch self {
    case .null, .point, .pointZ, .pointM: 4
    case .multiPoint, .multiPointZ, .multiPointM: Self.countOffset + 4
    }
  }

  /// The offset of the altitude in a record; nil if the type has none.
  var altitudeOffset: Int? {
    switch self {
    case .pointZ: 20
    // After the range of altitudes.
    case .multiPointZ: 72
    case .null, .point, .pointM, .multiPoint, .multiPointM: nil
    }
  }

  /// Whether a record contains a number of points.
  var isMultiple: Bool {
    switch self {
    case .multiPoint, .multiPointZ, .multiPointM: true
    case .null, .point, .pointZ, .pointM: false
    }
  }

  /// The offset of the number of points, after type and bounding box.
  static let countOffset = 36
}
