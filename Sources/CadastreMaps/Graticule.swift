/// The meridians and parallels of a map, at round numbers of degrees.
struct Graticule {
  /// The longitudes of the meridians inside the frame, ascending.
  let longitudes: [Double]
  /// The latitudes of the parallels inside the frame, ascending.
  let latitudes: [Double]

  /// The candidate distances between lines, in degrees.
  private static let steps = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]

  /// Chooses the largest step with at least four lines along the shorter side.
  init(_ frame: MapFrame) {
    let side = min(frame.east - frame.west, frame.north - frame.south)
    let step = Self.steps.first { side / $0 >= 4 } ?? 0.01
    longitudes = Self.multiples(of: step, above: frame.west, below: frame.east)
    latitudes = Self.multiples(of: step, above: frame.south, below: frame.north)
  }

  private static func multiples(of step: Double, above: Double, below: Double) -> [Double] {
    let first = Int((above / step).rounded(.down)) + 1
    let last = Int((below / step).rounded(.up)) - 1
    return first <= last ? (first...last).map { Double($0) * step } : []
  }

  /// Returns a longitude as `30°E`, `0°` or `179.5°W`.
  func longitudeLabel(_ longitude: Double) -> String {
    let normalized = longitude - 360 * ((longitude + 180) / 360).rounded(.down)
    if abs(normalized) == 180 { return "180°" }
    return label(normalized, "E", "W")
  }

  /// Returns a latitude as `45°N` or `0°`.
  func latitudeLabel(_ latitude: Double) -> String { label(latitude, "N", "S") }

  private func label(_ degrees: Double, _ positive: String, _ negative: String) -> String {
    let hundredths = Int((abs(degrees) * 100).rounded())
    guard hundredths > 0 else { return "0°" }
    var number = "\(hundredths / 100)"
    if hundredths % 100 != 0 {
      let (tenths, rest) = (hundredths % 100 / 10, hundredths % 10)
      number += ".\(tenths)" + (rest == 0 ? "" : "\(rest)")
    }
    return "\(number)°\(degrees > 0 ? positive : negative)"
  }
}
