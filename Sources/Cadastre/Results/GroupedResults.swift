import CadastreEngine
import CadastreModel

/// An aggregate of the objects that share a value.
public struct ResultsGroup<Key, Value> {
  /// The shared value.
  public let key: Key
  /// The aggregate.
  public let value: Value

  /// A group.
  public init(key: Key, value: Value) {
    self.key = key
    self.value = value
  }
}

extension ResultsGroup: Sendable where Key: Sendable, Value: Sendable {}
extension ResultsGroup: Equatable where Key: Equatable, Value: Equatable {}
extension ResultsGroup: Hashable where Key: Hashable, Value: Hashable {}

/// Results grouped by the values of a property, for aggregates.
///
///     for group in airports.grouped(by: \.country).count() {
///       print(group.key, group.value)
///     }
///
/// Groups are in the order of their keys: null first, then NaN, then values. Objects behind a null
/// link have the key null. Each aggregate reads the current version; no objects are made.
public struct GroupedResults<Key: RealmCollectionValue, Element: ObjectBase & RealmCollectionValue>
{
  private let queryResult: QueryResult
  private let path: PropertyPath

  init(_ queryResult: QueryResult, by path: PropertyPath) {
    self.queryResult = queryResult
    self.path = path
  }

  /// The number of objects in each group.
  ///
  /// - Complexity: O(n) for n objects.
  public func count() -> [ResultsGroup<Key, Int>] {
    var counts: [Value: Int] = [:]
    queryResult.forEachValue(at: [path]) { counts[$0[0].groupingKey, default: 0] += 1 }
    return groups(counts) { $0 }
  }

  /// The sum of a property over each group; zero where all are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func sum<Number: AddableType>(of keyPath: KeyPath<Element, Number>) -> [ResultsGroup<
    Key, Number
  >] {
    groups(aggregations(of: keyPath, "sum")) { aggregation in
      guard let sum = Number(aggregate: aggregation.sumOrStop) else {
        ProgrammingError.stop("A sum of a group does not fit '\(Number.self)': sum a wider type.")
      }
      return sum
    }
  }

  /// The average of a property over each group; nil where all are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func average<Number: AddableType>(
    of keyPath: KeyPath<Element, Number>
  ) -> [ResultsGroup<Key, Double?>] {
    groups(aggregations(of: keyPath, "average")) { $0.average.flatMap(Double.init(aggregate:)) }
  }

  /// The smallest value of a property in each group; nil where all are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func min<Member: MinMaxType>(of keyPath: KeyPath<Element, Member>) -> [ResultsGroup<
    Key, Member?
  >] {
    groups(aggregations(of: keyPath, "min")) { queryResult.made($0.minimum) }
  }

  /// The largest value of a property in each group; nil where all are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func max<Member: MinMaxType>(of keyPath: KeyPath<Element, Member>) -> [ResultsGroup<
    Key, Member?
  >] {
    groups(aggregations(of: keyPath, "max")) { queryResult.made($0.maximum) }
  }

  /// The smallest value of an optional property in each group; nil where all are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func min<Member: MinMaxType & OptionalPersistable>(
    of keyPath: KeyPath<Element, Member?>
  ) -> [ResultsGroup<Key, Member?>] {
    groups(aggregations(of: keyPath, "min")) { queryResult.made($0.minimum) }
  }

  /// The largest value of an optional property in each group; nil where all are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func max<Member: MinMaxType & OptionalPersistable>(
    of keyPath: KeyPath<Element, Member?>
  ) -> [ResultsGroup<Key, Member?>] {
    groups(aggregations(of: keyPath, "max")) { queryResult.made($0.maximum) }
  }

  // MARK: Working out

  private func aggregations<Member>(
    of keyPath: KeyPath<Element, Member>, _ operation: String
  ) -> [Value: Aggregation] {
    guard let table = queryResult.table else { return [:] }
    let member = PropertyPath(PropertyNames.name(of: keyPath))
    let type = AggregatedProperty.type(
      of: member, in: table.info.schema, operation, queryResult.core.schema.target)
    var aggregations: [Value: Aggregation] = [:]
    queryResult.forEachValue(at: [path, member]) { values in
      aggregations[values[0].groupingKey, default: Aggregation(of: type)].add(values[1])
    }
    return aggregations
  }

  private func groups<Found, Result>(
    _ found: [Value: Found], _ make: (Found) -> Result
  ) -> [ResultsGroup<Key, Result>] {
    let ordered = found.sorted { $0.key.ordering($1.key) == .ascending }
    return ordered.map { value, found in
      guard let key: Key = queryResult.made(value) else {
        ProgrammingError.stop("A stored value of '\(path)' does not fit '\(Key.self)'.")
      }
      return ResultsGroup(key: key, value: make(found))
    }
  }
}

extension Results where Element: ObjectBase {
  /// The objects by the values of a property, which may lie behind to-one links.
  ///
  ///     airports.where { $0.isOpen }.grouped(by: \.country).max(of: \.elevation)
  public func grouped<Key: RealmCollectionValue>(
    by keyPath: KeyPath<Element, Key>
  ) -> GroupedResults<Key, Element> {
    let path = PropertyPath(PropertyNames.name(of: keyPath))
    return GroupedResults(queryResult.groupable(by: path), by: path)
  }
}
