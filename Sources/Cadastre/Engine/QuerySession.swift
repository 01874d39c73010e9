import CadastreExecutor
package import CadastreModel
package import CadastrePlanner
package import CadastrePredicate
package import CadastreStore
import Foundation

/// Questions to one version of a store: bound, planned and carried out.
///
/// The one place that sees both the planner and the executor. Works on any store, with or without
/// Swift classes for what is in it.
package struct QuerySession {
  private let reader: any StoreReader
  private let schema: Schema?
  private let options: Planner.Options

  /// A session over a snapshot or a write transaction.
  ///
  /// - Parameters:
  ///   - reader: What is asked.
  ///   - schema: The classes with the properties that are worked out from links; nil where there are
  ///     none.
  ///   - options: What the planner may use.
  package init(
    _ reader: any StoreReader, schema: Schema? = nil, options: Planner.Options = Planner.Options()
  ) {
    self.reader = reader
    self.schema = schema
    self.options = options
  }

  /// Checks a question against the schema of the store.
  ///
  /// - Parameters:
  ///   - query: The question.
  ///   - schema: The classes.
  ///   - allowsEmbedded: Whether embedded objects, elements of a collection, may be asked.
  /// - Returns: The question with its constants in the types of the properties beside them.
  /// - Throws: ``QueryPredicateError`` where a name or a constant does not fit.
  package static func bound(
    _ query: ObjectQuery, to schema: Schema, allowsEmbedded: Bool = false
  ) throws(QueryPredicateError) -> ObjectQuery {
    guard let root = schema[query.className], allowsEmbedded || !root.isEmbedded else {
      let names = schema.objectSchema.filter { !$0.isEmbedded }.map(\.className)
      let nearest = NameSuggestion.nearest(to: query.className, among: names)
      throw QueryPredicateError(
        .invalidQuery,
        "there is no class '\(query.className)'"
          + (nearest.map { "; did you mean '\($0)'?" }
            ?? "; the store has \(names.isEmpty ? "none" : names.joined(separator: ", "))"))
    }
    var query = query
    query.predicate = try query.predicate.bound(to: schema, root: root)
    for key in query.order { try check(key, schema, root) }
    return query
  }

  private static func check(
    _ key: SortKey, _ schema: Schema, _ root: ObjectSchema
  ) throws(QueryPredicateError) {
    let route: PathRoute
    do throws(QueryPredicateError) {
      route = try schema.route(key.path, from: root)
    } catch {
      throw QueryPredicateError(.sort, "Cannot sort on key path '\(key.path)': \(error.message)")
    }
    if key.words != nil {
      let hops = route.hops.compactMap { hop -> Property? in
        if case .property(let property) = hop { property } else { nil }
      }
      guard hops.count == route.hops.count, hops.last?.isFullTextIndexed == true,
        hops.dropLast().allSatisfy(schema.isInline)
      else {
        throw QueryPredicateError(
          .sort,
          "Cannot sort by the relevance of '\(key.path)': it has no full-text index of the class; mark "
            + "it @Persisted(fullText: true)")
      }
      return
    }
    if key.origin != nil {
      guard case .object(let target) = route.end, target.isPointShaped, !route.isToMany else {
        throw QueryPredicateError(
          .sort,
          "Cannot sort by the distance of '\(key.path)': a \(route.endDescription) is no embedded "
            + "object in the shape of a GeoJSON point")
      }
      return
    }
    guard case .value(let type) = route.end, type != .data, !route.isToMany else {
      throw QueryPredicateError(
        .sort,
        "Cannot sort on key path '\(key.path)': a \(route.endDescription) has no order")
    }
  }

  /// How a bound question will be answered.
  package func plan(_ query: ObjectQuery) throws(StoreError) -> Plan {
    try reader.settleIndexes()
    return Planner(StoreCatalog(reader, schema: schema), options: options).plan(query)
  }

  /// The keys of the objects that a bound question finds, in its order.
  package func keys(_ query: ObjectQuery) throws -> (keys: [Int64], statistics: RunStatistics) {
    try Executor(reader, schema: schema).keys(try plan(query))
  }

  /// The number of objects that a bound question finds.
  package func count(_ query: ObjectQuery) throws -> Int {
    try Executor(reader, schema: schema).count(try plan(query)).count
  }

  /// A plan as text, after a run of it if measures are wanted.
  package func explain(
    _ query: ObjectQuery, _ options: PlanText.Options = [], measuring: Bool = false
  ) throws -> String {
    PlanText(try report(query, measuring: measuring)).text(options)
  }

  /// A plan as JSON, after a run of it if measures are wanted: the steps with what was expected and
  /// measured, the rules that changed the question, and the ways that were not taken.
  package func explainJSON(_ query: ObjectQuery, measuring: Bool = false) throws -> String {
    try Self.json(report(query, measuring: measuring))
  }

  /// A report as JSON, its members in the order of their names.
  static func json(_ report: PlanReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }

  private func report(_ query: ObjectQuery, measuring: Bool) throws -> PlanReport {
    let plan = try plan(query)
    let measured = measuring ? try Executor(reader, schema: schema).keys(plan).statistics : nil
    return PlanReport(
      plan, rules: PredicateRules.fired(on: query.predicate, without: options.disabledRules),
      measured: measured)
  }
}
