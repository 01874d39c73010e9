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
    let visible = points.compactMap { point -> (x: Double, y: Double)? in
      guard let longitude = frame.unwrapped(point.longitude),
        frame.south...frame.north ~= point.latitude
      else { return nil }
      return (frame.x(longitude), frame.y(point.latitude))
    }
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
