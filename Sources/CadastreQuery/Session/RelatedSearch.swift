import CadastreGeometry
import CadastrePredicate
import CadastreStore

/// Searches of a spatial index for the partners of one left object after the other.
///
/// The plan is always a search of the index, and is made without a planner.
struct RelatedSearch {
  private let session: QuerySession
  private let executor: Executor
  private let join: BoundJoin
  private let query: BoundQuery
  private let index: IndexReference

  /// Prepares searches for the right objects of a query.
  ///
  /// - Throws: `StoreError`, also if the right geometry has no index.
  init(_ session: QuerySession, _ join: BoundJoin, _ query: BoundQuery) throws {
    guard let index = StoreCatalog(session.reader).spatialIndex(join.right) else {
      throw StoreError(.corrupt("'\(join.right)' has no spatial index"), path: session.reader.path)
    }
    self.session = session
    self.join = join
    self.query = query
    self.index = index
    executor = session.executor
  }

  /// Returns the partners of a left object in the order of the query.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - geometries: Its geometry; none if it is missing.
  /// - Returns: The partners.
  /// - Throws: The error of a read.
  func partners(of key: Int64, _ geometries: [LocatedGeometry]) throws -> [JoinPartner] {
    guard let geometry = geometries.first else { return [] }
    let itself = join.isOfOneClass ? key : nil
    switch join.criterion {
    case .relation(let kind):
      let keys = try executor.keys(plan(for: geometry, kind)).keys
      return keys.lazy.filter { $0 != itself }.map { JoinPartner(key: $0) }
    case .nearest(let count, let limit):
      guard let point = geometry.point else { return [] }
      return try nearest(itself == nil || count == .max ? count : count + 1, to: point, limit)
        .filter { $0.key != itself }.prefix(count).map(\.self)
    }
  }

  /// Returns the number of partners of a left object; the relation is between two classes.
  func count(of geometries: [LocatedGeometry]) throws -> Int {
    guard let geometry = geometries.first, case .relation(let kind) = join.criterion
    else { return 0 }
    return try executor.count(plan(for: geometry, kind)).count
  }

  private func plan(
    for geometry: LocatedGeometry, _ kind: GeometryRelation.Kind
  ) -> Plan {
    let relation = BoundRelation(join.right, kind.exchanged, geometry, edges: join.edges)
    return Plan(
      query, by: .relationSearch(index, relation),
      filters: query.predicate.isConstant(true) ? [] : [query.predicate])
  }

  private func nearest(
    _ count: Int, to point: GeoPoint, _ limit: Distance
  ) throws -> [JoinPartner] {
    var nearest = query
    nearest.order = [BoundSortKey(join.right, by: .distance(from: point))]
    nearest.limit = count
    let keys = try session.keys(nearest).keys
    let angles = try executor.angles(keys, of: query.className, at: join.right, from: point)
    return zip(keys, angles).compactMap { key, angle in
      guard let distance = angle.flatMap(Distance.radians), distance <= limit else { return nil }
      return JoinPartner(key: key, distance: distance)
    }
  }
}
