public import CadastreGeometry
import CadastreModel

/// A type of properties whose values are of type `Geometry`: itself, its optional, and collections of
/// them.
public protocol MeasuredProperty: GeometryProperty {}

extension Geometry: MeasuredProperty {}
extension Optional: MeasuredProperty where Wrapped == Geometry {}
extension List: MeasuredProperty where Element: MeasuredProperty {}
extension Map: MeasuredProperty where Value: MeasuredProperty {}

/// Measures of a geometry on the sphere, of great-circle edges.
///
///     realm.objects(Country.self).where { $0.border.area > 1_000_000_000 }
///     realm.objects(Region.self).where { $0.roads.course.length.sum > 50_000 }
///
/// Measures of null are null. A query computes the measure of every geometry that its other
/// conditions leave, in time proportional to the number of positions.
extension Query where Value: MeasuredProperty {
  /// The area of the polygons in square metres; 0 without polygons.
  public var area: Query<Double> { measure(.area) }

  /// The length of the rings of the polygons in metres, holes included; 0 without polygons.
  public var perimeter: Query<Double> { measure(.perimeter) }

  /// The length of the lines in metres; 0 without lines.
  public var length: Query<Double> { measure(.length) }

  /// The number of positions of all parts.
  public var positionCount: Query<Int> { measure(.positionCount) }

  /// The mean of the points of greatest dimension, for relations; null of an empty geometry.
  public var centroid: Query<Geometry?> { measure(.centroid) }

  /// The western longitude of the bounding box in degrees; null of an empty geometry.
  ///
  /// It is greater than the eastern one where the box crosses ±180°.
  public var west: Query<Double?> { measure(.west) }

  /// The southern latitude of the bounding box in degrees; null of an empty geometry.
  public var south: Query<Double?> { measure(.south) }

  /// The eastern longitude of the bounding box in degrees; null of an empty geometry.
  public var east: Query<Double?> { measure(.east) }

  /// The northern latitude of the bounding box in degrees; null of an empty geometry.
  public var north: Query<Double?> { measure(.north) }

  /// The longitude of a single point in degrees; null of other geometries.
  public var longitude: Query<Double?> { measure(.longitude) }

  /// The latitude of a single point in degrees; null of other geometries.
  public var latitude: Query<Double?> { measure(.latitude) }

  private func measure<Result>(_ measure: GeometryMeasure) -> Query<Result> {
    Query<Result>(.way(way.appending(measure)))
  }
}
