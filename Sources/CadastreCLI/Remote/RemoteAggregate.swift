import CadastreDatasets
import CadastreModel
import CadastrePostgres
import CadastrePredicate

/// Aggregates that a database computes with the same result as a store.
struct RemoteAggregate {
  /// The query on an empty store, which has the columns and their order.
  let query: AggregateQuery
  /// The groups in their order, with the values of the aggregates.
  let groups: [(group: [Value], values: [Value])]

  /// Runs the aggregates; returns nil if the database computes one of them with another result.
  ///
  /// - Throws: `PostgresError`, or `QueryPredicateError` with the location in the text.
  init?(
    _ database: RemoteDatabase, _ match: MatchOptions, compute: String, by group: String?
  ) throws {
    let classes = try database.classes()
    _ = try classes.schema.queriedClass(match.className)
    let bound = try ObjectQuery(match.className).bound(
      to: classes.schema, predicate: match.predicate, arguments: try match.parsedArguments,
      edges: match.edges, regions: match.regions)
    let snapshot = try StoreExcerpt.empty(match.className, classes)
    query = try AggregateQuery(
      try StoreQuery(snapshot, className: match.className), compute: compute, by: group)
    guard let (paths, terms) = query.plainTerms, let root = classes.schema[bound.className] else {
      return nil
    }
    func resolved(_ path: PropertyPath) throws -> BoundPath {
      try classes.schema.resolve(path, from: root)
    }
    var computed: [(function: AggregateFunction, path: BoundPath)] = []
    for term in terms { computed += try term.parts.map { ($0.function, try resolved($0.path)) } }
    let (keys, functions) = (try paths.map(resolved), computed)
    do {
      let remote = RemoteQuery(classes, bound)
      groups = try database.run { connection in
        try await remote.groups(by: keys, functions, connection)
      }.map { group in
        var rest = group.values[...]
        return (group.keys, try terms.map { try $0.value(group.count, &rest) })
      }
    } catch is UntranslatablePart {
      return nil
    }
  }
}

extension AggregateQuery.PlainTerm {
  /// The aggregates of the database from which the value is computed.
  fileprivate var parts: [(function: AggregateFunction, path: PropertyPath)] {
    switch self {
    case .objects: []
    case .count(let path): [(.count, path)]
    case .sum(let path, _, _): [(.sum, path), (.count, path)]
    case .extreme(let path, _, let isLeast): [(isLeast ? .minimum : .maximum, path)]
    }
  }

  /// Returns the value from the number of objects and the first results of the database, which it removes.
  fileprivate func value(_ objects: Int, _ rest: inout ArraySlice<PostgresValue>) throws -> Value {
    let results = parts.map { _ in rest.popFirst() ?? .null }
    switch self {
    case .objects: return .int(Int64(objects))
    case .count: return Value(results[0], .int) ?? .null
    case .extreme(_, let type, _): return Value(results[0], type) ?? .null
    case .sum(_, let isMean, let name):
      let sum = results[0].wholeNumber ?? 0
      guard isMean else {
        guard let sum = Int64(exactly: sum) else {
          throw QueryPredicateError(.invalidQuery, "'\(name)' exceeds the range of 64-bit integers")
        }
        return .int(sum)
      }
      guard let count = results[1].wholeNumber, count > 0 else { return .null }
      return .double(Double(sum) / Double(count))
    }
  }
}
