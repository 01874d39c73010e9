/// The meridians and parallels of a map, at round numbers of degrees.
struct Graticule {
  /// The longitudes of the meridians inside the frame, ascending.
  let longitudes: [Double]
  /// The latitudes of the parallels inside the frame, ascending.
  let latitudes: [Double]

  /// The candidate distances between lines, in degrees.
  private static let steps =
    [
      30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002,
      0.0001,
    ]

  /// Chooses the largest step with at least four lines along the shorter side.
  init(_ frame: MapFrame) {
    let side = min(frame.east - frame.west, frame.north - frame.south)
    let step = Self.steps.first { side / $0 >= 4 } ?? 0.0001
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
    let parts = Int((abs(degrees) * 10_000).rounded())
    guard parts > 0 else { return "0°" }
    var number = "\(parts / 10_000)"
    if parts % 10_000 != 0 {
      var digits = String(parts % 10_000 + 10_000).dropFirst()
      while digits.last == "0" { digits.removeLast() }
      number += ".\(digits)"
    }
    return "\(number)°\(degrees > 0 ? positive : negative)"
  }
}

extension MapSVG {
  /// Returns the meridians and parallels as SVG.
  func lines(_ graticule: Graticule, _ frame: MapFrame) -> String {
    let meridians = graticule.longitudes.map {
      "M\(number(frame.x($0))) 0V\(number(frame.height))"
    }
    let parallels = graticule.latitudes.map { "M0 \(number(frame.y($0)))H\(number(frame.width))" }
    return """
      <path d="\((meridians + parallels).joined())" fill="none" stroke="#5c7a94" \
      stroke-opacity=".22" stroke-width=".8"/>

      """
  }

  /// Returns the labels on the left and below the map as SVG.
  func labels(_ graticule: Graticule, _ frame: MapFrame) -> String {
    var svg = "<g font-size=\"11\" fill=\"#6b7884\">\n"
    // A character is about 7 pixels wide; if the labels do not fit, only every n-th is drawn.
    let characters = graticule.longitudes.map { graticule.longitudeLabel($0).count }.max() ?? 0
    let labelWidth = Double(max(46, 7 * characters + 7))
    let every = max(
      1, Int((labelWidth * Double(graticule.longitudes.count) / frame.width).rounded(.up)))
    for (index, longitude) in graticule.longitudes.enumerated() where index % every == 0 {
      svg += """
        <text x="\(number(frame.x(longitude)))" y="\(number(frame.height + 15))" \
        text-anchor="middle">\(graticule.longitudeLabel(longitude))</text>

        """
    }
    for latitude in graticule.latitudes {
      let label = graticule.latitudeLabel(latitude)
      // The margin has room for eight characters.
      let size = label.count > 8 ? " font-size=\"8.5\"" : ""
      svg += """
        <text x="-5" y="\(number(frame.y(latitude) + 4))" text-anchor="end"\(size)>\(label)</text>

        """
    }
    return svg + "</g>\n"
  }
}
