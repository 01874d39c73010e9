import CadastreFormatting
import CadastreGeometry

/// The syntax of points in one column: WKT, "LAT, LON" in degrees, `48°51′N 2°21′E`, or ISO 6709.
enum PointText {
  /// Parses the point in a field; throws a rejection for other text.
  static func point(_ text: String, field name: String) throws(Rejection) -> GeoPoint {
    do throws(GeometryTextError) {
      return try point(text)
    } catch {
      throw Rejection(name, "\(printable("\(error)"))")
    }
  }

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
    let parts = parts(bare.prefix { !")]".contains($0) })
    if parts.count == 2 {
      // Letters of directions may put the longitude first.
      let isReversed = parts[0].contains { "EW".contains($0) }
      let (first, second) = isReversed ? (parts[1], parts[0]) : (parts[0], parts[1])
      if let latitude = degrees(first, .latitude), let longitude = degrees(second, .longitude),
        let point = GeoPoint(latitude: latitude, longitude: longitude)
      {
        return point
      }
    }
    if let point = iso6709(text) { return point }
    return try GeoPoint(wkt: text)
  }

  /// Splits two coordinates at a semicolon, a comma, or the blank between their directions.
  private static func parts(_ text: Substring) -> [Substring] {
    for separator in [";", ","] as [Character] where text.contains(separator) {
      return text.split(separator: separator, omittingEmptySubsequences: false)
    }
    // Other texts, such as WKT, are not searched.
    guard let first = text.first, first.isNumber || "NSEW".contains(first) else { return [text] }
    let leading = text.prefixMatch(of: /([NSEW].*?)\s+(?=[NSEW])/)
    guard let match = leading ?? text.prefixMatch(of: /(.*?[NSEW])\s+(?=[\dNSEW])/) else {
      return [text]
    }
    return [match.1, text[match.range.upperBound...]]
  }

  /// Parses a point such as `+4851+00221`, `+48.8577+002.295/` or `-335052+1511302+39CRSWGS_84/`.
  ///
  /// The latitude has two digits for degrees and the longitude three; two digits of minutes and two
  /// of seconds may follow, and the last of them may have a fraction.
  ///
  /// Source: ISO 6709, annex H.
  private static func iso6709(_ text: String) -> GeoPoint? {
    let form =
      /([+-])(\d{2})(\d{2})?(\d{2})?(\.\d+)?([+-])(\d{3})(\d{2})?(\d{2})?(\.\d+)?([+-]\d+(\.\d+)?)?(CRS.*)?\/?/
    guard let match = text.trimmingBlanks().wholeMatch(of: form)?.output,
      let latitude = degrees(match.1, [match.2, match.3, match.4], match.5),
      let longitude = degrees(match.6, [match.7, match.8, match.9], match.10)
    else { return nil }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }

  /// Returns the degrees for a sign, the digits of degrees, minutes and seconds, and the fraction
  /// of the last part.
  private static func degrees(
    _ sign: Substring, _ parts: [Substring?], _ fraction: Substring?
  ) -> Double? {
    let present = parts.compactMap { $0 }
    var (degrees, divisor) = (0.0, 1.0)
    for (index, part) in present.enumerated() {
      let tail = index == present.count - 1 ? fraction ?? "" : ""
      guard let value = Double(part + tail), index == 0 || value < 60 else { return nil }
      degrees += value / divisor
      divisor *= 60
    }
    return sign == "-" ? -degrees : degrees
  }

  private static func degrees(_ text: Substring, _ axis: Axis) -> Double? {
    var word = String(text.trimmingBlanks())
    return word.withUTF8(FieldParsing.double) ?? DegreesText.degrees(word, axis)
  }
}

/// Degrees with minutes, seconds or a letter for the direction: `48°51′24″N`, `2 21 3 W`, `48.86N`.
enum DegreesText {
  /// Parses degrees; nil for other text, and for a direction of the other axis.
  static func degrees(_ text: String, _ axis: Axis) -> Double? {
    guard
      let match = text.trimmingBlanks().wholeMatch(
        of:
          /([NSEW])?\s*([+-]?)(\d{1,3}(?:\.\d+)?)\s*[°ºd]?\s*(?:(\d{1,2}(?:\.\d+)?)\s*['′’m]?\s*(?:(\d{1,2}(?:\.\d+)?)\s*(?:"|″|”|''|′′|s)?\s*)?)?([NSEW])?/
      ), match.1 == nil || match.6 == nil
    else { return nil }
    let minutes = match.4.flatMap { Double($0) } ?? 0
    let seconds = match.5.flatMap { Double($0) } ?? 0
    guard let whole = Double(match.3), minutes < 60, seconds < 60,
      match.4 == nil || !match.3.contains(".")
    else { return nil }
    let magnitude = whole + minutes / 60 + seconds / 3600
    guard let direction = match.1 ?? match.6 else {
      return match.2 == "-" ? -magnitude : magnitude
    }
    guard match.2.isEmpty, (axis == .latitude ? "NS" : "EW").contains(direction) else { return nil }
    return "SW".contains(direction) ? -magnitude : magnitude
  }
}
