import CadastreFormatting
import Foundation

/// The extent of a map and the projection from degrees to pixels.
///
/// The projection is equirectangular: a degree has a constant length on each axis. On regional maps
/// degrees of longitude are shortened by the cosine of the middle latitude, so that shapes there
/// keep their proportions.
struct MapFrame: Sendable {
  /// The west edge in degrees.
  var west: Double
  /// The east edge in degrees; more than 180 if the frame crosses the antimeridian.
  var east: Double
  /// The south edge in degrees.
  var south: Double
  /// The north edge in degrees.
  var north: Double
  /// The width of the map in pixels.
  var width: Double
  /// Whether all longitudes are shown.
  var isWorld: Bool

  /// The smallest and the largest ratio of width to height of a regional map.
  private static let aspects = 1.2...1.9
  /// The blank margin around the points, as a fraction of their extent.
  private static let margin = 0.08
  /// The smallest height of a map, in degrees: five parallels of the finest graticule, about 55 m.
  private static let minimumHeight = 0.0005
  /// The distance from the map beyond which rings are cut, in pixels.
  private static let reach = 20_000.0
  /// The height of a map of a single location, in degrees: enough to show a coast or a border.
  private static let singleLocationHeight = 4.0

  /// Chooses the smallest suitable extent for points and rings.
  ///
  /// An extent of more than 200 degrees of longitude or 110 degrees of latitude, or an empty one,
  /// gives a map of the world. Otherwise the frame omits the widest gap between neighbouring
  /// longitudes, so it may cross the antimeridian.
  ///
  /// - Complexity: O(n log n) in the number of points and corners.
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
    let shortening = Self.shortening(at: middle)
    let isSingle = north == south && extent.span == 0
    var height = max(
      (north - south) * (1 + 2 * Self.margin),
      isSingle ? Self.singleLocationHeight : Self.minimumHeight)
    var breadth = max(
      extent.span * (1 + 2 * Self.margin), height * Self.aspects.lowerBound / shortening)
    height = max(height, breadth * shortening / Self.aspects.upperBound)
    guard breadth <= 360, height <= 150 else {
      self = .world(width: width, south: south, north: north)
      return
    }
    // Near a pole the frame is moved, which keeps its height.
    let lowest = min(max(middle - height / 2, -90), 90 - height)
    breadth = min(breadth, 360)
    let center = extent.west + extent.span / 2
    self.init(
      west: center - breadth / 2, south: lowest, east: center + breadth / 2,
      north: lowest + height, width: width, isWorld: false)
  }

  private init(
    west: Double, south: Double, east: Double, north: Double, width: Double, isWorld: Bool
  ) {
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
    self.width = width
    self.isWorld = isWorld
  }

  /// Returns a frame of all longitudes; polar latitudes are included only if points are there.
  private static func world(width: Double, south: Double, north: Double) -> MapFrame {
    MapFrame(
      west: -180, south: south < -58 ? -90 : -58, east: 180, north: north > 84 ? 90 : 84,
      width: width, isWorld: true)
  }

  /// The height of the map in pixels.
  var height: Double { (north - south) * pixelsPerLatitude }

  private var pixelsPerLongitude: Double { width / (east - west) }

  private var pixelsPerLatitude: Double {
    pixelsPerLongitude / (isWorld ? 1 : Self.shortening(at: (south + north) / 2))
  }

  /// Returns the length of a degree of longitude at a latitude, relative to the equator.
  ///
  /// The lower bound keeps maps near a pole finite.
  private static func shortening(at latitude: Double) -> Double {
    max(cos(latitude * .pi / 180), 0.15)
  }

  /// Returns the x coordinate of a longitude, in pixels from the left edge.
  func x(_ longitude: Double) -> Double { (longitude - west) * pixelsPerLongitude }

  /// Returns the y coordinate of a latitude, in pixels from the upper edge.
  func y(_ latitude: Double) -> Double { (north - latitude) * pixelsPerLatitude }

  /// Returns the equivalent longitude between `west` and `east`; nil if it is outside the frame.
  func unwrapped(_ longitude: Double) -> Double? {
    let shifted = longitude + ((west - longitude) / 360).rounded(.up) * 360
    return shifted <= east ? shifted : nil
  }

  /// Returns the position of a point in pixels from the upper left corner; nil if it is outside the frame.
  func position(_ point: MapPoint) -> (x: Double, y: Double)? {
    guard let longitude = unwrapped(point.longitude), south...north ~= point.latitude
    else { return nil }
    return (x(longitude), y(point.latitude))
  }

  /// Returns the corners of a ring in pixels, once for each of its visible copies.
  ///
  /// - Parameters:
  ///   - ring: The ring, or an open line.
  ///   - isClosed: Whether it is a ring, whose parts far away from the map are cut off.
  /// - Returns: The corners of each copy.
  func corners(of ring: MapRing, isClosed: Bool = true) -> [[(x: Double, y: Double)]] {
    shifts(of: ring).flatMap { shift in
      let corners = ring.corners.map { (x: x($0.longitude + shift), y: y($0.latitude)) }
      return isClosed ? [cut(corners)] : pieces(of: corners)
    }.filter { !$0.isEmpty }
  }

  /// Returns the pieces of a line near the map, because the numbers of a path are limited.
  ///
  /// Source: Liang and Barsky, "A New Concept and Method for Line Clipping", TOG 3 (1984).
  private func pieces(of line: [(x: Double, y: Double)]) -> [[(x: Double, y: Double)]] {
    var pieces: [[(x: Double, y: Double)]] = []
    for (start, end) in zip(line, line.dropFirst()) {
      let (dx, dy) = (end.x - start.x, end.y - start.y)
      var (first, last) = (0.0, 1.0)
      for (step, room) in [
        (-dx, start.x + Self.reach), (dx, width + Self.reach - start.x),
        (-dy, start.y + Self.reach), (dy, height + Self.reach - start.y),
      ] {
        if step < 0 {
          first = max(first, room / step)
        } else if step > 0 {
          last = min(last, room / step)
        } else if room < 0 {
          last = -1
        }
      }
      guard first <= last else { continue }
      let entry: (x: Double, y: Double) =
        first == 0 ? start : (start.x + first * dx, start.y + first * dy)
      let exit: (x: Double, y: Double) =
        last == 1 ? end : (start.x + last * dx, start.y + last * dy)
      if first == 0, let previous = pieces.last?.last, previous == start {
        pieces[pieces.count - 1].append(exit)
      } else {
        pieces.append([entry, exit])
      }
    }
    return pieces
  }

  /// Returns the part of a ring near the map.
  ///
  /// Source: Sutherland and Hodgman, "Reentrant Polygon Clipping", CACM 17 (1974).
  private func cut(_ ring: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
    typealias Corner = (x: Double, y: Double)
    let sides: [(Corner) -> Double] = [
      { $0.x + Self.reach }, { width + Self.reach - $0.x }, { $0.y + Self.reach },
      { height + Self.reach - $0.y },
    ]
    var ring = ring
    for inside in sides where ring.contains(where: { inside($0) < 0 }) {
      var kept: [Corner] = []
      for (index, end) in ring.enumerated() {
        let start = ring[index == 0 ? ring.count - 1 : index - 1]
        let (before, after) = (inside(start), inside(end))
        if before < 0 && after > 0 || before > 0 && after < 0 {
          let part = before / (before - after)
          kept.append((start.x + part * (end.x - start.x), start.y + part * (end.y - start.y)))
        }
        if after >= 0 { kept.append(end) }
      }
      ring = kept
    }
    return ring
  }

  /// Returns the multiples of 360 degrees by which a ring must be shifted to be visible.
  ///
  /// - Parameter ring: A ring that spans any longitudes.
  /// - Returns: No shifts if the ring is outside the frame; several if it is visible several times.
  private func shifts(of ring: MapRing) -> [Double] {
    guard ring.latitudes.upperBound >= south, ring.latitudes.lowerBound <= north else { return [] }
    return [-720, -360, 0, 360, 720].filter {
      ring.longitudes.upperBound + $0 >= west && ring.longitudes.lowerBound + $0 <= east
    }
  }

  /// Returns the shortest interval of longitude that contains all longitudes; nil if there are
  /// none.
  ///
  /// - Complexity: O(n log n).
  static func longitudeExtent(_ longitudes: [Double]) -> (west: Double, span: Double)? {
    let sorted = longitudes.map { $0 - 360 * (($0 + 180) / 360).rounded(.down) }.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    // The gap across the antimeridian comes first, so it is preferred among equal gaps.
    var best = (gap: first + 360 - last, west: first)
    for (left, right) in zip(sorted, sorted.dropFirst()) where right - left > best.gap {
      best = (right - left, right)
    }
    return (best.west, 360 - best.gap)
  }
}

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
    kilometres = roundNumber(atMost: pixels / pixelsPerKilometre)
    self.pixels = kilometres * pixelsPerKilometre
    let length =
      kilometres >= 1
      ? "\(grouped(Int(kilometres.rounded()))) km"
      : "\(grouped(Int((kilometres * 1000).rounded()))) m"
    let degrees = Int(abs(latitude).rounded())
    label = "\(length) at \(degrees)°\(degrees == 0 ? "" : latitude < 0 ? "S" : "N")"
  }
}
