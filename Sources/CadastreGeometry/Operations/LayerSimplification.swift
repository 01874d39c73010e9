/// The simplification of geometries that keeps their common borders.
///
/// Rings and lines are cut into chains where they meet, so that a border of two polygons is one chain, which is simplified
/// once. Where simplified edges cross or touch, or leave a vertex on the other side, positions are added again. So
/// neighbours stay neighbours, and islands stay in the sea. All computations are on the sphere.
///
/// Sources: Douglas and Peucker, 1973, for a chain; Saalfeld, "Topologically Consistent Line Simplification with the
/// Douglas-Peucker Algorithm", 1999, for the side of vertices.
struct LayerSimplification {
  /// The part of a line or a ring between two fixed vertices.
  private struct Chain {
    /// The numbers of the vertices.
    let vertices: [Int32]
    /// The ascending indexes of the vertices that remain, the ends among them.
    var kept: [Int]
  }

  /// A line or a ring, as the chains that it consists of.
  private struct Path {
    /// A chain, from an index of `numbers` on.
    struct Piece {
      let chain: Int
      let start: Int
      let isReversed: Bool
    }

    let isClosed: Bool
    /// The numbers of the vertices; a ring has its first one once.
    var numbers: [Int32] = []
    /// The position of each vertex as written.
    var positions: [GeoPosition] = []
    /// Further positions of the same vertex as written, at ±180° and at poles, by the index of the vertex.
    var repetitions: [Int: [GeoPosition]] = [:]
    var pieces: [Piece] = []

    /// Returns the positions of a vertex as written.
    func written(_ index: Int) -> [GeoPosition] { [positions[index]] + (repetitions[index] ?? []) }
  }

  /// An edge of a simplified chain.
  private struct Edge: Hashable {
    let chain: Int
    /// The index of its start in `kept`.
    let index: Int
  }

  /// The tolerance in radians.
  private let tolerance: Double
  private var vertices: [Vertex] = []
  private var numbers: [Vertex: Int32] = [:]
  private var isFixed: [Bool] = []
  private var chains: [Chain] = []
  private var paths: [Path] = []

  /// Simplifies some geometries.
  ///
  /// - Parameters:
  ///   - geometries: The geometries.
  ///   - tolerance: The greatest distance of a result from its original, in radians.
  init(_ geometries: [Geometry], tolerance: Double) {
    self.tolerance = tolerance
    for geometry in geometries { add(geometry) }
    fixMeetings()
    cut()
    for chain in chains.indices { keep(chain, 0, chains[chain].vertices.count - 1) }
    keepAreas()
    separate()
  }

  // MARK: Paths

  private mutating func add(_ geometry: Geometry) {
    switch geometry.shape {
    case .point, .multiPoint: return
    case .lineString(let line): add(line, isClosed: false)
    case .multiLineString(let lines): for line in lines { add(line, isClosed: false) }
    case .polygon(let rings): for ring in rings { add(ring, isClosed: true) }
    case .multiPolygon(let polygons):
      for ring in polygons.joined() { add(ring, isClosed: true) }
    case .collection(let parts): for part in parts { add(part) }
    }
  }

  /// Adds a line or a ring.
  private mutating func add(_ line: [GeoPosition], isClosed: Bool) {
    var path = Path(isClosed: isClosed)
    for position in isClosed ? line.dropLast() : line[...] {
      let number = number(position.vertex.onSphere)
      if number != path.numbers.last {
        path.numbers.append(number)
        path.positions.append(position)
      } else if position.vertex != path.written(path.numbers.count - 1).last?.vertex {
        path.repetitions[path.numbers.count - 1, default: []].append(position)
      }
    }
    if isClosed, path.numbers.count > 1, path.numbers.first == path.numbers.last {
      let last = path.numbers.count - 1
      let written = path.written(last) + path.written(0)
      path.repetitions[last] = nil
      path.repetitions[0] = Array(written.dropFirst())
      path.positions[0] = written[0]
      path.positions.removeLast()
      path.numbers.removeLast()
    }
    // An edge that is a whole parallel has only one vertex on the sphere.
    if line.map(\.vertex).wholeParallels.contains(where: { abs($0.latitude) < 90 }) {
      for number in path.numbers { isFixed[Int(number)] = true }
    }
    paths.append(path)
  }

  private mutating func number(_ vertex: Vertex) -> Int32 {
    if let known = numbers[vertex] { return known }
    let number = Int32(vertices.count)
    numbers[vertex] = number
    vertices.append(vertex)
    isFixed.append(false)
    return number
  }

  /// Fixes the ends of lines, and the vertices whose neighbours are not the same in all paths; two of each ring.
  private mutating func fixMeetings() {
    var neighbours = [(Int32, Int32)?](repeating: nil, count: vertices.count)
    for path in paths {
      let count = path.numbers.count
      for (index, number) in path.numbers.enumerated() {
        let isEnd = !path.isClosed && (index == 0 || index == count - 1)
        guard !isEnd, count > 2 else {
          isFixed[Int(number)] = true
          continue
        }
        let before = path.numbers[(index + count - 1) % count]
        let after = path.numbers[(index + 1) % count]
        let pair = (min(before, after), max(before, after))
        if let known = neighbours[Int(number)] {
          if known != pair { isFixed[Int(number)] = true }
        } else {
          neighbours[Int(number)] = pair
        }
      }
    }
    // A ring needs two fixed vertices. All rings with the same vertices get the same ones.
    for path in paths where path.isClosed && path.numbers.count > 2 {
      let fixed = path.numbers.filter { isFixed[Int($0)] }
      guard fixed.count < 2 else { continue }
      let first = fixed.first ?? path.numbers.min() ?? 0
      isFixed[Int(first)] = true
      isFixed[Int(farthest(from: first, of: path.numbers))] = true
    }
    // So does a part of a ring that leads back to its start.
    for path in paths {
      for (start, end) in parts(of: path)
      where path.numbers[start] == path.numbers[end % path.numbers.count] {
        let loop = (start...end).map { path.numbers[$0 % path.numbers.count] }
        isFixed[Int(farthest(from: loop[0], of: loop))] = true
      }
    }
  }

  /// Returns the vertex with the greatest distance from another one; of several the one with the lowest number.
  private func farthest(from first: Int32, of numbers: [Int32]) -> Int32 {
    let origin = vertices[Int(first)]
    return numbers.map { (-origin.angle(to: vertices[Int($0)]), $0) }.min { $0 < $1 }?.1 ?? first
  }

  /// Returns the index of the start and the end of each part between fixed vertices; those of a ring may exceed its
  /// count.
  private func parts(of path: Path) -> [(start: Int, end: Int)] {
    let fixed = path.numbers.indices.filter { isFixed[Int(path.numbers[$0])] }
    guard let first = fixed.first else { return [] }
    let ends = fixed.dropFirst() + (path.isClosed ? [first + path.numbers.count] : [])
    return zip(fixed, ends).map { ($0, $1) }
  }

  /// What a chain has that no other chain has.
  private struct ChainKey: Hashable {
    let first: Int32
    let second: Int32
    let last: Int32
    let count: Int
  }

  /// Cuts the paths into chains.
  private mutating func cut() {
    var known: [ChainKey: Int] = [:]
    for index in paths.indices {
      let path = paths[index]
      for (start, end) in parts(of: path) {
        var part = (start...end).map { path.numbers[$0 % path.numbers.count] }
        // A part that leads there and back has the same ends, and is a chain of its own.
        let isReversed =
          (part[0], part[1]) > (part[part.count - 1], part[part.count - 2])
        if isReversed { part.reverse() }
        let key = ChainKey(
          first: part[0], second: part[1], last: part[part.count - 1], count: part.count)
        let chain =
          known[key]
          ?? {
            chains.append(Chain(vertices: part, kept: [0, part.count - 1]))
            return chains.count - 1
          }()
        known[key] = chain
        paths[index].pieces.append(
          Path.Piece(chain: chain, start: start, isReversed: isReversed))
      }
    }
  }

  // MARK: Chains

  private func vertex(_ chain: Int, _ index: Int) -> Vertex {
    vertices[Int(chains[chain].vertices[index])]
  }

  /// Returns the vertex between two others of a chain that is farthest from their edge, and its distance in radians;
  /// nil where there is none between them.
  private func farthest(
    _ chain: Int, _ start: Int, _ end: Int
  ) -> (index: Int, distance: Double)? {
    guard end - start > 1 else { return nil }
    let (first, last) = (vertex(chain, start), vertex(chain, end))
    let edge = Segment(first, last, edges: .spherical)
    var found = (index: start + 1, distance: -1.0)
    for index in start + 1..<end {
      let vertex = vertex(chain, index)
      let distance = edge?.angle(to: vertex, edges: .spherical) ?? first.angle(to: vertex)
      if distance > found.distance { found = (index, distance) }
    }
    // No edge joins opposite points.
    if edge == nil, first.isAntipodal(to: last) { found.distance = .infinity }
    return found
  }

  /// Keeps the vertices between two kept ones without which the chain would be too far away.
  private mutating func keep(_ chain: Int, _ start: Int, _ end: Int) {
    var added: [Int] = []
    var open = [(start, end)]
    while let (start, end) = open.popLast() {
      guard let (index, distance) = farthest(chain, start, end), distance > tolerance else {
        continue
      }
      added.append(index)
      open.append((start, index))
      open.append((index, end))
    }
    insert(added, chain)
  }

  private mutating func insert(_ added: [Int], _ chain: Int) {
    guard !added.isEmpty else { return }
    chains[chain].kept = (chains[chain].kept + added).sorted()
  }

  /// Keeps the farthest vertex of an edge that leaves vertices out, and what then is too far away.
  private mutating func divide(_ chain: Int, _ start: Int, _ end: Int) {
    guard let (index, _) = farthest(chain, start, end) else { return }
    insert([index], chain)
    keep(chain, start, index)
    keep(chain, index, end)
  }

  /// Keeps three vertices of each ring that has them.
  private mutating func keepAreas() {
    for path in paths where path.isClosed {
      while path.pieces.reduce(0, { $0 + chains[$1.chain].kept.count - 1 }) < 3 {
        let edges = path.pieces.flatMap { piece in
          zip(chains[piece.chain].kept, chains[piece.chain].kept.dropFirst()).compactMap {
            start, end in
            farthest(piece.chain, start, end).map { ($0.distance, piece.chain, start, end) }
          }
        }
        guard let widest = edges.max(by: { $0.0 < $1.0 }) else { break }
        divide(widest.1, widest.2, widest.3)
      }
    }
  }

  // MARK: Conflicts

  /// The number of rounds after which an edge with a conflict gets all its vertices again.
  private static let mostRounds = 32

  /// Divides the edges that cross or touch others, or that have changed the side of a vertex, until there are none.
  private mutating func separate() {
    var round = 0
    while true {
      let conflicts = conflicts()
      guard !conflicts.isEmpty else { return }
      round += 1
      let ends = conflicts.map { edge in
        (edge.chain, chains[edge.chain].kept[edge.index], chains[edge.chain].kept[edge.index + 1])
      }
      for (chain, start, end) in ends {
        if round > Self.mostRounds {
          insert(Array(start + 1..<end), chain)
        } else {
          divide(chain, start, end)
        }
      }
    }
  }

  /// Whether an edge leaves vertices out.
  private func isShortcut(_ edge: Edge) -> Bool {
    let kept = chains[edge.chain].kept
    return kept[edge.index + 1] - kept[edge.index] > 1
  }

  /// Returns the edges that leave vertices out and have a conflict with another edge or with a vertex.
  private func conflicts() -> Set<Edge> {
    var conflicts: Set<Edge> = []
    var edges: [Edge] = []
    var segments: [Segment] = []
    for (number, chain) in chains.enumerated() {
      for index in chain.kept.indices.dropLast() {
        let edge = Edge(chain: number, index: index)
        guard
          let segment = Segment(
            vertex(number, chain.kept[index]), vertex(number, chain.kept[index + 1]),
            edges: .spherical)
        else {
          if isShortcut(edge) { conflicts.insert(edge) }
          continue
        }
        edges.append(edge)
        segments.append(segment)
      }
    }
    let shortcuts = edges.indices.filter { isShortcut(edges[$0]) }
    guard !shortcuts.isEmpty, let index = SegmentIndex(segments, edges: .spherical) else {
      return conflicts
    }
    for first in shortcuts {
      _ = index.contains(
        near: segments[first],
        whereNumber: { second in
          guard second != first else { return false }
          let isSecondShortcut = isShortcut(edges[second])
          // Each pair of two such edges is compared once.
          guard !isSecondShortcut || second > first else { return false }
          let found = Self.conflict(segments[first], segments[second])
          if found.first { conflicts.insert(edges[first]) }
          if found.second, isSecondShortcut { conflicts.insert(edges[second]) }
          return false
        })
    }
    let remaining = Set(chains.flatMap { chain in chain.kept.map { chain.vertices[$0] } })
    let sides = VertexSides(vertices, remaining: remaining.sorted())
    for edge in shortcuts where !conflicts.contains(edges[edge]) {
      let kept = chains[edges[edge].chain].kept
      let (start, end) = (kept[edges[edge].index], kept[edges[edge].index + 1])
      if sides.hasChanged(chains[edges[edge].chain].vertices[start...end]) {
        conflicts.insert(edges[edge])
      }
    }
    return conflicts
  }

  /// Returns which of two edges must be divided if it leaves vertices out: where an end of one is on the other one,
  /// the other one.
  private static func conflict(_ first: Segment, _ second: Segment) -> (first: Bool, second: Bool) {
    let shared = [second.start, second.end].filter { $0 == first.start || $0 == first.end }
    guard shared.count < 2 else { return (true, true) }
    if shared.isEmpty, first.crosses(second, edges: .spherical) { return (true, true) }
    return (
      [second.start, second.end].contains {
        !shared.contains($0) && first.contains($0, edges: .spherical)
      },
      [first.start, first.end].contains {
        !shared.contains($0) && second.contains($0, edges: .spherical)
      }
    )
  }

  // MARK: Results

  /// Returns the simplified form of a geometry; the geometries are taken in the order in which they were added.
  ///
  /// - Parameters:
  ///   - geometry: The original geometry.
  ///   - next: The index of its first path, which becomes that of the next geometry.
  /// - Returns: The simplified geometry.
  func result(_ geometry: Geometry, _ next: inout Int) -> Geometry {
    geometry.mapLines(point: { $0 }) { line in
      defer { next += 1 }
      return positions(paths[next]) ?? line
    }
  }

  /// Returns the positions of a simplified path; nil where none is left out.
  private func positions(_ path: Path) -> [GeoPosition]? {
    let isWhole = path.pieces.allSatisfy {
      chains[$0.chain].kept.count == chains[$0.chain].vertices.count
    }
    guard !isWhole else { return nil }
    var positions: [GeoPosition] = []
    for piece in path.pieces {
      let chain = chains[piece.chain]
      let last = chain.vertices.count - 1
      let kept = piece.isReversed ? chain.kept.reversed().map { last - $0 } : chain.kept
      for index in kept.dropLast() {
        positions += path.written((piece.start + index) % path.positions.count)
      }
    }
    if path.isClosed {
      positions.append(positions[0])
    } else {
      positions += path.written(path.positions.count - 1)
    }
    return positions
  }
}

extension Geometry {
  /// Returns geometries with fewer positions that keep their common borders, such as the countries of a map.
  ///
  /// A border is common where it has the same positions in both geometries. Edges are great circles. Neighbours stay
  /// neighbours, nothing new overlaps, each ring keeps its place and at least three vertices; therefore positions stay that
  /// could be left out in one geometry alone.
  ///
  /// - Parameters:
  ///   - layer: The geometries, valid ones.
  ///   - distance: The greatest distance of a result from its original.
  /// - Returns: The simplified geometries in their order.
  /// - Complexity: O(n log n) in the number of positions of all geometries, for few conflicts.
  public static func simplified(_ layer: [Geometry], within distance: Distance) -> [Geometry] {
    let simplification = LayerSimplification(layer, tolerance: distance.radians)
    var next = 0
    return layer.map { simplification.result($0, &next) }
  }
}
