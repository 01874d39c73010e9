/// The arcs of a region cut into strips of longitude, for finding what lies north of a point.
///
/// Each strip lists the parts of arcs that pass through it with bounds of their latitudes, those
/// that reach furthest north first. Most points are decided by comparing doubles; only a point
/// within the bounds of a part needs the arc itself.
///
/// Building is O(n log n): the number of strips is halved until the lists hold at most
/// `partsPerArc` entries an arc.
final class ArcStrips {
  /// The part of an arc within one strip.
  struct Part {
    var west: Double
    var east: Double
    var minLatitude: Double
    var maxLatitude: Double
    var arc: Int32
    var role: UInt8
  }

  /// The longitude at which strip 0 begins.
  let start: Double
  /// Degrees covered by all strips; beyond there are no arcs.
  let width: Double
  /// Strips per degree.
  let scale: Double
  let count: Int
  private let parts: UnsafeMutablePointer<Part>
  /// Where each strip's parts begin, and the end of the last one.
  private let bounds: UnsafeMutablePointer<Int32>

  /// How many entries an arc may have on average.
  ///
  /// Two strips an arc keep the lists at some four parts for round shapes; six leaves room for
  /// wide ones. Re-measure with a star of 8,001 vertices.
  private static let partsPerArc = 6

  init(arcs: UnsafeBufferPointer<Arc>, edges: EdgeModel) {
    let interval = Self.interval(of: arcs, edges: edges)
    var count = min(max(8, arcs.count * 2), 1 << 17)
    let width = max(interval.width, 1e-9)
    let limit = arcs.count * Self.partsPerArc + 64
    while count > 1 {
      var total = 0
      for arc in arcs {
        let range = Self.strips(of: arc, start: interval.start, scale: Double(count) / width, count)
        total += range.count
        if total > limit { break }
      }
      if total <= limit { break }
      count /= 2
    }
    start = interval.start
    self.width = interval.width
    self.count = count
    scale = Double(count) / width
    bounds = .allocate(capacity: count + 1)
    parts = Self.fill(
      bounds, arcs: arcs, edges: edges, start: interval.start, scale: scale, count: count)
  }

  deinit {
    parts.deallocate()
    bounds.deallocate()
  }

  /// The parts, and where each strip's begin; they live as long as the strips.
  var lists: (UnsafePointer<Part>, UnsafePointer<Int32>) {
    (UnsafePointer(parts), UnsafePointer(bounds))
  }

  /// The shortest interval of longitudes that holds all arcs; on the sphere it may pass ±180°.
  private static func interval(
    of arcs: UnsafeBufferPointer<Arc>, edges: EdgeModel
  ) -> (start: Double, width: Double) {
    let sorted = arcs.map { ($0.west, $0.east) }.sorted { $0.0 < $1.0 }
    guard let first = sorted.first else { return (0, 0) }
    var reach = first.1
    var gap = 0.0
    var afterGap = first.0
    for (west, east) in sorted {
      if west - reach > gap {
        gap = west - reach
        afterGap = west
      }
      reach = max(reach, east)
    }
    let outside = 360 - (reach - first.0)
    return edges == .planar || outside >= gap
      ? (first.0, reach - first.0) : (afterGap, 360 - gap)
  }

  /// How far in strips a computed position may be off, generously.
  private static func slack(_ scale: Double) -> Double {
    1e-3 + 2e-13 * scale
  }

  /// The longitude of an arc's western end, counted on from `start` without a jump at ±180°.
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
            west: arc.west, east: arc.east, minLatitude: latitudes.0, maxLatitude: latitudes.1,
            arc: Int32(index), role: arc.role.rawValue))
        next[strip] += 1
      }
    }
    for strip in 0..<count {
      var slice = UnsafeMutableBufferPointer(
        start: parts + Int(bounds[strip]), count: Int(bounds[strip + 1] - bounds[strip]))
      slice.sort { $0.maxLatitude > $1.maxLatitude }
    }
    return parts
  }
}
