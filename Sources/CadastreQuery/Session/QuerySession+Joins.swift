import CadastreGeometry
import CadastreModel
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
  /// The number of left objects whose geometries are read first, and at most at once.
  ///
  /// Of geometries that are not points, which may be large, few are read. Points that are tested
  /// together take about 100 bytes each.
  private static let leftObjects = (
    first: 256, mostPoints: 1 << 14, mostShapes: 16, mostTogether: 1 << 18
  )

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
      let search = try RelatedSearch(self, join, query)
      try forEachGroup(of: keys, join) { group in
        for (key, geometries) in group where try !body(key, search.partners(of: key, geometries)) {
          return false
        }
        return true
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
    if case .relation = join.criterion, !join.isOfOneClass,
      let query = searched(right, by: keys.count, join)
    {
      let search = try RelatedSearch(self, join, query)
      try forEachGroup(of: keys, join) { group in
        for (key, geometries) in group { try body(key, search.count(of: geometries)) }
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
      rightKeys, at: join.right, edges: join.edges, executor)
    if join.isOfPointsInShapes, try joinPoints(keys, join, &index, body) {
      return JoinStatistics(algorithm: .tree, exactTests: index.exactTests)
    }
    try forEachGroup(of: keys, join) { group in
      var partners = [[JoinPartner]](repeating: [], count: group.count)
      // Near objects, one after the other, find the same right geometries in the processor's cache.
      let places = group.map { $0.geometries.first?.positionOnCurve ?? 0 }
      for number in group.indices.sorted(by: { places[$0] < places[$1] }) {
        let (key, geometries) = group[number]
        partners[number] = try index.partners(
          of: join.isOfOneClass ? key : nil, geometries, join.criterion)
      }
      for (object, partners) in zip(group, partners) where try !body(object.key, partners) {
        return false
      }
      return true
    }
    return JoinStatistics(algorithm: .tree, exactTests: index.exactTests)
  }

  /// Joins left objects that have points, whose relation to the right geometries is that they
  /// intersect; returns false if their points are not in their rows, before any was read.
  private func joinPoints(
    _ keys: [Int64], _ join: BoundJoin, _ index: inout JoinIndex,
    _ body: (Int64, [JoinPartner]) throws -> Bool
  ) throws -> Bool {
    let executor = executor
    var (next, size) = (0, Self.leftObjects.first)
    while next < keys.count {
      let end = min(next + size, keys.count)
      var (found, points): ([Int64], [JoinPoint?]) = ([], [])
      let arePoints = try executor.forEachPoint(Array(keys[next..<end]), at: join.left) {
        found.append($0)
        points.append($1)
      }
      guard arePoints else { return false }
      guard try joinGroup(JoinPointGroup(found, points), &index, body) else { return true }
      next = end
      size = min(size * 16, Self.leftObjects.mostTogether)
    }
    return true
  }

  /// Joins a group of left objects; returns false if the closure ended the join.
  private func joinGroup(
    _ group: JoinPointGroup, _ index: inout JoinIndex,
    _ body: (Int64, [JoinPartner]) throws -> Bool
  ) throws -> Bool {
    guard let partners = try index.partners(of: group) else {
      return try joinGroup(group.half(isFirst: true), &index, body)
        && joinGroup(group.half(isFirst: false), &index, body)
    }
    for (key, partners) in zip(group.keys, partners) where try !body(key, Array(partners)) {
      return false
    }
    return true
  }

  /// Calls a closure with the geometries of the left objects, some objects at a time, until it returns
  /// false.
  private func forEachGroup(
    of keys: [Int64], _ join: BoundJoin,
    _ body: ([(key: Int64, geometries: [LocatedGeometry])]) throws -> Bool
  ) throws {
    let executor = executor
    var next = 0
    let most = join.left.isPoint ? Self.leftObjects.mostPoints : Self.leftObjects.mostShapes
    var size = min(Self.leftObjects.first, most)
    while next < keys.count {
      let end = min(next + size, keys.count)
      var group: [(key: Int64, geometries: [LocatedGeometry])] = []
      try executor.forEachGeometry(Array(keys[next..<end]), at: join.left, edges: join.edges) {
        group.append(($0, $1))
      }
      guard try body(group) else { return }
      next = end
      size = min(size * 4, most)
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
}

extension BoundJoin {
  /// Whether a left point and a right geometry are partners if they intersect.
  fileprivate var isOfPointsInShapes: Bool {
    left.isSingleValue && left.isPoint && !isOfOneClass
      && (criterion == .relation(.intersects) || criterion == .relation(.within))
  }
}

extension BoundPath {
  /// Whether the end is an embedded point.
  fileprivate var isPoint: Bool {
    if case .object(let target) = end { target.isPointShaped } else { false }
  }
}
