import Foundation

/// The part of the world that a map shows, and where its places fall on the sheet.
///
/// Equirectangular: degrees are equal steps on both axes, narrowed on regional maps by the
/// cosine of the middle latitude, so that shapes there keep their proportions.
struct MapFrame: Sendable {
  /// West and east edge; the east one passes 180 where the frame crosses the antimeridian.
  var west: Double
  var east: Double
  var south: Double
  var north: Double
  /// The width of the map in pixels.
  var width: Double
  /// Whether all longitudes are shown.
  var isWorld: Bool

  /// How much wider than high a regional map may be, and how much higher than wide.
  private static let aspects = 1.2...1.9
  /// Blank space around the points, as a part of their extent.
  private static let margin = 0.08
  /// The smallest height of a map, in degrees: enough to show a coast or a border.
  private static let leastHeight = 4.0

  /// Frames points and rings as closely as is sensible.
  ///
  /// More than 200 degrees of longitude or 110 of latitude are shown on a map of the world; so
  /// is nothing at all. Otherwise the widest gap between neighbouring longitudes is left out,
  /// which may put the antimeridian in the middle.
  init(points: [MapPoint], rings: [MapRing], width: Double) {
    let corners = points + rings.flatMap(\.corners)
    let south = corners.lazy.map(\.latitude).min() ?? -58
    let north = corners.lazy.map(\.latitude).max() ?? 84
    let extent = Self.longitudeExtent(corners.map(\.longitude))
    guard let extent, extent.span <= 200, north - south <= 110 else {
      self = .world(width: width, south: south, north: north)
      return
    }
    let middle = (south + north) / 2
    let narrowing = max(cos(middle * .pi / 180), 0.15)
    var height = max((north - south) * (1 + 2 * Self.margin), Self.leastHeight)
    var breadth = max(
      extent.span * (1 + 2 * Self.margin), height * Self.aspects.lowerBound / narrowing)
    height = max(height, breadth * narrowing / Self.aspects.upperBound)
    guard breadth <= 360, height <= 150 else {
      self = .world(width: width, south: south, north: north)
      return
    }
    // Near a pole the frame is moved rather than cut.
    let lowest = min(max(middle - height / 2, -90), 90 - height)
    breadth = min(breadth, 360)
    let center = extent.west + extent.span / 2
    self.init(
      west: center - breadth / 2, east: center + breadth / 2,
      south: lowest, north: lowest + height, width: width, isWorld: false)
  }

  private init(
    west: Double, east: Double, south: Double, north: Double, width: Double, isWorld: Bool
  ) {
    (self.west, self.east, self.south, self.north) = (west, east, south, north)
    self.width = width
    self.isWorld = isWorld
  }

  /// The world without the empty ice at its ends, unless something lies there.
  private static func world(width: Double, south: Double, north: Double) -> MapFrame {
    MapFrame(
      west: -180, east: 180, south: south < -58 ? -90 : -58, north: north > 84 ? 90 : 84,
      width: width, isWorld: true)
  }

  /// The height of the map in pixels.
  var height: Double { (north - south) * pixelsPerLatitude }

  private var pixelsPerLongitude: Double { width / (east - west) }

  private var pixelsPerLatitude: Double {
    let narrowing = isWorld ? 1 : max(cos((south + north) / 2 * .pi / 180), 0.15)
    return pixelsPerLongitude / narrowing
  }

  /// Where a longitude falls, in pixels from the left edge.
  func x(_ longitude: Double) -> Double { (longitude - west) * pixelsPerLongitude }

  /// Where a latitude falls, in pixels from the upper edge.
  func y(_ latitude: Double) -> Double { (north - latitude) * pixelsPerLatitude }

  /// The longitude as the frame counts it, or nil if it lies outside.
  func unwrapped(_ longitude: Double) -> Double? {
    let turned = longitude + ((west - longitude) / 360).rounded(.up) * 360
    return turned <= east ? turned : nil
  }

  /// The whole turns, in degrees, by which a ring must be moved to be seen; often one, or none.
  func turns(of ring: MapRing) -> [Double] {
    guard ring.latitudes.upperBound >= south, ring.latitudes.lowerBound <= north else { return [] }
    return [-720, -360, 0, 360, 720].filter {
      ring.longitudes.upperBound + $0 >= west && ring.longitudes.lowerBound + $0 <= east
    }
  }

  /// The shortest stretch of longitude that holds all of them; nil if there are none.
  static func longitudeExtent(_ longitudes: [Double]) -> (west: Double, span: Double)? {
    let sorted = longitudes.map { $0 - 360 * (($0 + 180) / 360).rounded(.down) }.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    // The gap across the antimeridian first: it wins when gaps are equal.
    var best = (gap: first + 360 - last, west: first)
    for (left, right) in zip(sorted, sorted.dropFirst()) where right - left > best.gap {
      best = (right - left, right)
    }
    return (best.west, 360 - best.gap)
  }
}
