import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Turns a bound predicate into filters over batches, and collects the columns that they read.
struct FilterCompiler {
  private let reader: any StoreReader
  private let root: ObjectSchema
  var request: ColumnRequest

  init(_ layout: TableLayout, _ reader: any StoreReader) {
    self.reader = reader
    root = layout.schema
    request = ColumnRequest(layout, reader.catalogue)
  }

  mutating func filter(_ predicate: QueryPredicate) throws -> any BatchFilter {
    switch predicate {
    case .constant(let value): return ConstantFilter(value: value)
    case .not(let inner): return NotFilter(inner: try filter(inner))
    case .and(let parts): return AllFilter(parts: try filters(parts))
    case .or(let parts): return AnyFilter(parts: try filters(parts))
    case .comparison(let comparison): return try filter(comparison)
    case .geoWithin(let within): return try filter(within)
    }
  }

  mutating func filters(_ predicates: [QueryPredicate]) throws -> [any BatchFilter] {
    var filters: [any BatchFilter] = []
    for predicate in predicates { filters.append(try filter(predicate)) }
    return filters
  }

  private mutating func filter(_ within: GeoWithin) throws -> any BatchFilter {
    guard case .point(let point) = try leaf(within.path) else {
      return ConstantFilter(value: false)
    }
    return RegionFilter(
      longitude: point.longitude, latitude: point.latitude,
      region: try PreparedRegion(within.shape, edges: within.edges))
  }

  // MARK: Comparisons

  private mutating func filter(_ comparison: Comparison) throws -> any BatchFilter {
    guard comparison.isOrdinary else {
      throw QueryPredicateError(.invalidQuery, "'\(comparison)' cannot be asked of a store")
    }
    var comparison = comparison
    if comparison.operation == .notEqual {
      comparison.operation = .equal
      return NotFilter(inner: try filter(comparison))
    }
    guard case .property(let path) = comparison.left else { return ConstantFilter(value: false) }
    let leaf = try leaf(path)
    if case .property(let other) = comparison.right {
      guard let left = RowValue(leaf), let right = RowValue(try self.leaf(other)) else {
        return ConstantFilter(value: false)
      }
      return PropertyFilter(
        left: left, operation: comparison.operation, right: right, options: comparison.options)
    }
    switch leaf {
    case .value(let place): return try filter(comparison, at: place)
    case .presence(let place): return NullFilter(column: place)
    case .point(let point): return NullFilter(column: point.presence)
    case .pointType(let point): return typeFilter(comparison, point)
    case .pointCoordinates(let point):
      guard case .list(let expected) = comparison.right else { return ConstantFilter(value: false) }
      return CoordinatesFilter(point: point, expected: expected, isEqual: true)
    }
  }

  private mutating func filter(
    _ comparison: Comparison, at place: Int
  ) throws -> any BatchFilter {
    let operation = comparison.operation
    switch comparison.right {
    case .property, .objects, .members, .elements, .constants, .aggregate, .subquery, .arithmetic:
      return ConstantFilter(value: false)
    case .value(let value):
      return valueFilter(place, operation, [value], comparison.options)
    case .list(let values) where operation == .between:
      return AllFilter(parts: [
        valueFilter(place, .greaterOrEqual, [values[0]], []),
        valueFilter(place, .lessOrEqual, [values[1]], []),
      ])
    case .list(let values):
      return valueFilter(place, .equal, values, comparison.options)
    case .object(let reference):
      guard let key = try key(of: reference) else { return ConstantFilter(value: false) }
      return IntervalFilter(
        column: place, intervals: [Interval(lower: key.rawValue, upper: key.rawValue)],
        nulls: false)
    }
  }

  /// A filter for rows that stand to some of the values as the operator says.
  private func valueFilter(
    _ place: Int, _ operation: ComparisonOperator, _ values: [Value], _ options: StringOptions
  ) -> any BatchFilter {
    let type = request.columns[place].type
    let nulls = values.contains { Self.nullPasses(operation, $0, type) }
    let present = values.filter { !$0.isNull }
    if values.contains(where: { $0.type == .decimal128 }) {
      return ValueFilter(column: place, operation: operation, values: values, options: options)
    }
    switch type {
    case .int, .bool, .object, .linkingObjects:
      return integerFilter(place, operation, present, nulls)
    case .float, .double:
      let intervals = present.compactMap { Interval<Double>.holding(operation, $0) }
      return IntervalFilter(column: place, intervals: intervals, nulls: nulls)
    case .date:
      let intervals = present.compactMap { Interval<Timestamp>.holding(operation, $0) }
      return IntervalFilter(column: place, intervals: intervals, nulls: nulls)
    case .string, .data, .objectId, .UUID:
      return Self.bytesFilter(operation, values, options, type, presence: place) { test, nulls in
        BytesFilter(column: place, test: test, options: options, nulls: nulls)
      }
    case .decimal128, .any:
      return ValueFilter(column: place, operation: operation, values: values, options: options)
    }
  }

  private func integerFilter(
    _ place: Int, _ operation: ComparisonOperator, _ values: [Value], _ nulls: Bool
  ) -> any BatchFilter {
    let intervals = values.compactMap { value -> Interval<Int64>? in
      switch value {
      case .bool(let flag): Interval.holding(operation, .int(flag ? 1 : 0))
      case .link(let key): Interval.holding(operation, .int(key.rawValue))
      default: Interval.holding(operation, value)
      }
    }
    guard operation == .equal, intervals.count > Self.smallList else {
      return IntervalFilter(column: place, intervals: intervals, nulls: nulls)
    }
    return IntegerSetFilter(column: place, values: Set(intervals.map(\.lower)), nulls: nulls)
  }

  /// Values up to which a list is searched from its start instead of by hash.
  private static let smallList = 8

  /// A filter by the bytes of values that are null where a column is; `make` tests the others.
  private static func bytesFilter(
    _ operation: ComparisonOperator, _ values: [Value], _ options: StringOptions,
    _ type: PropertyType, presence: Int, make: (BytesTest, Bool) -> any BatchFilter
  ) -> any BatchFilter {
    let nulls = values.contains { nullPasses(operation, $0, type) }
    let isNull = NullFilter(column: presence)
    if type == .string, values.contains(.null), everyTextPasses(operation) {
      return nulls ? ConstantFilter(value: true) : NotFilter(inner: isNull)
    }
    guard let test = bytesTest(operation, values.filter { !$0.isNull }, options) else {
      return nulls ? isNull : ConstantFilter(value: false)
    }
    return make(test, nulls)
  }

  private static func bytesTest(
    _ operation: ComparisonOperator, _ values: [Value], _ options: StringOptions
  ) -> BytesTest? {
    let bytes = values.compactMap { $0.comparableBytes(options) }
    if bytes.count > 1 { return .isIn(Set(bytes)) }
    return bytes.first.flatMap { BytesTest(operation, $0) }
  }

  private func typeFilter(
    _ comparison: Comparison, _ point: ColumnRequest.PointPlaces
  ) -> any BatchFilter {
    let values: [Value]
    let operation: ComparisonOperator
    switch comparison.right {
    case .value(let value): (values, operation) = ([value], comparison.operation)
    case .list(let list) where comparison.operation == .isIn: (values, operation) = (list, .equal)
    case .list(let bounds):
      let tests = zip([ComparisonOperator.greaterOrEqual, .lessOrEqual], bounds)
      return AllFilter(
        parts: tests.map { operation, bound in
          typeFilter(Comparison(comparison.left, operation, .value(bound)), point)
        })
    case .property, .object, .objects, .members, .elements, .constants, .aggregate, .subquery,
      .arithmetic:
      return ConstantFilter(value: false)
    }
    return Self.bytesFilter(
      operation, values, comparison.options, .string, presence: point.presence
    ) { test, nulls in
      PointTypeFilter(point: point, test: test, options: comparison.options, nulls: nulls)
    }
  }

  // MARK: Null

  /// Whether null stands to a value as an operator says.
  ///
  /// Null equals null; among strings it comes before everything.
  private static func nullPasses(
    _ operation: ComparisonOperator, _ value: Value, _ type: PropertyType
  ) -> Bool {
    switch operation {
    case .equal: value.isNull
    case .greaterOrEqual, .like: value.isNull
    case .less: type == .string && !value.isNull
    case .lessOrEqual: type == .string || value.isNull
    default: false
    }
  }

  /// Whether every string stands to null as an operator says.
  private static func everyTextPasses(_ operation: ComparisonOperator) -> Bool {
    operation == .greater || operation == .greaterOrEqual
  }

  // MARK: Paths and objects

  private mutating func leaf(_ path: PropertyPath) throws -> ColumnRequest.Leaf {
    try request.leaf(try reader.catalogue.schema.resolve(path, from: root)).leaf
  }

  private func key(of reference: ObjectReference) throws(StoreError) -> ObjectKey? {
    switch reference.identity {
    case .key(let key): key
    case .primaryKey(let value): try reader.key(reference.className, primaryKey: value)
    case .unmanaged: nil
    }
  }
}
