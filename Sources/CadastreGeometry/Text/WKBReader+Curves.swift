#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Curves and surfaces, which the model does not have: arcs become lines, and patches become polygons.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", sections 6.1.8 and 8.2; ISO 13249-3 for the curves.

extension WKBReader {
  /// A position before the conversion of its coordinates.
  private struct Vertex {
    let x: Double
    let y: Double
    let z: Double

    /// Returns whether two positions are the same on the map.
    func isAt(_ other: Vertex) -> Bool { x == other.x && y == other.y }
  }

  /// Reads the content of a curve or a surface after its header.
  mutating func curvedShape(_ header: Header) throws(GeometryTextError) -> Geometry.Shape {
    guard let onChange = conversion?.onChange else {
      throw error("a geometry without curves", header.type.name)
    }
    let start = offset
    let shape: Geometry.Shape
    switch header.type {
    case .circularString, .compoundCurve:
      shape = .lineString(try positions(try curve(header), at: start))
    case .curvePolygon: shape = .polygon(try curveRings(header))
    case .multiCurve:
      shape = .multiLineString(
        try curves(header) { (reader, part) throws(GeometryTextError) in
          try reader.positions(try reader.curve(part), at: start)
        })
    case .multiSurface, .polyhedralSurface, .triangulatedSurface:
      shape = .multiPolygon(
        try curves(header) { (reader, part) throws(GeometryTextError) in
          switch part.type {
          case .curvePolygon: try reader.curveRings(part)
          case .polygon, .triangle: try reader.rings(part)
          default: throw reader.error("a Polygon or a CurvePolygon", part.type.name)
          }
        })
    case .triangle: shape = .polygon(try rings(header))
    default: throw error("a curve or a surface", header.type.name)
    }
    onChange(.curve)
    return shape
  }

  /// Reads the parts of a curve or a surface, each with a header of its own.
  private mutating func curves<Part>(
    _ header: Header, _ read: (inout WKBReader, Header) throws(GeometryTextError) -> Part
  ) throws(GeometryTextError) -> [Part] {
    // A part has at least its header and a number of elements.
    let count = try count(header, of: "parts", bytesEach: 9)
    var parts: [Part] = []
    for _ in 0..<count { parts.append(try read(&self, try self.header())) }
    return parts
  }

  private mutating func curveRings(_ header: Header) throws(GeometryTextError) -> [[GeoPosition]] {
    let start = offset
    return try curves(header) { (reader, part) throws(GeometryTextError) in
      try reader.positions(try reader.curve(part), at: start)
    }
  }

  /// Reads a line, a circular string or a compound curve as the vertices of a line.
  private mutating func curve(
    _ header: Header, depth: Int = 0
  ) throws(GeometryTextError) -> [Vertex] {
    switch header.type {
    case .lineString: return try vertices(header)
    case .circularString: return Self.linearized(try vertices(header))
    case .compoundCurve where depth == 0:
      let parts = try curves(header) { (reader, part) throws(GeometryTextError) in
        try reader.curve(part, depth: 1)
      }
      return parts.reduce(into: []) { line, part in
        let isJoined = line.last.flatMap { end in part.first?.isAt(end) } ?? false
        line += isJoined ? part.dropFirst() : part[...]
      }
    default: throw error("a line or a curve", header.type.name)
    }
  }

  private mutating func vertices(_ header: Header) throws(GeometryTextError) -> [Vertex] {
    let count = try count(header, of: "points", bytesEach: header.bytesPerPosition)
    var vertices: [Vertex] = []
    vertices.reserveCapacity(count)
    for _ in 0..<count {
      let (x, y, z) = try coordinates(header)
      vertices.append(Vertex(x: x, y: y, z: z))
    }
    return vertices
  }

  private func positions(
    _ vertices: [Vertex], at start: Int
  ) throws(GeometryTextError) -> [GeoPosition] {
    var positions: [GeoPosition] = []
    positions.reserveCapacity(vertices.count)
    for vertex in vertices {
      positions.append(try position(vertex.x, vertex.y, vertex.z, at: start))
    }
    return positions
  }

  // MARK: - Arcs

  /// The maximum angle of an arc that becomes one edge, as in GDAL.
  private static let step = Double.pi / 45

  /// Returns a line for arcs of three positions each, of which the last is the first of the next arc.
  private static func linearized(_ vertices: [Vertex]) -> [Vertex] {
    guard vertices.count >= 3 else { return vertices }
    var line = [vertices[0]]
    var index = 0
    while index + 2 < vertices.count {
      appendArc(vertices[index], vertices[index + 1], vertices[index + 2], to: &line)
      index += 2
    }
    return line + vertices[(index + 1)...]
  }

  /// Appends the vertices of an arc after its first one; equal ends denote a circle.
  private static func appendArc(
    _ first: Vertex, _ middle: Vertex, _ last: Vertex, to line: inout [Vertex]
  ) {
    let isCircle = first.isAt(last)
    let (bx, by) = (middle.x - first.x, middle.y - first.y)
    let (cx, cy) = (last.x - first.x, last.y - first.y)
    let turn = 2 * (bx * cy - by * cx)
    var (x, y) = (bx / 2, by / 2)
    if !isCircle {
      let (b, c) = (bx * bx + by * by, cx * cx + cy * cy)
      // Positions on one line are an arc of infinite radius.
      guard abs(turn) > 1e-15 * max(b, c) else {
        line += [middle, last]
        return
      }
      (x, y) = ((cy * b - by * c) / turn, (bx * c - cx * b) / turn)
    }
    x += first.x
    y += first.y
    let radius = hypot(first.x - x, first.y - y)
    let start = atan2(first.y - y, first.x - x)
    let isCounterclockwise = isCircle || turn > 0
    func sweep(to vertex: Vertex) -> Double {
      let angle = atan2(vertex.y - y, vertex.x - x) - start
      let full = 2 * Double.pi
      let positive = angle < 0 ? angle + full : angle
      return isCounterclockwise ? positive : positive - full
    }
    let total = isCircle ? 2 * Double.pi : sweep(to: last)
    // Huge coordinates have no centre.
    guard total.isFinite, radius.isFinite else {
      line += [middle, last]
      return
    }
    let count = max(Int((abs(total) / step).rounded(.up)), 1)
    for index in 1..<max(count, 1) {
      let share = Double(index) / Double(count)
      let angle = start + total * share
      line.append(
        Vertex(
          x: x + radius * cos(angle), y: y + radius * sin(angle),
          z: first.z + (last.z - first.z) * share))
    }
    line.append(last)
  }
}
