/// A region to ask about: any of the shapes, as one value.
public enum GeoShape: Hashable, Sendable {
  /// The region between two corners.
  case box(GeoBox)
  /// A disc on the sphere.
  case circle(GeoCircle)
  /// One shell with holes.
  case polygon(GeoPolygon)
  /// Everything that lies in at least one of the polygons; they may touch and overlap.
  case multiPolygon([GeoPolygon])
}

extension GeoShape: CustomStringConvertible {
  /// The shape in the predicate language, longitude first; parses back to the same values.
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

/// A value that can be used as the region of a query.
public protocol GeoRegion: Sendable {
  /// The region as one of the known shapes.
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
