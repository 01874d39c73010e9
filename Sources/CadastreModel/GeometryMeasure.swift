package import CadastreGeometry

/// A measure of a geometry that a path names after it: `border.area`.
///
/// Measures are on the sphere, of great-circle edges, in metres, square metres and degrees.
package enum GeometryMeasure: String, CaseIterable, Sendable {
  /// The area of the polygons in square metres.
  case area
  /// The length of the rings of the polygons in metres.
  case perimeter
  /// The length of the lines in metres.
  case length
  /// The number of positions.
  case positionCount
  /// The mean of the points of greatest dimension, as a point; null of an empty geometry.
  case centroid
  /// The western longitude of the bounding box; greater than the eastern one where the box crosses
  /// ±180°; null of an empty geometry.
  case west
  /// The southern latitude of the bounding box; null of an empty geometry.
  case south
  /// The eastern longitude of the bounding box; null of an empty geometry.
  case east
  /// The northern latitude of the bounding box; null of an empty geometry.
  case north
  /// The longitude of a single point; null of other geometries.
  case longitude
  /// The latitude of a single point; null of other geometries.
  case latitude

  /// The type of the measure.
  package var type: PropertyType {
    switch self {
    case .positionCount: .int
    case .centroid: .geometry
    default: .double
    }
  }

  /// Whether geometries without the measure exist.
  package var isOptional: Bool {
    switch self {
    case .area, .perimeter, .length, .positionCount: false
    default: true
    }
  }

  /// Returns the measure of a geometry; null where it has none.
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

  /// Returns the measure of a value; null of anything but a geometry.
  package func value(of value: Value) -> Value {
    if case .geometry(let geometry) = value { self.value(of: geometry) } else { .null }
  }

  private static func number(_ number: Double?) -> Value { number.map(Value.double) ?? .null }

  private static func point(_ geometry: Geometry) -> GeoPosition? {
    if case .point(let position) = geometry.shape { position } else { nil }
  }
}
