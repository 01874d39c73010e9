/// Points that are too many to be told apart, as hexagons of a deeper colour the more there are.
extension MapSVG {
  /// From few to many, ever darker, so that they are told apart without colour too.
  ///
  /// Source: ColorBrewer 2.0, "OrRd", of which the lightest are left out; marked there as safe for the
  /// colour-blind.
  static let ramp = ["#fdbb84", "#fc8d59", "#e34a33", "#b30000", "#5c0a0a"]

  /// From so many points on, dots hide each other wherever they lie.
  private static let manyPoints = 5_000
  /// From so many on, they do where most of them share a place on the sheet with others.
  private static let severalPoints = 400

  /// The grid, where dots would hide each other; nil where each can be seen.
  func density(_ points: [MapPoint], _ frame: MapFrame, dotRadius: Double) -> DensityGrid? {
    guard points.count >= Self.severalPoints else { return nil }
    let places = points.compactMap { point -> (x: Double, y: Double)? in
      guard let longitude = frame.unwrapped(point.longitude),
        frame.south...frame.north ~= point.latitude
      else { return nil }
      return (frame.x(longitude), frame.y(point.latitude))
    }
    if places.count < Self.manyPoints {
      let patches = Set(places.map { SIMD2(Int($0.x / dotRadius), Int($0.y / dotRadius)) })
      guard patches.count < places.count / 2 else { return nil }
    }
    return DensityGrid(places)
  }

  /// The class's colour: the whole ramp is used however few classes there are.
  static func colour(_ number: Int, of count: Int) -> String {
    count < 2 ? ramp[2] : ramp[number * (ramp.count - 1) / (count - 1)]
  }

  func hexagons(_ grid: DensityGrid) -> String {
    let radius = SVGPath.tenths(DensityGrid.radius)
    // 0.866 is the cosine of 30°; a hexagon stands on a corner.
    let (half, side) = (SVGPath.tenths(DensityGrid.radius * 0.866), radius / 2)
    var paths = [SVGPath](repeating: SVGPath(), count: grid.classes.count)
    for cell in grid.cells {
      let (x, y) = (SVGPath.tenths(cell.x), SVGPath.tenths(cell.y))
      paths[grid.number(of: cell)].ring([
        (x, y - radius), (x + half, y - side), (x + half, y + side), (x, y + radius),
        (x - half, y + side), (x - half, y - side),
      ])
    }
    var svg = "<g transform=\"scale(.1)\" fill-opacity=\".9\">\n"
    for (number, path) in paths.enumerated() where !path.data.isEmpty {
      let colour = Self.colour(number, of: paths.count)
      svg += "<path d=\"\(path.data)\" fill=\"\(colour)\"/>\n"
    }
    return svg + "</g>\n"
  }
}
