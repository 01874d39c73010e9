import CadastreFormatting
import Foundation

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

/// Density maps: where dots would overlap, hexagons show the number of points by colour.
extension MapSVG {
  /// The colours of the classes, from few to many points; each is darker than the one before, so
  /// that they differ without colour vision too.
  ///
  /// Source: ColorBrewer 2.0, "OrRd", without the lightest colours; marked there as safe for the
  /// colour-blind.
  static let ramp = ["#fdbb84", "#fc8d59", "#e34a33", "#b30000", "#5c0a0a"]

  /// The number of points from which a map always shows density.
  private static let alwaysDense = 5_000
  /// The number of points from which a map shows density if most dots would overlap.
  private static let possiblyDense = 400

  /// Returns the density grid if dots would hide each other, else nil.
  ///
  /// - Complexity: O(n) in the number of points.
  func density(_ points: [MapPoint], _ frame: MapFrame, dotRadius: Double) -> DensityGrid? {
    guard points.count >= Self.possiblyDense else { return nil }
    let visible = points.compactMap(frame.position)
    if visible.count < Self.alwaysDense {
      let cells = Set(visible.map { SIMD2(Int($0.x / dotRadius), Int($0.y / dotRadius)) })
      guard cells.count < visible.count / 2 else { return nil }
    }
    return DensityGrid(visible)
  }

  /// Returns the colour of a class; the classes are spread over the ramp.
  static func colour(ofClass index: Int, of count: Int) -> String {
    count < 2 ? ramp[2] : ramp[index * (ramp.count - 1) / (count - 1)]
  }

  func hexagons(_ grid: DensityGrid) -> String {
    let radius = SVGPath.tenths(DensityGrid.radius)
    // Hexagons have a corner at the top, so half their width is radius · cos 30°.
    let (half, side) = (SVGPath.tenths(DensityGrid.radius * 0.866), radius / 2)
    var paths = [SVGPath](repeating: SVGPath(), count: grid.classes.count)
    for cell in grid.cells {
      let (x, y) = (SVGPath.tenths(cell.x), SVGPath.tenths(cell.y))
      paths[grid.classIndex(of: cell)].ring([
        (x, y - radius), (x + half, y - side), (x + half, y + side), (x, y + radius),
        (x - half, y + side), (x - half, y - side),
      ])
    }
    var svg = "<g transform=\"scale(.1)\" fill-opacity=\".9\">\n"
    for (index, path) in paths.enumerated() where !path.data.isEmpty {
      let colour = Self.colour(ofClass: index, of: paths.count)
      svg += "<path d=\"\(path.data)\" fill=\"\(colour)\"/>\n"
    }
    return svg + "</g>\n"
  }
}

/// The density of points as a smooth surface in classes, for a heat map.
///
/// Each point adds a normal distribution around it; the density of a class is a fraction of the
/// greatest one. Source: B. Silverman, "Density Estimation for Statistics and Data Analysis", 1986,
/// chapter 4.
struct HeatMap {
  /// The side of a cell, in pixels.
  static let cell = 3.0
  /// The colours of the classes, from low to high density.
  ///
  /// Source: ColorBrewer 2.0, "YlOrRd" with 8 classes.
  static let colours = [
    "#ffffcc", "#ffeda0", "#fed976", "#feb24c", "#fd8d3c", "#fc4e2a", "#e31a1c", "#b10026",
  ]
  /// The standard deviation of the distribution around a point, in pixels.
  private static let deviation = 13.0
  /// The fraction of the greatest density from which a cell has a colour.
  private static let lowest = 0.01

  private let columns: Int
  private let rows: Int
  /// The class of each cell from 1, row by row; 0 for none.
  private let classes: [UInt8]

  /// Computes the density of points given in pixels.
  ///
  /// - Parameters:
  ///   - points: The positions and weights; points without a positive weight have no effect.
  ///   - width: The width of the map in pixels.
  ///   - height: The height of the map in pixels.
  /// - Complexity: O(n + c) for n points and c cells.
  init(_ points: [(x: Double, y: Double, weight: Double)], width: Double, height: Double) {
    columns = Int((width / Self.cell).rounded(.up))
    rows = Int((height / Self.cell).rounded(.up))
    var density = [Double](repeating: 0, count: columns * rows)
    for point in points where point.weight > 0 && point.weight.isFinite {
      let column = min(max(Int(point.x / Self.cell), 0), columns - 1)
      let row = min(max(Int(point.y / Self.cell), 0), rows - 1)
      density[row * columns + column] += point.weight
    }
    density = Self.blurred(density, count: columns, stride: 1, lines: rows, lineStride: columns)
    density = Self.blurred(density, count: rows, stride: columns, lines: columns, lineStride: 1)
    let greatest = density.max() ?? 0
    let count = Double(Self.colours.count)
    classes = density.map { value in
      guard greatest > 0, value >= greatest * Self.lowest else { return 0 }
      // The square root gives low densities more classes.
      return UInt8(min(count, (value / greatest).squareRoot() * count + 1))
    }
  }

  /// Returns cells convolved with the distribution along one axis.
  private static func blurred(
    _ cells: [Double], count: Int, stride: Int, lines: Int, lineStride: Int
  ) -> [Double] {
    let sigma = deviation / cell
    let reach = Int((3 * sigma).rounded(.up))
    let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    var result = [Double](repeating: 0, count: cells.count)
    for line in 0..<lines {
      for index in 0..<count {
        let value = cells[line * lineStride + index * stride]
        if value == 0 { continue }
        for target in max(0, index - reach)...min(count - 1, index + reach) {
          result[line * lineStride + target * stride] += value * kernel[target - index + reach]
        }
      }
    }
    return result
  }

  /// The cells as SVG: a path for each class, made of runs of cells in a row.
  var svg: String {
    var paths = [String](repeating: "", count: Self.colours.count)
    let side = Int(Self.cell)
    for row in 0..<rows {
      var column = 0
      while column < columns {
        let value = classes[row * columns + column]
        let start = column
        while column < columns, classes[row * columns + column] == value { column += 1 }
        guard value > 0 else { continue }
        paths[Int(value) - 1] +=
          "M\(start * side) \(row * side)h\((column - start) * side)v\(side)h-\((column - start) * side)z"
      }
    }
    var svg = "<g fill-opacity=\".72\" shape-rendering=\"crispEdges\">\n"
    for (path, colour) in zip(paths, Self.colours) where !path.isEmpty {
      svg += "<path d=\"\(path)\" fill=\"\(colour)\"/>\n"
    }
    return svg + "</g>\n"
  }
}

extension MapSVG {
  /// Returns the density of all points, weighted by the sizes of the groups if there are any.
  func heatMap(_ points: [MapPoint], _ frame: MapFrame) -> HeatMap {
    let weighted =
      groups.contains { !$0.sizes.isEmpty }
      ? groups.flatMap { Array(zip($0.points, $0.sizes)) } : points.map { ($0, 1) }
    return HeatMap(
      weighted.compactMap { point, weight in
        frame.position(point).map { ($0.x, $0.y, weight) }
      }, width: frame.width, height: frame.height)
  }
}
