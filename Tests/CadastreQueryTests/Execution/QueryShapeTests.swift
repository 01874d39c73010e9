import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// The shapes of queries, by which plans are cached.
@Suite struct QueryShapeTests {
  private struct WeakReference {
    weak var object: AnyObject?
  }

  /// What a query and its shape refer to.
  private struct Parts {
    var shape: QueryShape?
    var paths: [WeakReference] = []
    var constants: [WeakReference] = []
  }

  private static func file() throws -> StoreFile {
    var random = SeededGenerator(seed: 5)
    let schema = CachedPlanRows.schema()
    return try TestStore.temporary(
      holding: CachedPlanRows.objects(schema, ports: 3, ships: 20, &random))
  }

  @Test func `a cached plan retains the paths of its query, and no constants`() throws {
    let file = try Self.file()
    let session = QuerySession(try file.snapshot())
    let parts = try Self.run(session)
    withExtendedLifetime((file, session, parts)) {
      #expect(parts.paths.map { $0.object != nil } == [true, true, true, true, true])
      #expect(parts.constants.map { $0.object != nil } == [false, false])
    }
  }

  /// Runs a query, and releases it and its schema.
  private static func run(_ session: QuerySession) throws -> Parts {
    let schema = CachedPlanRows.schema()
    let root = try schema.queriedClass("Ship")
    let predicate = try QueryPredicate(
      parsing: "crew > -5 AND place GEOWITHIN geoBox([-170.0, -80.0], [170.0, 80.0]) "
        + "AND NOT area GEOINTERSECTS geoCircle([1.0, 2.0], 0.1)"
    ).bound(to: schema, root: root)
    let key = try SortKey(PropertyPath("draft")).bound(to: schema, root: root)
    let query = BoundQuery("Ship", where: predicate, order: [key], limit: 5)
    _ = try session.keys(query)
    let output = try schema.resolvedPaths.path(PropertyPath("name"), from: root, in: schema)
    var parts = Parts(shape: QueryShape(query.yielding(.columns([output]))))
    parts.paths = (predicate.paths + [key.path, output]).map { WeakReference(object: $0) }
    for leaf in predicate.conjuncts {
      if case .geoWithin(let within) = leaf {
        parts.constants.append(WeakReference(object: within.shape))
      }
      if case .not(.relation(let relation)) = leaf, case .region(let region) = relation.right {
        parts.constants.append(WeakReference(object: region))
      }
    }
    return parts
  }

  @Test(arguments: [
    "year(built) == 2000", "3 IN extra", "crew > 1 AND year(built) IN {2001, 2003}",
    "marks.@sum > 3", "visits.@max.depth > 2.5", "crew * 2 + seats < draft",
    "SUBQUERY(visits, $x, $x.depth > 1.5 AND $x.code != 'P1').@count > 1",
    "GEODISTANCE(place, geometry('POINT (1 2)')) <= draft",
  ])
  func `a query that is bound again has the shape of the first one`(text: String) throws {
    let schema = CachedPlanRows.schema()
    let session = QuerySession(try Self.file().snapshot(), schema: schema)
    for number in 0..<3 {
      let query = try ObjectQuery("Ship", where: QueryPredicate(parsing: text)).bound(to: schema)
      #expect(try session.plan(query).reusesShape == (number > 0), "\(number)")
    }
  }
}
