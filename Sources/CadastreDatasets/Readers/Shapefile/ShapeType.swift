/// The shape types that are read; the raw values are those of the file.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Shape Type".
enum ShapeType: Int32 {
  case null = 0
  case point = 1
  case polyLine = 3
  case polygon = 5
  case multiPoint = 8
  case pointZ = 11
  case polyLineZ = 13
  case polygonZ = 15
  case multiPointZ = 18
  case pointM = 21
  case polyLineM = 23
  case polygonM = 25
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

  /// The possible lengths of a record with a single point, in bytes; nil if it has parts.
  ///
  /// Measures at the end may be omitted.
  var recordLengths: [Int]? {
    switch self {
    case .null: [4]
    case .point: [20]
    case .pointZ: [36, 28]
    case .pointM: [28]
    default: nil
    }
  }

  /// Whether positions have altitudes.
  var hasAltitude: Bool {
    switch self {
    case .pointZ, .polyLineZ, .polygonZ, .multiPointZ: true
    default: false
    }
  }

  /// The form of a record with several positions; nil for a single point.
  var form: Form? {
    switch self {
    case .null, .point, .pointZ, .pointM: nil
    case .polyLine, .polyLineZ, .polyLineM: .lines
    case .polygon, .polygonZ, .polygonM: .rings
    case .multiPoint, .multiPointZ, .multiPointM: .points
    }
  }

  /// The meaning of the positions of a record.
  enum Form { case points, lines, rings }
}
