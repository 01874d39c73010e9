import CadastreExecutor
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore
import CadastreTestSupport

/// Some objects, in a store and in plain Swift, so that answers can be compared.
struct World {
  private static let ways = [("with indexes", Planner.Options()), ("by a scan", .withoutIndexes)]

  let schema: Schema
  /// The classes that can be asked about.
  let classes: [ObjectSchema]
  private let oracle: ScanOracle
  private let snapshot: Snapshot

  /// Stores objects.
  init(_ objects: PlainObjects) throws {
    schema = objects.schema
    classes = schema.objectSchema.filter { !$0.isEmbedded }
    oracle = ScanOracle(objects)
    snapshot = try TestStore.temporary(holding: objects).snapshot()
  }

  /// What is wrong with the answers to a bound question; nil if they agree.
  func problem(_ className: String, _ question: QueryText) -> String? {
    do {
      let expected = try oracle.keys(className, question)
      for (name, options) in Self.ways {
        let found = try answer(className, question, options)
        if found != expected {
          return "\(className) where \(question)\n\(name): \(found)\nthe truth: \(expected)"
        }
      }
      return nil
    } catch {
      return "\(className) where \(question)\ncannot be answered: \(error)"
    }
  }

  private func answer(
    _ className: String, _ question: QueryText, _ options: Planner.Options
  ) throws -> [Int64] {
    let executor = Executor(snapshot, schema: schema)
    let query = ObjectQuery(className, where: question.predicate)
    let plan = Planner(StoreCatalog(snapshot), options: options).plan(query)
    var keys = try executor.keys(plan).keys
    for ordering in question.orderings {
      switch ordering {
      case .sort(let terms):
        let order = terms.map { SortKey($0.path, isAscending: $0.isAscending) }
        keys = try executor.sorted(keys, of: className, by: order)
      case .distinct(let paths): keys = try executor.distinct(keys, of: className, by: paths)
      case .limit(let count): keys = Array(keys.prefix(count))
      }
    }
    return keys
  }
}
