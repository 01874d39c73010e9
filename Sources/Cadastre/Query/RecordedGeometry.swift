import CadastreGeometry
import CadastreModel

/// The geometry that a recorder of properties returns.
///
/// From its measures, which all differ, the end of a key path such as `\Country.border.area` is known.
enum RecordedGeometry {
  /// A triangle and a line.
  static let value =
    (try? Geometry(
      wkt: "GEOMETRYCOLLECTION (POLYGON ((0 0, 3 0, 3 1, 0 0)), LINESTRING (0 0, 5 1))"))
    ?? Geometry()

  private static let measures: [(GeometryMeasure, Value)] =
    [GeometryMeasure.area, .perimeter, .length, .positionCount, .centroid].map {
      ($0, $0.value(of: value))
    }

  /// Returns the measure of the geometry that a value, or an optional of one, is; nil for other
  /// values.
  static func measure(of value: Any) -> GeometryMeasure? {
    let found: Value
    switch DynamicValue.unwrapped(value) {
    case let number as Double: found = .double(number)
    case let count as Int: found = .int(Int64(count))
    case let point as GeoPoint: found = .geometry(Geometry(point))
    default: return nil
    }
    return measures.first { $0.1 == found }?.0
  }
}
