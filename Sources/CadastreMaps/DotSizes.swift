import CadastreFormatting
import Foundation

/// Radii of dots whose areas are proportional to values.
///
/// Source: T. Slocum et al., "Thematic Cartography and Geovisualization", 3rd ed., 2009, chapter 17.
struct DotSizes {
  private let greatest: Double

  /// The greatest and the smallest radius, in pixels.
  private static let (largest, smallest) = (17.0, 1.5)

  /// Creates the sizes for values; nil if none is positive.
  init?(_ values: some Sequence<Double>) {
    greatest = values.lazy.filter(\.isFinite).max() ?? 0
    if greatest <= 0 { return nil }
  }

  /// Returns the radius of a value, in pixels; the smallest one for a value that is not positive.
  func radius(_ value: Double) -> Double {
    guard value > 0 else { return Self.smallest }
    return max(Self.smallest, Self.largest * (min(value, greatest) / greatest).squareRoot())
  }

  /// Round values for the legend, the greatest first.
  var examples: [Double] {
    let first = roundNumber(atMost: greatest)
    return [first, first / 5, first / 50]
  }

  /// Returns the text of a value in the legend.
  static func label(_ value: Double) -> String {
    value >= 1 && value < 1e15 && value == value.rounded()
      ? grouped(Int(value)) : "\(Float(value))"
  }
}

/// Returns the greatest number of the form 1, 2 or 5 times a power of ten that is at most `limit`.
func roundNumber(atMost limit: Double) -> Double {
  let magnitude = pow(10, log10(limit).rounded(.down))
  return (limit >= 5 * magnitude ? 5 : limit >= 2 * magnitude ? 2 : 1) * magnitude
}

/// A dot whose radius shows a value.
struct SizedDot: Hashable {
  var x: Int
  var y: Int
  var radius: Int
  var colour: String
}

/// Maps whose dots have sizes by values.
extension MapSVG {
  /// The greatest number of dots of different sizes that are drawn.
  static let maximumSizedDots = 20_000

  /// Returns the dots of the groups with sizes by their values, the largest at the bottom.
  ///
  /// - Parameters:
  ///   - sizes: The radii.
  ///   - frame: The extent of the map.
  /// - Returns: SVG, with at most ``maximumSizedDots`` dots.
  /// - Complexity: O(n log n) in the number of points.
  func sizedDots(_ sizes: DotSizes, _ frame: MapFrame) -> String {
    var dots: Set<SizedDot> = []
    for group in groups {
      for (point, value) in zip(group.points, group.sizes) {
        guard let (x, y) = frame.position(point) else { continue }
        dots.insert(
          SizedDot(
            x: SVGPath.tenths(x), y: SVGPath.tenths(y),
            radius: SVGPath.tenths(sizes.radius(value)), colour: group.colour))
      }
    }
    let drawn = dots.sorted {
      ($1.radius, $0.y, $0.x, $0.colour) < ($0.radius, $1.y, $1.x, $1.colour)
    }.prefix(Self.maximumSizedDots)
    var svg = "<g id=\"dots\" transform=\"scale(.1)\" stroke=\"#ffffff\" stroke-width=\"7\">\n"
    for dot in drawn {
      svg +=
        "<circle cx=\"\(dot.x)\" cy=\"\(dot.y)\" r=\"\(dot.radius)\" fill=\"\(dot.colour)\" "
        + "fill-opacity=\".75\"/>\n"
    }
    return svg + "</g>\n"
  }
}
