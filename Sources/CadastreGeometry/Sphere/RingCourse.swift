/// The course of a closed ring on the sphere: a loop of great-circle edges, and whole parallels.
///
/// An edge between two positions of one latitude that differ by 360° of longitude is the whole parallel:
/// files of GIS programs write the world, bands of latitudes and polar caps with such edges. Between its
/// parallels such a ring follows ±180° in both directions; these parts cancel and are no border. At a
/// pole the edge is one point. A chain that crosses ±180° and repeats its vertex there with the other sign
/// has no such edge.
struct RingCourse {
  /// The canonical vertices of the loop, the last one equal to the first; empty without a loop.
  let vertices: [Vertex]
  /// The whole parallels, those at the poles included.
  let parallels: [WholeParallel]
  /// Whether the whole parallels and the other edges lead around the Earth equally often in both
  /// directions.
  ///
  /// Such a ring encloses what it encloses between longitudes -180 and 180. Another ring has its smaller
  /// side as interior, and is invalid if it has a whole parallel.
  let isBalanced: Bool

  /// Creates the course of a ring.
  ///
  /// - Parameter written: The vertices as written, the last one equal to the first.
  /// - Complexity: O(n) in the number of vertices.
  init(_ written: [Vertex]) {
    parallels = written.wholeParallels
    guard parallels.isEmpty else {
      isBalanced = written.windings == 0
      vertices = written.onSphere.withoutSeam
      return
    }
    isBalanced = false
    // A hemisphere between two meridians has two equal sides; it is the one that the ring encloses.
    let isHemisphere =
      written.contains { $0.latitude == 90 } && written.contains { $0.latitude == -90 }
    let vertices = written.onSphere
    self.vertices = isHemisphere && written.signedArea < 0 ? vertices.reversed() : vertices
  }

  /// The latitudes of the whole parallels that are borders: those that the ring follows an odd number of
  /// times, without the poles.
  var borders: [Double] {
    var latitudes: [Double] = []
    for parallel in parallels where abs(parallel.latitude) < 90 {
      if let index = latitudes.firstIndex(of: parallel.latitude) {
        latitudes.remove(at: index)
      } else {
        latitudes.append(parallel.latitude)
      }
    }
    return latitudes
  }

  /// Returns whether the ring follows a pole an odd number of times, so that a balanced one encloses
  /// the points beside it.
  func followsPole(_ latitude: Double) -> Bool {
    !parallels.count { $0.latitude == latitude }.isMultiple(of: 2)
  }

  /// Whether the ring has neither a loop nor a border, and encloses the whole sphere.
  var isWorld: Bool { vertices.isEmpty && borders.isEmpty && isBalanced && followsPole(90) }
}

/// An edge that is a whole parallel.
struct WholeParallel {
  let latitude: Double
  let isEastward: Bool

  /// 1 for an eastward edge, -1 for a westward one.
  var sign: Double { isEastward ? 1 : -1 }

  /// The length in radians.
  var length: Double { 2 * .pi * cosine(latitude: latitude) }
}

extension [Vertex] {
  /// The edges that are whole parallels, of vertices as written.
  ///
  /// Edges along a pole are taken together.
  var wholeParallels: [WholeParallel] {
    var parallels: [WholeParallel] = []
    var first: Vertex?
    for (index, (start, end)) in zip(self, dropFirst()).enumerated() {
      guard start.latitude == end.latitude, abs(start.longitude) == 180 || start.isPole else {
        first = nil
        continue
      }
      let from = start.isPole ? first ?? start : start
      first = start.isPole ? from : nil
      guard abs(end.longitude - from.longitude) == 360, start.isPole || !repeatsVertex(at: index)
      else { continue }
      parallels.append(
        WholeParallel(latitude: start.latitude, isEastward: end.longitude > from.longitude))
      first = nil
    }
    return parallels
  }

  /// Returns whether an edge between -180 and 180 repeats a vertex of a chain that crosses ±180° there: the edges
  /// before and after it lead on in one direction, and a ring does not lead around the Earth.
  private func repeatsVertex(at index: Int) -> Bool {
    let isClosed = first == last
    let before = index > 0 ? index - 1 : isClosed ? count - 2 : nil
    let after = index + 2 < count ? index + 1 : isClosed ? 0 : nil
    guard let before, let after else { return false }
    let jump = self[index + 1].longitude - self[index].longitude
    guard turn(before) * jump < 0, turn(after) * jump < 0 else { return false }
    return !isClosed || abs(indices.dropLast().reduce(0) { $0 + turn($1) }) < 180
  }

  /// The difference of longitude of an edge, the short way.
  private func turn(_ index: Int) -> Double {
    longitudeDifference(from: self[index].longitude, to: self[index + 1].longitude)
  }

  /// The canonical vertices of a chain as written.
  ///
  /// An edge from pole to pole with one longitude is that meridian, and gets a vertex on the equator.
  var onSphere: [Vertex] {
    var vertices: [Vertex] = []
    vertices.reserveCapacity(count)
    for (index, vertex) in enumerated() {
      if index > 0, vertex.isPole, self[index - 1].isMeridian(to: vertex) {
        vertices.append(Vertex(longitude: vertex.longitude, latitude: 0).onSphere)
      }
      vertices.append(vertex.onSphere)
    }
    return vertices
  }

  /// The number of times a closed chain as written leads eastward around the Earth; nil if an edge
  /// passes over a pole.
  fileprivate var windings: Int? {
    var sum = 0.0
    for (index, (start, end)) in zip(self, dropFirst()).enumerated() {
      let isWhole =
        start.latitude == end.latitude && abs(end.longitude - start.longitude) == 360
        && (start.isPole || !repeatsVertex(at: index))
      let turn =
        isWhole
        ? end.longitude - start.longitude
        : longitudeDifference(from: start.longitude, to: end.longitude)
      if abs(turn) == 180, !start.isPole, !end.isPole { return nil }
      sum += turn
    }
    return Int((sum / 360).rounded())
  }

  /// Twice the area in longitude and latitude of a closed chain as written; positive if it is
  /// counter-clockwise.
  fileprivate var signedArea: Double {
    zip(self, dropFirst()).reduce(0) {
      $0 + ($1.0.longitude * $1.1.latitude - $1.1.longitude * $1.0.latitude)
    }
  }

  /// A closed chain of canonical vertices without the parts of ±180° that it follows in both directions.
  fileprivate var withoutSeam: [Vertex] {
    var ring: [Vertex] = []
    for vertex in dropLast() where ring.last != vertex { ring.append(vertex) }
    let isOnSeam = { (vertex: Vertex) in vertex.isPole || vertex.longitude == -180 }
    // A chain along one meridian cancels.
    guard let first = ring.firstIndex(where: { !isOnSeam($0) }) else { return [] }
    var kept: [Vertex] = []
    for vertex in ring[first...] + ring[..<first] {
      if kept.last == vertex { continue }
      kept.append(vertex)
      while kept.count > 2, kept.suffix(3).allSatisfy(isOnSeam) {
        let (before, turn, after) = (
          kept[kept.count - 3].latitude, kept[kept.count - 2].latitude, vertex.latitude
        )
        guard (turn - before) * (after - turn) < 0 else { break }
        kept.remove(at: kept.count - 2)
        if before == after { kept.removeLast() }
      }
    }
    return kept + kept.prefix(1)
  }
}

extension Vertex {
  /// Returns whether the edge to a vertex as written is a meridian from pole to pole.
  func isMeridian(to other: Vertex) -> Bool {
    isPole && other.latitude == -latitude && longitude == other.longitude
  }
}
