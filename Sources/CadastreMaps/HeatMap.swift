import Foundation

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
  ///   - points: The positions and weights; those of a weight that is not positive have no effect.
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
      // By the square root low densities get more of the classes.
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
        guard let longitude = frame.unwrapped(point.longitude),
          frame.south...frame.north ~= point.latitude
        else { return nil }
        return (frame.x(longitude), frame.y(point.latitude), weight)
      }, width: frame.width, height: frame.height)
  }
}
