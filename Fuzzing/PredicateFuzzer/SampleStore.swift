import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport

/// Sample objects in a store and in memory, so that results can be compared.
struct SampleStore {
  private static let plannerOptions = [
    ("with indexes", Planner.Options()), ("by a scan", .withoutIndexes),
  ]

  let schema: Schema
  /// The classes that can be queried.
  let classes: [ObjectSchema]
  private let oracle: ScanOracle
  private let snapshot: Snapshot

  /// Stores objects in a temporary store.
  init(_ objects: PlainObjects) throws {
    schema = objects.schema
    classes = schema.objectSchema.filter { !$0.isEmbedded }
    oracle = ScanOracle(objects)
    snapshot = try TestStore.temporary(holding: objects).snapshot()
  }

  /// Returns the difference between the results of a bound query; nil if they agree.
  func problem(_ className: String, _ query: QueryText) -> String? {
    do {
      let expected = try oracle.keys(className, query)
      for (name, options) in Self.plannerOptions {
        let actual = try keys(className, query, options)
        if actual != expected {
          return "\(className) where \(query)\n\(name): \(actual)\nexpected: \(expected)"
        }
      }
      return nil
    } catch {
      return "\(className) where \(query)\nfailed: \(error)"
    }
  }

  private func keys(
    _ className: String, _ queryText: QueryText, _ options: Planner.Options
  ) throws -> [Int64] {
    let executor = Executor(snapshot, schema: schema)
    let root = try schema.queriedClass(className)
    let query = try ObjectQuery(className, where: queryText.predicate).bound(to: schema)
    var keys = try executor.keys(Planner(StoreCatalog(snapshot), options: options).plan(query)).keys
    for ordering in queryText.orderings {
      switch ordering {
      case .sort(let terms):
        let order = try terms.map {
          BoundSortKey(try schema.resolve($0.path, from: root), isAscending: $0.isAscending)
        }
        keys = try executor.sorted(keys, of: className, by: order)
      case .distinct(let paths):
        let paths = try paths.map { try schema.resolve($0, from: root) }
        keys = try executor.distinct(keys, of: className, by: paths)
      case .limit(let count): keys = Array(keys.prefix(count))
      }
    }
    return keys
  }
}
