import CadastreFormatting
import CadastreGeometry

/// The syntax of points in one column: WKT, or "LAT, LON" in degrees.
enum PointText {
  /// Parses a point.
  ///
  /// - Parameters:
  ///   - text: WKT, or latitude and longitude, which may be in brackets.
  ///   - conversion: The conversion of coordinates in WKT; nil for degrees.
  /// - Returns: The point.
  /// - Throws: `GeometryTextError` for other text.
  static func point(
    _ text: String, converting conversion: GeometryConversion? = nil
  ) throws(GeometryTextError) -> GeoPoint {
    if let conversion {
      let geometry = try Geometry(wkt: text, converting: conversion)
      guard let point = geometry.point else {
        throw GeometryTextError(offset: 0, expected: "a POINT", found: geometry.kind.rawValue)
      }
      return point
    }
    let bare = text.trimmingBlanks().drop { "([".contains($0) }
    let parts = bare.prefix { !")]".contains($0) }
      .split(separator: bare.contains(";") ? ";" : ",", omittingEmptySubsequences: false)
    if parts.count == 2, let latitude = degrees(parts[0], .latitude),
      let longitude = degrees(parts[1], .longitude),
      let point = GeoPoint(latitude: latitude, longitude: longitude)
    {
      return point
    }
    return try GeoPoint(wkt: text)
  }

  private static func degrees(_ text: Substring, _ axis: Axis) -> Double? {
    var word = String(text.trimmingBlanks())
    return word.withUTF8(FieldParsing.double) ?? DegreesText.degrees(word, axis)
  }
}
