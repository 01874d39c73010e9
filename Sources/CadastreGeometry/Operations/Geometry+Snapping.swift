/// The positions to which geometries snap, with an index.
///
/// - Complexity: O(n log n) to build.
package final class SnapTargets: Sendable {
  private let positions: [GeoPosition]
  /// The index of the positions; nil if there are none.
  private let index: EnvelopeIndex?

  /// Creates the targets of a geometry: its positions without repetitions.
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
  ///
  /// The new vertices of an edge depend on its ends only, and not on its direction, so that equal edges stay equal.
  fileprivate func snapped(_ line: [GeoPosition], within width: Double) -> [GeoPosition] {
    let moved = line.map { snapped($0, within: width) }
    var result = Array(moved.prefix(1))
    for (start, end) in zip(moved, moved.dropFirst()) {
      for (number, fraction) in targets(onEdgeFrom: start.vertex, to: end.vertex, within: width) {
        let altitude = start.altitude.flatMap { first in
          end.altitude.map { first + ($0 - first) * fraction }
        }
        result.append(positions[number].with(altitude: altitude))
      }
      result.append(end)
    }
    return result
  }

  /// Returns the targets near an edge that have their nearest point between its ends, from its start to its end.
  ///
  /// - Parameters:
  ///   - start: The start of the edge.
  ///   - end: The end of the edge.
  ///   - width: The greatest angle between a target and the edge, in radians.
  /// - Returns: The numbers of the targets, and the fractions of the edge at which they are.
  private func targets(
    onEdgeFrom start: Vertex, to end: Vertex, within width: Double
  ) -> [(number: Int, fraction: Double)] {
    let (first, last) = (start.onSphere, end.onSphere)
    let isReversed = (last.longitude, last.latitude) < (first.longitude, first.latitude)
    guard
      let segment = isReversed
        ? Segment(last, first, edges: .spherical) : Segment(first, last, edges: .spherical)
    else { return [] }
    let length = segment.length(.spherical)
    let found = numbers(near: segment, within: width, depth: Self.maximumDepth).compactMap {
      number -> (number: Int, fraction: Double)? in
      let vertex = positions[number].vertex.onSphere
      let fraction = segment.position(of: vertex, edges: .spherical) / length
      guard vertex != first, vertex != last, fraction > 0, fraction < 1,
        segment.angle(to: vertex, edges: .spherical) <= width
      else { return nil }
      return (number, fraction)
    }.sorted { ($0.fraction, $0.number) < ($1.fraction, $1.number) }
    return isReversed ? found.reversed().map { ($0.number, 1 - $0.fraction) } : found
  }

  /// The greatest number of halvings of an edge in a search.
  private static let maximumDepth = 12
  /// The number of targets in the bounding box of an edge from which on its halves are searched.
  private static let maximumCandidates = 16

  /// Returns the numbers of the targets in the bounding box of an edge, or in those of its halves if there are many.
  private func numbers(near segment: Segment, within width: Double, depth: Int) -> Set<Int> {
    guard let index else { return [] }
    var found: Set<Int> = []
    let isFull = segment.envelopes(.spherical).flatMap { $0.expanded(by: width) }.contains {
      index.contains(intersecting: $0) { number in
        found.insert(number)
        return depth > 0 && found.count > Self.maximumCandidates
      }
    }
    let middle = segment.point(at: segment.length(.spherical) / 2, edges: .spherical)
    guard isFull, let first = Segment(segment.start, middle, edges: .spherical),
      let second = Segment(middle, segment.end, edges: .spherical)
    else { return found }
    return numbers(near: first, within: width, depth: depth - 1)
      .union(numbers(near: second, within: width, depth: depth - 1))
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
  /// edge becomes a vertex of the edge. Rings and lines whose vertices all move to one position are left out. Distances are
  /// those on the sphere, and edges are great circles.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - distance: The greatest distance of a moved vertex. An edge moves farther where its ends move and it gets vertices, up to
  ///     twice the distance.
  /// - Returns: The geometry with moved vertices.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if a valid geometry became invalid or empty.
  /// - Complexity: O((n + m) log m) for n positions of the geometry and m positions of the other one, if few of them are near
  ///   each edge.
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
    let moved = unchecked(snappedTo: targets, within: distance.radians)
    guard moved != self else { return self }
    let snapped = moved.withoutRepetitions
    guard !snapped.isEmpty else {
      throw .geometryLibrary("all vertices move to one position; expected a smaller distance")
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

  /// Returns the geometries of a layer with vertices that are near each other moved to one position, so that borders that
  /// nearly agree become equal.
  ///
  /// The positions are those of the layer in their order, without those within the distance of an earlier one. A vertex moves
  /// to the nearest position, at most by the distance; vertices of one geometry become one, too. A position within the distance
  /// of an edge becomes a vertex of the edge. Rings that become lines are left out, and a geometry that would become invalid or
  /// empty is returned as it is.
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

/// Positions in cells of the space around the sphere, so that those near a point are found.
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
