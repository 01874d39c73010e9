package import CadastreGeometry
package import CadastrePredicate

/// The geometries of the right objects of a join in memory, by location.
///
/// Points are kept as coordinates. Other geometries are kept prepared up to a number of positions;
/// the rest is read again when it is needed.
package struct JoinIndex {
  /// The geometries of an object.
  enum Content {
    case point(longitude: Double, latitude: Double)
    case shapes([LocatedGeometry])
    /// To be read from the store.
    case stored
  }

  private let executor: Executor
  private let path: BoundPath
  let edges: EdgeModel
  /// The keys of the objects that have geometries, in the order of the right side.
  let keys: [Int64]
  let contents: [Content]
  let tree: EnvelopeIndex?
  /// Whether every object has one point.
  private let hasOnlyPoints: Bool
  private var batch: PointBatch
  /// The geometries that were read again.
  private var readAgain: [Int: [LocatedGeometry]] = [:]
  private var positionsReadAgain = 0
  /// The number of pairs of geometries whose relation or distance was computed.
  package internal(set) var exactTests = 0

  /// The number of positions of geometries that stay in memory, about 300 bytes each.
  private static let residentPositions = 1 << 20
  /// The number of positions after which the geometries that were read again are discarded.
  private static let transientPositions = 1 << 18

  /// Reads and indexes the geometries of objects.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects, in the order in which partners are wanted.
  ///   - path: The path to their geometries.
  ///   - edges: How the edges run between positions.
  ///   - executor: Reads the objects.
  /// - Throws: The error of a read.
  /// - Complexity: O(n log n).
  package init(
    _ keys: [Int64], at path: BoundPath, edges: EdgeModel, _ executor: Executor
  ) throws {
    self.executor = executor
    self.path = path
    self.edges = edges
    batch = PointBatch(edges: edges)
    var entries = EnvelopeIndex.Entries()
    var positions = 0
    var (kept, contents): ([Int64], [Content]) = ([], [])
    let arePoints = try executor.forEachPoint(keys, at: path) { key, point in
      guard let point else { return }
      entries.append(longitude: point.longitude, latitude: point.latitude, of: kept.count)
      kept.append(key)
      contents.append(.point(longitude: point.longitude, latitude: point.latitude))
    }
    hasOnlyPoints = arePoints
    if !arePoints {
      try executor.forEachGeometry(keys, at: path, edges: edges) { key, geometries in
        guard !geometries.isEmpty else { return }
        for geometry in geometries {
          for envelope in geometry.envelopes { entries.append(envelope, of: kept.count) }
        }
        kept.append(key)
        if geometries.count == 1, case .point(let longitude, let latitude) = geometries[0] {
          contents.append(.point(longitude: longitude, latitude: latitude))
        } else if positions < Self.residentPositions {
          positions += geometries.reduce(0) { $0 + $1.positionCount }
          contents.append(.shapes(geometries))
        } else {
          contents.append(.stored)
        }
      }
    }
    (self.keys, self.contents) = (kept, contents)
    tree = EnvelopeIndex(entries)
  }

  /// Returns the objects that are partners of another object.
  ///
  /// - Parameters:
  ///   - key: The key of the other object if it is of the same class; no object is its own partner.
  ///   - geometries: The geometries of the other object, of which any may decide.
  ///   - criterion: Which objects are partners.
  /// - Returns: The partners, in the order of the right side; the nearest ones by distance.
  /// - Throws: The error of a read.
  package mutating func partners(
    of key: Int64?, _ geometries: [LocatedGeometry], _ criterion: BoundJoin.Criterion
  ) throws -> [JoinPartner] {
    guard let tree, !geometries.isEmpty else { return [] }
    switch criterion {
    case .nearest(let count, let limit):
      // The object itself may be among the nearest.
      let wanted = key == nil || count == .max ? count : count + 1
      let found = try nearest(wanted, to: geometries, within: limit, tree)
      return Array(found.lazy.filter { $0.key != key }.prefix(count))
    case .relation(let kind):
      let envelopes =
        if case .distance(_, let limit) = kind {
          geometries.flatMap { $0.envelopes(within: limit) }
        } else {
          geometries.flatMap(\.envelopes)
        }
      if hasOnlyPoints, kind == .intersects || kind == .contains, geometries.count == 1,
        case .shape(let shape) = geometries[0]
      {
        return points(in: shape, envelopes, tree).compactMap {
          keys[$0] == key ? nil : JoinPartner(key: keys[$0])
        }
      }
      var partners: [JoinPartner] = []
      for element in tree.elements(near: envelopes)
      where try keys[element] != key && isPartner(element, of: geometries, kind) {
        partners.append(JoinPartner(key: keys[element]))
      }
      return partners
    }
  }

  /// The points that a geometry covers, which are tested all at once.
  private mutating func points(
    in shape: PreparedGeometry, _ envelopes: [Envelope], _ tree: EnvelopeIndex
  ) -> [Int] {
    batch.replace(near: envelopes, in: tree) { element in
      guard case .point(let longitude, let latitude) = contents[element]
      else { return (.nan, .nan) }
      return (longitude, latitude)
    }
    exactTests += batch.count
    return batch.elements(in: shape)
  }

  mutating func isPartner(
    _ element: Int, of geometries: [LocatedGeometry], _ kind: GeometryRelation.Kind
  ) throws -> Bool {
    if case .point(let longitude, let latitude) = contents[element] {
      let point = LocatedGeometry.point(longitude: longitude, latitude: latitude)
      exactTests += 1
      return geometries.contains { kind.holds($0, point, edges: edges) }
    }
    if case .shapes(let shapes) = contents[element] {
      exactTests += shapes.count
      return shapes.contains { other in
        geometries.contains { kind.holds($0, other, edges: edges) }
      }
    }
    for other in try shapes(element) {
      exactTests += 1
      if geometries.contains(where: { kind.holds($0, other, edges: edges) }) { return true }
    }
    return false
  }

  private mutating func nearest(
    _ count: Int, to geometries: [LocatedGeometry], within limit: Distance, _ tree: EnvelopeIndex
  ) throws -> [JoinPartner] {
    var best: [Int: Distance] = [:]
    for geometry in geometries {
      let found = try tree.nearest(count, to: geometry, within: limit) { element in
        try distance(of: element, from: geometry)
      }
      for (element, distance) in found {
        best[element] = min(distance, best[element] ?? distance)
      }
    }
    return best.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(count).map {
      JoinPartner(key: keys[$0.key], distance: $0.value)
    }
  }

  private mutating func distance(
    of element: Int, from geometry: LocatedGeometry
  ) throws -> Distance {
    exactTests += 1
    if case .point(let longitude, let latitude) = contents[element] {
      let point = LocatedGeometry.point(longitude: longitude, latitude: latitude)
      return geometry.distance(to: point, edges: edges)
    }
    return try shapes(element).map { geometry.distance(to: $0, edges: edges) }.min() ?? .greatest
  }

  /// The geometries of an object that are not a single point.
  mutating func shapes(_ element: Int) throws -> [LocatedGeometry] {
    if case .shapes(let shapes) = contents[element] { return shapes }
    if let shapes = readAgain[element] { return shapes }
    var shapes: [LocatedGeometry] = []
    try executor.forEachGeometry([keys[element]], at: path, edges: edges) { shapes = $1 }
    if positionsReadAgain > Self.transientPositions {
      readAgain.removeAll(keepingCapacity: true)
      positionsReadAgain = 0
    }
    positionsReadAgain += shapes.reduce(0) { $0 + $1.positionCount }
    readAgain[element] = shapes
    return shapes
  }
}
