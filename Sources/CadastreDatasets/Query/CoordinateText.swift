package import CadastreGeometry
import CadastreFormatting

/// The syntax of points on the command line: "LON,LAT" in degrees.
package enum CoordinateText {
  /// Parses a point; nil for invalid text and for degrees out of range.
  package static func point(_ text: String) -> GeoPoint? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double(String($0.trimmingBlanks()))
    }
    guard numbers.count == 2, let longitude = numbers[0], let latitude = numbers[1] else {
      return nil
    }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }
}
