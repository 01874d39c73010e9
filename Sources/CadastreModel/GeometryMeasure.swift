package import CadastreGeometry

/// A measure of a geometry, the last step of a property path: `border.area`.
///
/// Measures are spherical, with great-circle edges, in metres, square metres and degrees.
package enum GeometryMeasure: String, CaseIterable, Sendable {
  /// The area of the polygons in square metres.
  case area
  /// The length of the rings of the polygons in metres.
  case perimeter
  /// The length of the lines in metres.
  case length
  /// The number of positions.
  case positionCount
  /// The centroid of the parts of the highest dimension, as a point; null for an empty geometry.
  case centroid
  /// The western longitude of the bounding box; greater than the eastern one if the box crosses
  /// ±180°; null for an empty geometry.
  case west
  /// The southern latitude of the bounding box; null for an empty geometry.
  case south
  /// The eastern longitude of the bounding box; null for an empty geometry.
  case east
  /// The northern latitude of the bounding box; null for an empty geometry.
  case north
  /// The longitude of a single point; null for other geometries.
  case longitude
  /// The latitude of a single point; null for other geometries.
  case latitude

  /// The type of the measure.
  package var type: PropertyType {
    switch self {
    case .positionCount: .int
    case .centroid: .geometry
    default: .double
    }
  }

  /// Whether the measure is null for some geometries.
  package var isOptional: Bool {
    switch self {
    case .area, .perimeter, .length, .positionCount: false
    default: true
    }
  }

  /// Returns the measure of a geometry; null if the geometry has none.
  ///
  /// - Complexity: O(n) in the number of positions; O(n log n) for the bounding box.
  package func value(of geometry: Geometry) -> Value {
    switch self {
    case .area: .double(geometry.area)
    case .perimeter: .double(geometry.perimeter)
    case .length: .double(geometry.length)
    case .positionCount: .int(Int64(geometry.positionCount))
    case .centroid: geometry.centroid.map { .geometry(Geometry($0)) } ?? .null
    case .west: Self.number(geometry.boundingBox()?.bottomLeft.longitude)
    case .south: Self.number(geometry.boundingBox()?.bottomLeft.latitude)
    case .east: Self.number(geometry.boundingBox()?.topRight.longitude)
    case .north: Self.number(geometry.boundingBox()?.topRight.latitude)
    case .longitude: Self.number(Self.point(geometry)?.longitude)
    case .latitude: Self.number(Self.point(geometry)?.latitude)
    }
  }

  /// Returns the measure of a value; null if the value is not a geometry.
  package func value(of value: Value) -> Value {
    if case .geometry(let geometry) = value { self.value(of: geometry) } else { .null }
  }

  private static func number(_ number: Double?) -> Value { number.map(Value.double) ?? .null }

  private static func point(_ geometry: Geometry) -> GeoPosition? {
    if case .point(let position) = geometry.shape { position } else { nil }
  }
}
