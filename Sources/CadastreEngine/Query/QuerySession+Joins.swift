import CadastreExecutor
import CadastreGeometry
import CadastreModel
import CadastrePlanner
package import CadastrePredicate
import CadastreStore

/// The right objects of a join.
package enum JoinSource: Sendable {
  /// The objects of a query.
  case query(BoundQuery)
  /// Objects known by key.
  case keys([Int64])
}

/// How a join finds the partners of each left object.
package enum JoinAlgorithm: String, Sendable {
  /// By one search of the spatial index in the store for each left object.
  case search = "index search"
  /// By a tree in memory of the geometries of all right objects.
  case tree = "tree in memory"
}

/// What a join measured.
package struct JoinStatistics: Sendable {
  /// How the partners were found.
  package var algorithm: JoinAlgorithm
  /// The number of pairs of geometries whose relation or distance was computed in memory.
  package var exactTests = 0
}

/// Joins of the objects of two classes by their geometries.
///
/// In a join of a class with itself, no object is its own partner.
extension QuerySession {
  /// The number of left objects whose geometries are read at once.
  private static let leftObjects = 1024

  /// Calls a closure with each left object and its partners, in the order of the left objects.
  ///
  /// - Parameters:
  ///   - keys: The keys of the left objects.
  ///   - join: The paths of the geometries, and which objects are partners.
  ///   - right: The right objects; their order is that of the partners.
  ///   - body: Called with the key of a left object and its partners, which may be none; false ends
  ///     the join.
  /// - Returns: How the partners were found.
  /// - Throws: The error of a read or of the closure.
  /// - Complexity: O(n log m + p) for n left objects, m right objects and p pairs whose envelopes
  ///   intersect, and the cost of the exact tests.
  package func join(
    _ keys: [Int64], _ join: BoundJoin, to right: JoinSource,
    _ body: (Int64, [JoinPartner]) throws -> Bool
  ) throws -> JoinStatistics {
    if let query = searched(right, by: keys.count, join) {
      try forEachLeft(keys, join) { key, geometries in
        try body(key, try partners(of: key, geometries, join, query))
      }
      return JoinStatistics(algorithm: .search)
    }
    return try joinInMemory(keys, join, right, body)
  }

  /// Calls a closure with each left object and the number of its partners, in the order of the left
  /// objects.
  ///
  /// - Parameters:
  ///   - keys: The keys of the left objects.
  ///   - join: The paths of the geometries, and which objects are partners.
  ///   - right: The right objects.
  ///   - body: Called with the key of a left object and the number of its partners.
  /// - Returns: How the partners were found.
  /// - Throws: The error of a read or of the closure.
  package func joinCounts(
    _ keys: [Int64], _ join: BoundJoin, to right: JoinSource, _ body: (Int64, Int) throws -> Void
  ) throws -> JoinStatistics {
    if case .relation(let kind) = join.criterion, !join.isOfOneClass,
      let query = searched(right, by: keys.count, join)
    {
      try forEachLeft(keys, join) { key, geometries in
        let count =
          try geometries.first.map { try self.count(related(query, to: $0, kind, join)) } ?? 0
        try body(key, count)
        return true
      }
      return JoinStatistics(algorithm: .search)
    }
    return try self.join(keys, join, to: right) { key, partners in
      try body(key, partners.count)
      return true
    }
  }

  /// How a join finds the partners, on one line.
  ///
  /// - Parameters:
  ///   - join: The paths of the geometries, and which objects are partners.
  ///   - leftCount: The number of left objects.
  ///   - right: The right objects.
  /// - Returns: Such as `Join of 177 objects by index search: border GEOCONTAINS Airport.location`.
  package func explain(_ join: BoundJoin, leftCount: Int, _ right: JoinSource) -> String {
    let algorithm: JoinAlgorithm = searched(right, by: leftCount, join) == nil ? .tree : .search
    return "Join of \(leftCount) objects by \(algorithm.rawValue): \(join)"
  }

  private func joinInMemory(
    _ keys: [Int64], _ join: BoundJoin, _ right: JoinSource,
    _ body: (Int64, [JoinPartner]) throws -> Bool
  ) throws -> JoinStatistics {
    let rightKeys =
      switch right {
      case .query(let query): try self.keys(query).keys
      case .keys(let keys): keys
      }
    var index = try JoinIndex(
      rightKeys, at: join.right, edges: join.edges, try flushedExecutor())
    try forEachLeft(keys, join) { key, geometries in
      try body(
        key, try index.partners(of: join.isOfOneClass ? key : nil, geometries, join.criterion))
    }
    return JoinStatistics(algorithm: .tree, exactTests: index.exactTests)
  }

  private func forEachLeft(
    _ keys: [Int64], _ join: BoundJoin, _ body: (Int64, [LocatedGeometry]) throws -> Bool
  ) throws {
    let executor = try flushedExecutor()
    var next = 0
    while next < keys.count {
      let end = min(next + Self.leftObjects, keys.count)
      var geometries: [(Int64, [LocatedGeometry])] = []
      try executor.forEachGeometry(Array(keys[next..<end]), at: join.left, edges: join.edges) {
        geometries.append(($0, $1))
      }
      for (key, geometries) in geometries where try !body(key, geometries) { return }
      next = end
    }
  }

  // MARK: Searches of the store's index

  /// The query of the right objects, if searching the store's index for each left object takes less
  /// time than reading all right objects.
  private func searched(_ right: JoinSource, by count: Int, _ join: BoundJoin) -> BoundQuery? {
    guard case .query(let query) = right, query.limit == nil, query.offset == 0,
      join.left.isSingleValue
    else { return nil }
    let catalog = StoreCatalog(reader)
    guard catalog.spatialIndex(join.right) != nil else { return nil }
    if case .nearest = join.criterion {
      // The index orders points by their distances from a point.
      guard query.order.isEmpty, join.left.isPoint, join.right.isPoint else { return nil }
    }
    let rows = Double(catalog.objectCount(query.className))
    // In microseconds: a search, and reading, preparing and indexing one geometry.
    return Double(count) * 100 < rows * (join.right.isPoint ? 1 : 20) ? query : nil
  }

  private func partners(
    of key: Int64, _ geometries: [LocatedGeometry], _ join: BoundJoin, _ query: BoundQuery
  ) throws -> [JoinPartner] {
    guard let geometry = geometries.first else { return [] }
    let itself = join.isOfOneClass ? key : nil
    switch join.criterion {
    case .relation(let kind):
      let keys = try keys(related(query, to: geometry, kind, join)).keys
      return keys.lazy.filter { $0 != itself }.map { JoinPartner(key: $0) }
    case .nearest(let count, let limit):
      guard let point = geometry.point else { return [] }
      var nearest = query
      nearest.order = [BoundSortKey(join.right, by: .distance(from: point))]
      nearest.limit = itself == nil || count == .max ? count : count + 1
      let keys = try self.keys(nearest).keys
      let angles = try flushedExecutor().angles(
        keys, of: query.className, at: join.right, from: point)
      let found = zip(keys, angles).compactMap { key, angle -> JoinPartner? in
        guard key != itself, let distance = angle.flatMap(Distance.radians), distance <= limit
        else { return nil }
        return JoinPartner(key: key, distance: distance)
      }
      return Array(found.prefix(count))
    }
  }

  /// The query of the right objects that are in the relation to a left geometry.
  private func related(
    _ query: BoundQuery, to geometry: LocatedGeometry, _ kind: GeometryRelation.Kind,
    _ join: BoundJoin
  ) -> BoundQuery {
    var related = query
    related.predicate = .all([
      query.predicate,
      .relation(BoundRelation(join.right, kind.exchanged, geometry, edges: join.edges)),
    ])
    return related
  }
}

extension BoundPath {
  /// Whether the end is an embedded point.
  fileprivate var isPoint: Bool {
    if case .object(let target) = end { target.isPointShaped } else { false }
  }
}
