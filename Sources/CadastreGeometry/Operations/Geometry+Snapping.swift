/// The positions to which geometries snap, with an index.
///
/// - Complexity: O(n log n) to build.
package final class SnapTargets: Sendable {
  private let positions: [GeoPosition]
  /// The index of the positions; nil if there are none.
  private let index: EnvelopeIndex?

  /// Creates the targets of a geometry: its positions, each place once.
  package convenience init(_ geometry: Geometry) {
    var known: Set<Vertex> = []
    var positions: [GeoPosition] = []
    _ = geometry.mapPositions { position in
      if known.insert(position.vertex.onSphere).inserted { positions.append(position) }
      return position
    }
    self.init(positions)
  }

  /// Creates the targets of a layer, in which positions that are near each other become one.
  ///
  /// A position is a target if no earlier target is within the distance.
  ///
  /// - Parameters:
  ///   - layer: The geometries.
  ///   - distance: The greatest distance between a position and its target.
  package convenience init(layer: some Sequence<Geometry>, within distance: Distance) {
    var grid = PositionGrid(width: distance.radians)
    for geometry in layer {
      _ = geometry.mapPositions { position in
        grid.insert(position)
        return position
      }
    }
    self.init(grid.positions)
  }

  private init(_ positions: [GeoPosition]) {
    self.positions = positions
    var entries = EnvelopeIndex.Entries()
    for (number, position) in positions.enumerated() {
      entries.append(longitude: position.longitude, latitude: position.latitude, of: number)
    }
    index = EnvelopeIndex(entries)
  }

  /// Whether there is no position.
  package var isEmpty: Bool { positions.isEmpty }

  /// Returns the number of the target nearest to a position; nil if none is within a distance in radians.
  private func nearest(to vertex: Vertex, within width: Double) -> Int? {
    var nearest: Int?
    var least = width.nextUp
    _ = index?.leastAngle(from: vertex, below: least) { number in
      let angle = positions[number].vertex.angle(to: vertex)
      if angle < least { (nearest, least) = (number, angle) }
      return angle
    }
    return nearest
  }

  /// Returns a line with its vertices moved to targets, and with targets near its edges as vertices.
  fileprivate func snapped(_ line: [GeoPosition], within width: Double) -> [GeoPosition] {
    let numbers = line.map { nearest(to: $0.vertex, within: width) }
    let moved = zip(line, numbers).map { position, number in
      number.map { positions[$0].with(altitude: position.altitude) } ?? position
    }
    let vertices = Set(numbers.compactMap(\.self))
    // The edge nearest to each target.
    var edges: [Int: (edge: Int, angle: Double)] = [:]
    let segments = zip(moved, moved.dropFirst()).map {
      Segment($0.vertex, $1.vertex, edges: .spherical)
    }
    for case (let edge, let segment?) in segments.enumerated() {
      let near = segment.envelopes(.spherical).flatMap { $0.expanded(by: width) }
      for number in index?.elements(near: near) ?? [] where !vertices.contains(number) {
        let angle = segment.angle(to: positions[number].vertex, edges: .spherical)
        if angle <= width, angle < edges[number]?.angle ?? .infinity {
          edges[number] = (edge, angle)
        }
      }
    }
    guard !edges.isEmpty else { return moved }
    let added = Dictionary(grouping: edges.keys) { edges[$0]?.edge ?? 0 }
    var result = Array(moved.prefix(1))
    for case (let edge, let segment?) in segments.enumerated() {
      let between = (added[edge] ?? []).map { number in
        (
          number: number,
          position: segment.position(of: positions[number].vertex, edges: .spherical)
        )
      }
      let length = segment.length(.spherical)
      for (number, position) in between.sorted(by: {
        ($0.position, $0.number) < ($1.position, $1.number)
      }) {
        let altitude = moved[edge].altitude.flatMap { start in
          moved[edge + 1].altitude.map { start + ($0 - start) * position / length }
        }
        result.append(positions[number].with(altitude: altitude))
      }
      result.append(moved[edge + 1])
    }
    return result
  }

  /// Returns a position at the nearest target, or as it is.
  fileprivate func snapped(_ position: GeoPosition, within width: Double) -> GeoPosition {
    nearest(to: position.vertex, within: width).map {
      positions[$0].with(altitude: position.altitude)
    } ?? position
  }
}

extension Geometry {
  /// Returns the geometry with its vertices moved to positions of another geometry that are near, so that borders that
  /// nearly agree become equal.
  ///
  /// A vertex moves to the nearest position within the distance, and keeps its altitude. A position within the distance of an
  /// edge becomes a vertex of the nearest edge. Distances are those on the sphere, and edges are great circles.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - distance: The greatest distance of a moved vertex.
  /// - Returns: The geometry with moved vertices.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if a valid geometry became invalid or empty.
  /// - Complexity: O((n + m) log m) for n positions of the geometry and m positions of the other one, if few of them are near
  ///   an edge.
  public func snapped(
    to other: Geometry, within distance: Distance
  ) throws(GeometryError) -> Geometry {
    try snapped(to: SnapTargets(other), within: distance)
  }

  /// Returns the geometry with its vertices moved to near targets.
  ///
  /// - Parameters:
  ///   - targets: The targets.
  ///   - distance: The greatest distance of a moved vertex.
  /// - Returns: The geometry with moved vertices.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if a valid geometry became invalid or empty.
  package func snapped(
    to targets: SnapTargets, within distance: Distance
  ) throws(GeometryError) -> Geometry {
    try refuseWholeParallels()
    let snapped = unchecked(snappedTo: targets, within: distance.radians).withoutRepetitions
    guard snapped != self else { return self }
    guard !snapped.isEmpty else {
      throw .geometryLibrary("all vertices move to one place; expected a smaller distance")
    }
    guard snapped.isValid() || !isValid() else {
      throw .geometryLibrary("the geometry becomes invalid; expected a smaller distance")
    }
    return snapped
  }

  private func unchecked(snappedTo targets: SnapTargets, within width: Double) -> Geometry {
    mapLines(point: { targets.snapped($0, within: width) }) {
      targets.snapped($0, within: width)
    }
  }

  /// Returns geometries in which each vertex that is on an edge of another one, within the tolerance of borders, is a vertex
  /// of that edge.
  ///
  /// Edges on one great circle have common parts then, in spite of rounding.
  ///
  /// - Complexity: O(n log n) in the number of positions.
  static func withCommonVertices(_ geometries: [Geometry]) -> [Geometry] {
    let all = Geometry(unchecked: .collection(geometries))
    let targets = SnapTargets(all)
    return geometries.map { $0.unchecked(snappedTo: targets, within: Arc.borderTolerance) }
  }

  /// Returns the geometries of a layer with vertices that are near each other moved to one place, so that borders that nearly
  /// agree become equal.
  ///
  /// A vertex moves by at most the distance. A vertex of one geometry within the distance of an edge of another one becomes
  /// a vertex of that edge. A geometry that would become invalid is returned as it is.
  ///
  /// - Parameters:
  ///   - layer: The geometries.
  ///   - distance: The greatest distance of a moved vertex.
  /// - Returns: The geometries in their order.
  /// - Complexity: O(n log n) in the number of positions, if few of them are near an edge.
  public static func snapped(_ layer: [Geometry], within distance: Distance) -> [Geometry] {
    let targets = SnapTargets(layer: layer, within: distance)
    return layer.map { (try? $0.snapped(to: targets, within: distance)) ?? $0 }
  }
}

/// Positions in cells of the space around the sphere, so that those near a place are found.
private struct PositionGrid {
  /// The positions, in the order in which they were inserted.
  private(set) var positions: [GeoPosition] = []
  private var cells: [SIMD3<Int64>: [Int]] = [:]
  private let width: Double
  /// The length of the edges of a cell.
  private let size: Double

  /// Creates an empty grid.
  ///
  /// - Parameter width: The angle within which positions count as one, in radians.
  init(width: Double) {
    self.width = width
    // A chord is not longer than its arc.
    size = min(2, max(width, 1e-15))
  }

  /// Adds a position, unless one within the width is there.
  mutating func insert(_ position: GeoPosition) {
    let vertex = position.vertex.onSphere
    let direction = position.canonicalDirection
    let cell = SIMD3<Int64>(
      Int64((direction.x / size).rounded(.down)), Int64((direction.y / size).rounded(.down)),
      Int64((direction.z / size).rounded(.down)))
    for x: Int64 in -1...1 {
      for y: Int64 in -1...1 {
        for z: Int64 in -1...1 {
          for number in cells[cell &+ SIMD3(x, y, z)] ?? []
          where positions[number].vertex.angle(to: vertex) <= width {
            return
          }
        }
      }
    }
    cells[cell, default: []].append(positions.count)
    positions.append(position)
  }
}
