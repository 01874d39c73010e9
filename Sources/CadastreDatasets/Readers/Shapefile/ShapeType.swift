/// The types of shapes, by their numbers in the file.
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

  /// The name of a type by its number, whether it is read or not.
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

  /// The lengths, in bytes, that a record of a single place of this type may have.
  ///
  /// Measures may be left out where they come last.
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

  /// Where longitude and latitude stand in a record.
  var placeOffset: Int {
    switch self {
    case .null, .point, .pointZ, .pointM: 4
    case .multiPoint, .multiPointZ, .multiPointM: Self.countOffset + 4
    }
  }

  /// Where the altitude stands in a record; nil if the type has none.
  var altitudeOffset: Int? {
    switch self {
    case .pointZ: 20
    // Behind the range of altitudes.
    case .multiPointZ: 72
    case .null, .point, .pointM, .multiPoint, .multiPointM: nil
    }
  }

  /// Whether a record holds a number of points.
  var isMultiple: Bool {
    switch self {
    case .multiPoint, .multiPointZ, .multiPointM: true
    case .null, .point, .pointZ, .pointM: false
    }
  }

  /// Where the number of points stands in the record of several: behind type and box.
  static let countOffset = 36
}
