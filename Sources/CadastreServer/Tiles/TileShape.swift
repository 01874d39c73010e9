import CadastreGeometry

/// Converts geometries to tile units, simplifies them, and clips them to the buffer of the tile.
struct TileShape {
  let tile: TileAddress

  private typealias Position = (x: Double, y: Double)

  private static let low = -TileAddress.buffer
  private static let high = TileAddress.side + TileAddress.buffer
  /// The simplification tolerance in tile units: half a pixel of a tile with 256 pixels.
  private static let tolerance = 8.0

  /// Returns the parts of a geometry with the highest dimension; nil if no part is in the tile.
  func shape(_ geometry: Geometry) -> VectorTile.Shape? {
    let parts = geometry.parts
    if !parts.polygons.isEmpty {
      let rings = parts.polygons.flatMap(rings)
      return rings.isEmpty ? nil : .polygons(rings)
    }
    if !parts.lines.isEmpty {
      let lines = parts.lines.flatMap(lines)
      return lines.isEmpty ? nil : .lines(lines)
    }
    let points = parts.points.map { position($0) }.filter(Self.isInside).map(Self.rounded)
    return points.isEmpty ? nil : .points(points)
  }

  private func position(_ position: GeoPosition) -> Position {
    tile.position(longitude: position.longitude, latitude: position.latitude)
  }

  private static func isInside(_ position: Position) -> Bool {
    (low...high).contains(position.x) && (low...high).contains(position.y)
  }

  private static func rounded(_ position: Position) -> (x: Int, y: Int) {
    (Int(position.x.rounded()), Int(position.y.rounded()))
  }

  /// Returns a line without positions that are close to their predecessor; the last position stays.
  private func simplified(_ line: [GeoPosition]) -> [Position] {
    var simplified: [Position] = []
    for (index, vertex) in line.enumerated() {
      let next = position(vertex)
      if let last = simplified.last, index < line.count - 1,
        abs(next.x - last.x) + abs(next.y - last.y) < Self.tolerance
      {
        continue
      }
      simplified.append(next)
    }
    return simplified
  }

  // MARK: Lines

  /// Returns the pieces of a line inside the buffer, by the Liang–Barsky algorithm for each segment.
  private func lines(_ line: [GeoPosition]) -> [[(x: Int, y: Int)]] {
    let positions = simplified(line)
    var pieces: [[(x: Int, y: Int)]] = []
    var piece: [(x: Int, y: Int)] = []
    func end() {
      if piece.count > 1 { pieces.append(piece) }
      piece = []
    }
    for (start, stop) in zip(positions, positions.dropFirst()) {
      guard let (from, to) = Self.clipped(start, stop) else {
        end()
        continue
      }
      let (first, last) = (Self.rounded(from), Self.rounded(to))
      if piece.isEmpty {
        piece.append(first)
      } else if piece[piece.count - 1] != first {
        end(); piece = [first]
      }
      if piece[piece.count - 1] != last { piece.append(last) }
      if to != stop { end() }
    }
    end()
    return pieces
  }

  private static func clipped(_ start: Position, _ stop: Position) -> (Position, Position)? {
    var (enter, leave) = (0.0, 1.0)
    let (dx, dy) = (stop.x - start.x, stop.y - start.y)
    for (direction, distance) in [
      (-dx, start.x - low), (dx, high - start.x), (-dy, start.y - low), (dy, high - start.y),
    ] {
      if direction == 0 {
        if distance < 0 { return nil }
        continue
      }
      let ratio = distance / direction
      if direction < 0 { enter = max(enter, ratio) } else { leave = min(leave, ratio) }
      if enter > leave { return nil }
    }
    let at = { (ratio: Double) -> Position in
      ratio == 0 ? start : ratio == 1 ? stop : (start.x + ratio * dx, start.y + ratio * dy)
    }
    return (at(enter), at(leave))
  }

  // MARK: Polygons

  /// Returns the rings of a polygon inside the buffer; none if the exterior ring is outside.
  private func rings(_ polygon: [[GeoPosition]]) -> [[(x: Int, y: Int)]] {
    var rings: [[(x: Int, y: Int)]] = []
    for (index, ring) in polygon.enumerated() {
      guard let cut = self.ring(ring, isExterior: index == 0) else {
        if index == 0 { return [] }
        continue
      }
      rings.append(cut)
    }
    return rings
  }

  /// Returns a ring clipped by the Sutherland–Hodgman algorithm; nil for an empty area.
  private func ring(_ ring: [GeoPosition], isExterior: Bool) -> [(x: Int, y: Int)]? {
    var positions = simplified(ring)
    if positions.count > 1 { positions.removeLast() }
    let sides: [(KeyPath<Double2, Double>, Double, Bool)] = [
      (\.x, Self.low, true), (\.x, Self.high, false), (\.y, Self.low, true),
      (\.y, Self.high, false),
    ]
    var points = positions.map { Double2(x: $0.x, y: $0.y) }
    for (axis, limit, isLower) in sides {
      let inside = { (point: Double2) in
        isLower ? point[keyPath: axis] >= limit : point[keyPath: axis] <= limit
      }
      var clipped: [Double2] = []
      for (index, point) in points.enumerated() {
        let previous = points[index == 0 ? points.count - 1 : index - 1]
        if inside(point) != inside(previous) {
          let ratio =
            (limit - previous[keyPath: axis]) / (point[keyPath: axis] - previous[keyPath: axis])
          clipped.append(
            Double2(
              x: previous.x + ratio * (point.x - previous.x),
              y: previous.y + ratio * (point.y - previous.y)))
        }
        if inside(point) { clipped.append(point) }
      }
      points = clipped
    }
    var result: [(x: Int, y: Int)] = []
    for point in points {
      let next = Self.rounded((point.x, point.y))
      if let last = result.last, last == next { continue }
      result.append(next)
    }
    if result.count > 1, let first = result.first, let last = result.last, first == last {
      result.removeLast()
    }
    guard result.count > 2 else { return nil }
    var area = 0
    for (index, point) in result.enumerated() {
      let next = result[(index + 1) % result.count]
      area += point.x * next.y - next.x * point.y
    }
    guard area != 0 else { return nil }
    // As y increases to the south, a positive area means clockwise on the screen.
    return (area > 0) == isExterior ? result : result.reversed()
  }

  private struct Double2 {
    let x: Double
    let y: Double
  }
}
