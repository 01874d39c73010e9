/// A region of a query: a box, a circle, a polygon or several polygons.
///
///     let region = try GeoShape(wkt: "POLYGON ((5 47, 16 46, 6 54, 5 47))")
public enum GeoShape: Hashable, Sendable {
  /// The region between two corners.
  case box(GeoBox)
  /// A circle on the sphere.
  case circle(GeoCircle)
  /// An exterior ring with holes.
  case polygon(GeoPolygon)
  /// The union of polygons, which may touch and overlap.
  case multiPolygon([GeoPolygon])
}

extension GeoShape: CustomStringConvertible {
  /// The shape in the syntax of predicates, longitude first; numbers round-trip exactly.
  public var description: String {
    switch self {
    case .box(let box): box.description
    case .circle(let circle): circle.description
    case .polygon(let polygon): polygon.description
    case .multiPolygon(let polygons):
      "geoMultiPolygon(" + polygons.map(\.description).joined(separator: ", ") + ")"
    }
  }
}

/// A type whose values can be the region of a query.
public protocol GeoRegion: Sendable {
  /// The region as a shape.
  var shape: GeoShape { get }
}

extension GeoShape: GeoRegion {
  /// The shape itself.
  public var shape: GeoShape { self }
}

extension GeoBox: GeoRegion {
  /// The box as a shape.
  public var shape: GeoShape { .box(self) }
}

extension GeoCircle: GeoRegion {
  /// The circle as a shape.
  public var shape: GeoShape { .circle(self) }
}

extension GeoPolygon: GeoRegion {
  /// The polygon as a shape.
  public var shape: GeoShape { .polygon(self) }
}
