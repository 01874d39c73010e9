/// Lines of equal longitude and latitude at round numbers.
struct Graticule {
  /// Longitudes and latitudes of the lines inside the frame, ascending.
  let longitudes: [Double]
  let latitudes: [Double]
  private let step: Double

  /// The distances between lines that read well, in degrees.
  private static let steps = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]

  /// Chooses about five lines along the shorter side.
  init(_ frame: MapFrame) {
    let side = min(frame.east - frame.west, frame.north - frame.south)
    step = Self.steps.first { side / $0 >= 4 } ?? 0.01
    longitudes = Self.multiples(of: step, above: frame.west, below: frame.east)
    latitudes = Self.multiples(of: step, above: frame.south, below: frame.north)
  }

  private static func multiples(of step: Double, above: Double, below: Double) -> [Double] {
    let first = Int((above / step).rounded(.down)) + 1
    let last = Int((below / step).rounded(.up)) - 1
    return first <= last ? (first...last).map { Double($0) * step } : []
  }

  /// `30°E`, `0°`, `179.5°W`.
  func longitudeLabel(_ longitude: Double) -> String {
    let turned = longitude - 360 * ((longitude + 180) / 360).rounded(.down)
    if abs(turned) == 180 { return "180°" }
    return label(turned, "E", "W")
  }

  /// `45°N`, `0°`.
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
