/// The course of a closed ring on the sphere: a loop of great-circle edges, and whole parallels.
///
/// An edge between two positions of one latitude that differ by 360° of longitude is the whole parallel:
/// files of GIS programs write the world, bands of latitudes and polar caps with such edges. Between its
/// parallels such a ring follows ±180° in both directions; these parts cancel and are not borders. At a
/// pole the edge is one point. A chain that crosses ±180° and repeats its vertex there with the other sign
/// has no such edge. The longitude of a vertex at a pole has no meaning: a ring of one parallel that a pole
/// closes is the cap around this pole, with any number of vertices there.
struct RingCourse {
  /// The canonical vertices of the loop, the last one equal to the first; empty without a loop.
  let vertices: [Vertex]
  /// The whole parallels, including edges along the poles.
  let parallels: [WholeParallel]
  /// Whether the whole parallels and the other edges lead around the Earth equally often in both
  /// directions.
  ///
  /// The interior of a balanced ring is that of the ring in the plane of longitudes from -180 to 180. The
  /// interior of another ring is its smaller side; a ring that is not balanced and has a whole parallel
  /// is invalid.
  let isBalanced: Bool

  /// Creates the course of a ring.
  ///
  /// - Parameter written: The vertices as written, the last one equal to the first.
  /// - Complexity: O(n) in the number of vertices.
  init(_ written: [Vertex]) {
    let windings: Int?
    (parallels, windings) = written.balancedParallels
    guard parallels.isEmpty else {
      isBalanced = windings == 0
      vertices = written.onSphere.withoutSeam
      return
    }
    isBalanced = false
    // A hemisphere between two meridians has two equal sides; the interior is the side inside the ring as
    // written.
    let isHemisphere =
      written.contains { $0.latitude == 90 } && written.contains { $0.latitude == -90 }
    let vertices = written.onSphere
    self.vertices = isHemisphere && written.signedArea < 0 ? vertices.reversed() : vertices
  }

  /// The latitudes of the whole parallels that are borders: parallels that the ring follows an odd number of
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

  /// Returns whether the ring follows a pole an odd number of times, so that a balanced ring
  /// encloses the points beside the pole.
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
  /// The edges of a chain as written that are whole parallels.
  ///
  /// Consecutive edges along a pole count as one edge.
  var wholeParallels: [WholeParallel] {
    var parallels: [WholeParallel] = []
    var first: Vertex?
    let chain = withoutRepetitions
    for (index, (start, end)) in zip(chain, chain.dropFirst()).enumerated() {
      guard start.latitude == end.latitude, abs(start.longitude) == 180 || start.isPole else {
        first = nil
        continue
      }
      let from = start.isPole ? first ?? start : start
      first = start.isPole ? from : nil
      guard abs(end.longitude - from.longitude) == 360,
        start.isPole || !chain.repeatsVertex(at: index)
      else { continue }
      parallels.append(
        WholeParallel(latitude: start.latitude, isEastward: end.longitude > from.longitude))
      first = nil
    }
    return parallels
  }

  /// The whole parallels of a closed chain as written, and the number of times the chain leads eastward
  /// around the Earth with them; nil if an edge passes over a pole.
  ///
  /// A ring with vertices at one pole follows this pole as often as the other edges lead around the Earth. A
  /// ring with vertices at both poles follows the poles as written.
  fileprivate var balancedParallels: (parallels: [WholeParallel], windings: Int?) {
    var parallels = wholeParallels
    guard !parallels.isEmpty else { return ([], nil) }
    guard let turns = turns else { return (parallels, nil) }
    let poles = Set(lazy.filter(\.isPole).map(\.latitude))
    if let pole = poles.first, poles.count == 1 {
      parallels.removeAll { abs($0.latitude) == 90 }
      let others = parallels.reduce(turns) { $0 + ($1.isEastward ? 1 : -1) }
      let edge = WholeParallel(latitude: pole, isEastward: others < 0)
      parallels += Array<WholeParallel>(repeating: edge, count: abs(others))
    }
    return (parallels, parallels.reduce(turns) { $0 + ($1.isEastward ? 1 : -1) })
  }

  /// Returns whether an edge between -180 and 180 repeats a vertex of a chain that crosses ±180° there: the
  /// edges before and after it have the same direction, and a ring does not lead around the Earth.
  private func repeatsVertex(at index: Int) -> Bool {
    let isClosed = first == last
    let before = index > 0 ? index - 1 : isClosed ? count - 2 : nil
    let after = index + 2 < count ? index + 1 : isClosed ? 0 : nil
    guard let before, let after else { return false }
    let jump = self[index + 1].longitude - self[index].longitude
    guard turn(before) * jump < 0, turn(after) * jump < 0 else { return false }
    return !isClosed || turns == 0
  }

  /// Returns the difference of longitude of an edge, from -180 to 180; 0 for an edge to or from a pole.
  private func turn(_ index: Int) -> Double {
    if self[index].isPole || self[index + 1].isPole { return 0 }
    return longitudeDifference(from: self[index].longitude, to: self[index + 1].longitude)
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

  /// The number of times a closed chain as written leads eastward around the Earth by its edges that are
  /// not whole parallels; nil if an edge passes over a pole.
  ///
  /// At a pole the chain turns by the smaller angle between the vertices before and after the pole.
  private var turns: Int? {
    let chain = onSphere
    for (start, end) in zip(chain, chain.dropFirst()) where !start.isPole && !end.isPole {
      if abs(start.longitude - end.longitude) == 180 { return nil }
    }
    let others = chain.filter { !$0.isPole }
    guard let last = others.last else { return 0 }
    let sum = zip([last] + others, others).reduce(0) {
      $0 + longitudeDifference(from: $1.0.longitude, to: $1.1.longitude)
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

  /// The closed chain of canonical vertices without the parts of ±180° that it follows in both directions.
  fileprivate var withoutSeam: [Vertex] {
    var ring: [Vertex] = []
    for vertex in dropLast() where ring.last != vertex { ring.append(vertex) }
    let isOnSeam = { (vertex: Vertex) in vertex.isPole || vertex.longitude == -180 }
    // The edges of a chain along one meridian cancel each other.
    guard let first = ring.firstIndex(where: { !isOnSeam($0) }) else { return [] }
    var result: [Vertex] = []
    for vertex in ring[first...] + ring[..<first] {
      if result.last == vertex { continue }
      result.append(vertex)
      while result.count > 2, result.suffix(3).allSatisfy(isOnSeam) {
        let (before, turn, after) = (
          result[result.count - 3].latitude, result[result.count - 2].latitude, vertex.latitude
        )
        guard (turn - before) * (after - turn) < 0 else { break }
        result.remove(at: result.count - 2)
        if before == after { result.removeLast() }
      }
    }
    return result + result.prefix(1)
  }
}
