public import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery

/// An aggregate of the objects with the same key.
public struct ResultsGroup<Key, Value> {
  /// The key.
  public let key: Key
  /// The aggregate.
  public let value: Value

  /// Creates a group.
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
/// Groups are ordered by key: null first, then NaN, then values. Equal values form one group, whose key is
/// the value of its first object: see <doc:Equality>. Objects with a null link in the path have the key null.
/// A stored value that the key type cannot represent has no group, and is a read error. Each aggregate reads
/// the current version, without creating objects.
public struct GroupedResults<Key, Element: ObjectBase & RealmCollectionValue> {
  private let queryResult: QueryResult
  private let grouping: Grouping
  /// Converts a stored value to a key; reports a value that does not fit, and returns nil.
  private let key: (Value) -> Key?

  /// The criterion of the groups.
  private enum Grouping {
    case value(PropertyPath)
    case cell(PropertyPath, GeoGrid)
  }

  init(_ queryResult: QueryResult, by path: PropertyPath) where Key: RealmCollectionValue {
    self.queryResult = queryResult
    grouping = .value(path)
    key = { value in
      if let key: Key = queryResult.made(value) { return key }
      queryResult.core.reportUnfit("'\(path)'", Key.self)
      return nil
    }
  }

  init(_ queryResult: QueryResult, byCellOf path: PropertyPath, in grid: GeoGrid)
  where Key == GridCell {
    self.queryResult = queryResult
    grouping = .cell(path, grid)
    key = { value in
      guard case .int(let code) = value else { return GridCell(code: 0, in: grid) }
      return GridCell(code: code, in: grid)
    }
  }

  /// Returns the number of objects in each group.
  ///
  /// - Complexity: O(n) for n objects.
  public func count() -> [ResultsGroup<Key, Int>] {
    var counts: [ValueKey: (value: Value, found: Int)] = [:]
    forEachObject(at: []) { value, _ in
      counts[ValueKey(value), default: (value, 0)].found += 1
    }
    return groups(counts) { $0 }
  }

  /// Returns the sum of a property over each group; zero if all values are null.
  ///
  /// If the type cannot represent a sum, the sum is zero and a read error is reported, see
  /// ``Realm/readError``.
  ///
  /// - Complexity: O(n) for n objects.
  public func sum<Number: AddableType>(of keyPath: KeyPath<Element, Number>) -> [ResultsGroup<
    Key, Number
  >] {
    let property = PropertyNames.name(of: keyPath)
    return groups(aggregations(of: keyPath, "sum")) {
      $0.sum(property, in: queryResult.core, Number.init(aggregate:))
    }
  }

  /// Returns the average of a property over each group; nil if all values are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func average<Number: AddableType>(
    of keyPath: KeyPath<Element, Number>
  ) -> [ResultsGroup<Key, Double?>] {
    groups(aggregations(of: keyPath, "average")) { $0.average.flatMap(Double.init(aggregate:)) }
  }

  /// Returns the smallest value of a property in each group; nil if all values are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func min<Member: MinMaxType>(of keyPath: KeyPath<Element, Member>) -> [ResultsGroup<
    Key, Member?
  >] {
    groups(aggregations(of: keyPath, "min")) { queryResult.made($0.minimum) }
  }

  /// Returns the largest value of a property in each group; nil if all values are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func max<Member: MinMaxType>(of keyPath: KeyPath<Element, Member>) -> [ResultsGroup<
    Key, Member?
  >] {
    groups(aggregations(of: keyPath, "max")) { queryResult.made($0.maximum) }
  }

  /// Returns the smallest value of an optional property in each group; nil if all values are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func min<Member: MinMaxType & OptionalPersistable>(
    of keyPath: KeyPath<Element, Member?>
  ) -> [ResultsGroup<Key, Member?>] {
    groups(aggregations(of: keyPath, "min")) { queryResult.made($0.minimum) }
  }

  /// Returns the largest value of an optional property in each group; nil if all values are null.
  ///
  /// - Complexity: O(n) for n objects.
  public func max<Member: MinMaxType & OptionalPersistable>(
    of keyPath: KeyPath<Element, Member?>
  ) -> [ResultsGroup<Key, Member?>] {
    groups(aggregations(of: keyPath, "max")) { queryResult.made($0.maximum) }
  }

  // MARK: Evaluation

  private func aggregations<Member>(
    of keyPath: KeyPath<Element, Member>, _ operation: String
  ) -> [ValueKey: (value: Value, found: Aggregation)] {
    guard let table = queryResult.table else { return [:] }
    let member = PropertyPath(PropertyNames.name(of: keyPath))
    let type = ProgrammingError.orStop { () throws(QueryPredicateError) in
      try AggregatedProperty.type(
        of: member, in: table.info.schema, operation, queryResult.core.schema.target)
    }
    var aggregations: [ValueKey: (value: Value, found: Aggregation)] = [:]
    forEachObject(at: [member]) { value, values in
      aggregations[ValueKey(value), default: (value, Aggregation(of: type))].found
        .add(values[values.count - 1])
    }
    return aggregations
  }

  /// Calls a closure with the grouping value of each object, and with an array that ends in the values at the
  /// paths.
  private func forEachObject(at paths: [PropertyPath], _ body: (Value, [Value]) -> Void) {
    switch grouping {
    case .value(let path):
      queryResult.forEachValue(at: [path] + paths) { body($0[0], $0) }
    case .cell(let path, let grid):
      let cells = queryResult.read(or: []) {
        try $0.session().cells($0.keys, of: $0.query.className, at: path, in: grid)
      }
      if paths.isEmpty {
        for case let cell? in cells { body(.int(cell), []) }
        return
      }
      var index = 0
      queryResult.forEachValue(at: paths) { values in
        if index < cells.count, let cell = cells[index] { body(.int(cell), values) }
        index += 1
      }
    }
  }

  private func groups<Found, Result>(
    _ groups: [ValueKey: (value: Value, found: Found)], _ make: (Found) -> Result
  ) -> [ResultsGroup<Key, Result>] {
    let ordered = groups.values.sorted { $0.value.ordering($1.value) == .ascending }
    return ordered.compactMap { value, found in
      key(value).map { ResultsGroup(key: $0, value: make(found)) }
    }
  }
}

extension Results where Element: ObjectBase {
  /// Groups the objects by the values of a property, which may be reached through to-one links.
  ///
  ///     airports.where { $0.isOpen }.grouped(by: \.country).max(of: \.elevation)
  public func grouped<Key: RealmCollectionValue>(
    by keyPath: KeyPath<Element, Key>
  ) -> GroupedResults<Key, Element> {
    let path = PropertyPath(PropertyNames.name(of: keyPath))
    return GroupedResults(queryResult.groupable(by: path), by: path)
  }

  /// Groups the objects by the grid cell of their location, for heat maps and tiles.
  ///
  ///     for group in airports.grouped(byCell: .tile(zoom: 4), of: \.location).count() {
  ///       print(group.key.boundingBox, group.value)
  ///     }
  ///
  /// Objects without a location are omitted. A geometry other than a point is in the cell of its centroid.
  /// Groups are ordered by cell.
  ///
  /// - Parameters:
  ///   - grid: The grid.
  ///   - keyPath: The embedded point or the geometry.
  /// - Returns: The groups.
  public func grouped<Place: GeometryProperty>(
    byCell grid: GeoGrid, of keyPath: KeyPath<Element, Place>
  ) -> GroupedResults<GridCell, Element> {
    GroupedResults(
      queryResult, byCellOf: PropertyPath(PropertyNames.name(of: keyPath)), in: grid)
  }
}
