import CadastreFormatting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of points in each cell of a hexagonal grid, classified from few to many.
struct DensityGrid {
  /// A hexagon: its centre in pixels and its number of points.
  struct Cell {
    var x: Double
    var y: Double
    var count: Int
  }

  /// The distance from the centre of a hexagon to a corner, in pixels.
  static let radius = 5.0

  /// The hexagons that contain points, row by row.
  let cells: [Cell]
  /// The smallest count of each class, ascending; at most five classes.
  let classes: [Int]

  /// Counts points given in pixels.
  ///
  /// - Complexity: O(n + c log c) for n points in c cells.
  init(_ points: [(x: Double, y: Double)]) {
    let (across, down) = (Self.radius * 3.0.squareRoot(), Self.radius * 1.5)
    var counts: [SIMD2<Int>: Int] = [:]
    for point in points {
      // The nearest centre is in one of the two rows around the point.
      let row = Int((point.y / down).rounded(.down))
      let candidates = [row, row + 1].map { row -> (cell: SIMD2<Int>, distance: Double) in
        let shift = row.isMultiple(of: 2) ? 0 : 0.5
        let column = Int((point.x / across - shift).rounded())
        let x = (Double(column) + shift) * across - point.x
        let y = Double(row) * down - point.y
        return (SIMD2(row, column), x * x + y * y)
      }
      counts[
        (candidates[0].distance <= candidates[1].distance ? candidates[0] : candidates[1]).cell,
        default: 0] += 1
    }
    cells = counts.sorted { ($0.key.x, $0.key.y) < ($1.key.x, $1.key.y) }.map { cell, count in
      let shift = cell.x.isMultiple(of: 2) ? 0 : 0.5
      return Cell(x: (Double(cell.y) + shift) * across, y: Double(cell.x) * down, count: count)
    }
    classes = Self.classes(upTo: counts.values.max() ?? 1)
  }

  /// Returns lower class bounds from 1 in about equal ratios, rounded to 1, 2 or 5 times a power of
  /// ten.
  static func classes(upTo maximum: Int) -> [Int] {
    var bounds = [1]
    for step in 1..<5 {
      let bound = rounded(pow(Double(maximum), Double(step) / 5))
      if bound > bounds[bounds.count - 1], bound <= maximum { bounds.append(bound) }
    }
    return bounds
  }

  private static func rounded(_ number: Double) -> Int {
    let magnitude = pow(10, log10(number).rounded(.down))
    let digit = [1.0, 2, 5, 10].min { abs($0 * magnitude - number) < abs($1 * magnitude - number) }
    return Int((digit ?? 1) * magnitude)
  }

  /// Returns the index of a hexagon's class.
  func classIndex(of cell: Cell) -> Int { (classes.lastIndex { $0 <= cell.count }) ?? 0 }

  /// Returns the range of a class for the legend: `5–19`, `1,000 and more`.
  func label(ofClass index: Int) -> String {
    let lower = classes[index]
    guard index + 1 < classes.count else {
      return index == 0 ? "1" : "\(grouped(lower)) and more"
    }
    let upper = classes[index + 1] - 1
    return upper == lower ? grouped(lower) : "\(grouped(lower))–\(grouped(upper))"
  }
}
