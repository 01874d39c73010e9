public import Cadastre
import CadastreModel
import CadastrePredicate

extension PostgresResults {
  /// Groups the objects by the values of a property, also of the target of to-one links.
  ///
  ///     for group in try await ports.grouped(by: \.country).count() {
  ///       print(group.key, group.value)
  ///     }
  ///
  /// - Parameter keyPath: A property with a single value.
  /// - Returns: The groups, in the order of their keys: nil first, then NaN, then values.
  public func grouped<Key>(by keyPath: KeyPath<Element, Key>) -> PostgresGroups<Key, Element> {
    PostgresGroups(self, DetachedObjects.path(of: keyPath))
  }
}

/// The groups of objects with equal values of a property; the server computes their aggregates.
///
/// The aggregates ignore offset and limit of the results.
public struct PostgresGroups<Key, Element: Object>: Sendable {
  private let results: PostgresResults<Element>
  private let path: PropertyPath

  init(_ results: PostgresResults<Element>, _ path: PropertyPath) {
    (self.results, self.path) = (results, path)
  }

  /// Returns the number of objects in each group.
  ///
  /// - Throws: The errors of ``PostgresResults/count()``, and ``UntranslatablePart`` for a property
  ///   without single values.
  public func count() async throws -> [ResultsGroup<Key, Int>] {
    try await groups([]) { count, _ in count }
  }

  /// Returns the sum of a numeric property in each group; 0 where all values are nil.
  ///
  /// - Throws: The errors of ``count()``.
  public func sum<Value>(
    of keyPath: KeyPath<Element, Value>
  ) async throws -> [ResultsGroup<Key, Double>] {
    try await groups([(.sum, keyPath)]) { _, values in values[0].doubleValue ?? 0 }
  }

  /// Returns the mean of a numeric property in each group; nil where all values are nil.
  ///
  /// - Throws: The errors of ``count()``.
  public func average<Value>(
    of keyPath: KeyPath<Element, Value>
  ) async throws -> [ResultsGroup<Key, Double?>] {
    try await groups([(.average, keyPath)]) { _, values in values[0].doubleValue }
  }

  /// Returns the smallest value of a property in each group; nil where all values are nil or NaN.
  ///
  /// - Throws: The errors of ``count()``.
  public func min<Value>(
    of keyPath: KeyPath<Element, Value>
  ) async throws -> [ResultsGroup<Key, Value?>] {
    try await groups([(.minimum, keyPath)]) { _, values in values[0].anyValue as? Value }
  }

  /// Returns the greatest value of a property in each group; nil where all values are nil or NaN.
  ///
  /// - Throws: The errors of ``count()``.
  public func max<Value>(
    of keyPath: KeyPath<Element, Value>
  ) async throws -> [ResultsGroup<Key, Value?>] {
    try await groups([(.maximum, keyPath)]) { _, values in values[0].anyValue as? Value }
  }

  private func groups<Value>(
    _ terms: [(function: AggregateFunction, keyPath: PartialKeyPath<Element>)],
    _ make: (Int, [PostgresValue]) -> Value
  ) async throws -> [ResultsGroup<Key, Value>] {
    let query = try results.query()
    let schema = query.classes.schema
    guard let root = schema[query.bound.className] else { return [] }
    let grouped = try schema.resolve(path, from: root)
    var bound: [(function: AggregateFunction, path: BoundPath)] = []
    for term in terms {
      bound.append(
        (term.function, try schema.resolve(DetachedObjects.path(of: term.keyPath), from: root)))
    }
    let (paths, functions) = ([grouped], bound)
    let groups = try await results.store.pool.withConnection {
      try await query.groups(by: paths, functions, $0)
    }
    return try groups.map { group in
      guard let key = DetachedObjects.dynamic(group.keys[0]) as? Key else {
        throw PostgresError(
          .unexpectedValue, "reading groups", "the values of '\(path)' do not fit '\(Key.self)'")
      }
      return ResultsGroup(key: key, value: make(group.count, group.values))
    }
  }
}
