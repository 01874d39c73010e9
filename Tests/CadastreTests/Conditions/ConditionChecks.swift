@testable import Cadastre
import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Foundation
import Testing

/// Holds type-safe conditions against predicate texts and against plain Swift.
struct ConditionChecks<Root: Object> {
  let realm: Realm

  /// The objects, in the order in which they were added.
  var objects: [Root] { Array(realm.objects(Root.self)) }

  private var schema: ObjectSchema { ClassInfo.of(Root.self).schema }

  /// The bound predicate.
  func bound(_ predicate: QueryPredicate) throws -> QueryPredicate {
    try predicate.bound(to: realm.core.schema, root: schema).named
  }

  func bound(_ text: String, _ arguments: [Any?] = []) throws -> QueryPredicate {
    let values = try arguments.map { try PredicateArgument(dynamic: $0) }
    return try bound(QueryPredicate(parsing: text, arguments: values))
  }

  /// Whether each object matches a condition, in order, by the reference evaluator and by the store.
  func matches(
    _ location: SourceLocation = #_sourceLocation, _ condition: (Query<Root>) -> Query<Bool>
  ) throws -> [Bool] {
    try matches(condition(Query()).predicate, location)
  }

  /// The same for a predicate.
  private func matches(_ predicate: QueryPredicate, _ location: SourceLocation) throws -> [Bool] {
    let objects = objects
    try expectReadable(predicate, location)
    let bound = try bound(predicate)
    let evaluator = ReferenceEvaluator(schema: realm.core.schema, root: schema)
    let expected = try objects.map { try evaluator.matches(ObjectSubject($0), bound) }
    let results = try realm.objects(Root.self).filter(predicate)
    let found = Set(results.compactMap(\.position?.row.key))
    #expect(
      objects.map { $0.position.map { found.contains($0.row.key) } ?? false } == expected,
      "the store, of \(bound)", sourceLocation: location)
    return expected
  }

  /// Expects the printed form of a predicate to parse to the same tree.
  private func expectReadable(_ predicate: QueryPredicate, _ location: SourceLocation) throws {
    let parsed = try QueryPredicate(parsing: "\(predicate)")
    var areStored = false
    predicate.forEachObjectReference { areStored = areStored || $0.store != nil }
    // The text names an object of the queried store.
    #expect(
      areStored ? "\(parsed)" == "\(predicate)" : parsed == predicate, "\(predicate)",
      sourceLocation: location)
  }

  /// Expects a predicate of Foundation to find what it finds by itself, and to be the same tree as
  /// a text if one is given.
  func expect(
    _ predicate: Foundation.Predicate<Root>, is text: String? = nil, _ arguments: Any?...,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let translated = try PredicateTranslation.predicate(predicate)
    let made = try bound(translated)
    let expected = try objects.map { try predicate.evaluate($0) }
    #expect(try matches(translated, location) == expected, "\(made)", sourceLocation: location)
    if let text {
      #expect(try made == bound(text, arguments), "\(made)", sourceLocation: location)
    }
  }

  /// Expects a condition to be the same tree as a text, to find what a closure says, to find the
  /// rest when it is negated, and to be written as a format that reads back.
  func expect(
    _ text: String, _ arguments: Any?..., matches closure: (Root) -> Bool,
    location: SourceLocation = #_sourceLocation, when condition: (Query<Root>) -> Query<Bool>
  ) throws {
    let made = try bound(condition(Query()).predicate)
    #expect(try made == bound(text, arguments), "\(made)", sourceLocation: location)
    try expect(matches: closure, location: location, when: condition)
  }

  /// The same without a text.
  func expect(
    matches closure: (Root) -> Bool, location: SourceLocation = #_sourceLocation,
    when condition: (Query<Root>) -> Query<Bool>
  ) throws {
    let expected = objects.map(closure)
    let made = try bound(condition(Query()).predicate)
    #expect(try matches(location, condition) == expected, "\(made)", sourceLocation: location)
    let (format, arguments) = condition(Query())._constructPredicate()
    #expect(try bound(format, arguments) == made, "\(format)", sourceLocation: location)
    guard case .condition = condition(Query()).node else { return }
    #expect(
      try matches(location) { !condition($0) } == expected.map { !$0 }, "NOT \(made)",
      sourceLocation: location)
    #expect(
      try matches(location) { !(!condition($0)) } == expected, "NOT NOT \(made)",
      sourceLocation: location)
  }
}
