import CadastreFormatting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A scale bar: a round length, exact at the middle latitude of the map.
struct ScaleBar {
  /// The length on the ground, in kilometres.
  let kilometres: Double
  /// The length on the map, in pixels.
  let pixels: Double
  /// The text beside the bar: `200 km at 49°N`.
  let label: String

  /// Kilometres per degree of a great circle, for the mean radius of the IUGG, 6,371.0088 km.
  private static let kilometresPerDegree = 6371.0088 * Double.pi / 180

  /// Chooses the longest length of 1, 2 or 5 times a power of ten that is at most `pixels` long.
  ///
  /// Nil on a map of the world, which has no uniform scale, and within 10° of a pole.
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
