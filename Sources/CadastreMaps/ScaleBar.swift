#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A round length, true at the middle of a map, as far as it is on the sheet.
struct ScaleBar {
  /// The length in kilometres.
  let kilometres: Double
  /// The length on the sheet, in pixels.
  let pixels: Double
  /// What stands beside it.
  let label: String

  /// Kilometres in a degree of a great circle, on a sphere of 6,371.0088 km (the IUGG's mean radius).
  private static let kilometresPerDegree = 6371.0088 * Double.pi / 180

  /// The longest length of 1, 2 or 5 and zeros that is not more than so many pixels; nil on a map of the world,
  /// where no length is true, and within 10° of a pole.
  init?(_ frame: MapFrame, atMost pixels: Double) {
    let latitude = (frame.south + frame.north) / 2
    guard !frame.isWorld, abs(latitude) < 80 else { return nil }
    let pixelsPerKilometre =
      frame.width / (frame.east - frame.west)
      / (Self.kilometresPerDegree * cos(latitude * .pi / 180))
    let longest = pixels / pixelsPerKilometre
    let magnitude = pow(10, log10(longest).rounded(.down))
    kilometres = (longest >= 5 * magnitude ? 5 : longest >= 2 * magnitude ? 2 : 1) * magnitude
    self.pixels = kilometres * pixelsPerKilometre
    let length =
      kilometres >= 1
      ? "\(grouped(Int(kilometres.rounded()))) km"
      : "\(grouped(Int((kilometres * 1000).rounded()))) m"
    let degrees = Int(abs(latitude).rounded())
    label = "\(length) at \(degrees)°\(degrees == 0 ? "" : latitude < 0 ? "S" : "N")"
  }
}
