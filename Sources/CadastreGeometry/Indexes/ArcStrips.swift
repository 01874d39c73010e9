/// An index of arcs by strips of longitude, for finding the arcs north of a point.
///
/// Each strip lists the parts of the arcs that cross it, with bounds of their latitudes, the
/// northernmost first. Most points are classified by comparing doubles; only a point within the
/// bounds of a part needs the arc itself.
///
/// - Complexity: O(n log n) to build. The number of strips is halved until the lists have at most
///   `partsPerArc` entries per arc.
final class ArcStrips {
  /// The part of an arc within a strip.
  struct Part {
    var west: Double
    var east: Double
    var south: Double
    var north: Double
    var arc: Int32
    var role: UInt8
  }

  /// Strips per degree.
  let scale: Double
  /// The number of strips.
  let count: Int
  private let parts: UnsafeMutablePointer<Part>
  /// The index of each strip's first part, and the number of all parts.
  private let bounds: UnsafeMutablePointer<Int32>

  /// The maximum number of entries per arc, on average.
  ///
  /// With two strips per arc the lists of round shapes have about four parts; six allows wide
  /// shapes. Re-measure with a star of 8,001 vertices.
  private static let partsPerArc = 6

  /// Indexes arcs within their extent.
  init(arcs: UnsafeBufferPointer<Arc>, _ extent: ArcExtent, edges: EdgeModel) {
    var count = min(max(8, arcs.count * 2), 1 << 17)
    let width = max(extent.width, 1e-9)
    let limit = arcs.count * Self.partsPerArc + 64
    while count > 1 {
      var total = 0
      for arc in arcs {
        let range = Self.strips(of: arc, start: extent.start, scale: Double(count) / width, count)
        total += range.count
        if total > limit { break }
      }
      if total <= limit { break }
      count /= 2
    }
    self.count = count
    scale = Double(count) / width
    bounds = .allocate(capacity: count + 1)
    parts = Self.fill(
      bounds, arcs: arcs, edges: edges, start: extent.start, scale: scale, count: count)
  }

  deinit {
    parts.deallocate()
    bounds.deallocate()
  }

  /// The parts and the index of each strip's first part; valid during the lifetime of the strips.
  var lists: (UnsafePointer<Part>, UnsafePointer<Int32>) {
    (UnsafePointer(parts), UnsafePointer(bounds))
  }

  /// Returns an upper bound of the error of a computed position, in strips.
  private static func slack(_ scale: Double) -> Double {
    1e-3 + 2e-13 * scale
  }

  /// Returns the equivalent longitude of an arc's western end that is not less than `start`.
  private static func unrolled(_ west: Double, start: Double) -> Double {
    west < start ? west + 360 : west
  }

  private static func strips(
    of arc: Arc, start: Double, scale: Double, _ count: Int
  ) -> ClosedRange<Int> {
    let west = (unrolled(arc.west, start: start) - start) * scale
    let east = west + (arc.east - arc.west) * scale
    let last = Double(count - 1)
    let first = min(last, max(0, west - slack(scale)))
    return Int(first)...Int(min(last, max(first, east + slack(scale))))
  }

  private static func fill(
    _ bounds: UnsafeMutablePointer<Int32>, arcs: UnsafeBufferPointer<Arc>, edges: EdgeModel,
    start: Double, scale: Double, count: Int
  ) -> UnsafeMutablePointer<Part> {
    bounds.initialize(repeating: 0, count: count + 1)
    for arc in arcs {
      for strip in strips(of: arc, start: start, scale: scale, count) { bounds[strip + 1] += 1 }
    }
    for strip in 0..<count { bounds[strip + 1] += bounds[strip] }
    let parts = UnsafeMutablePointer<Part>.allocate(capacity: Int(bounds[count]))
    var next = Array(UnsafeBufferPointer(start: bounds, count: count))
    for (index, arc) in arcs.enumerated() {
      let shift = unrolled(arc.west, start: start) - arc.west
      for strip in strips(of: arc, start: start, scale: scale, count) {
        let west = start + (Double(strip) - slack(scale)) / scale - shift
        let east = start + (Double(strip + 1) + slack(scale)) / scale - shift
        let latitudes = arc.latitudes(
          from: min(max(arc.west, west), arc.east), to: max(min(arc.east, east), arc.west),
          edges: edges)
        (parts + Int(next[strip])).initialize(
          to: Part(
            west: arc.west, east: arc.east, south: latitudes.0, north: latitudes.1,
            arc: Int32(index), role: arc.role.rawValue))
        next[strip] += 1
      }
    }
    for strip in 0..<count {
      var slice = UnsafeMutableBufferPointer(
        start: parts + Int(bounds[strip]), count: Int(bounds[strip + 1] - bounds[strip]))
      slice.sort { $0.north > $1.north }
    }
    return parts
  }
}
