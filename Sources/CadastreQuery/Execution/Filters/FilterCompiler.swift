import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Compiles a bound predicate into filters over batches, and collects the columns that they read.
struct FilterCompiler {
  let layout: TableLayout
  let traversal: PathTraversal
  /// The object embedded in each row that is tested; nil for the row's own object.
  let embedded: EmbeddedLayout?
  var request: ColumnRequest
  /// The operands of outer objects in the predicate of a subquery, one for each subquery around it, the innermost last.
  private(set) var scopes: [OuterScope] = []

  /// A compiler for the objects of a store.
  init(_ layout: TableLayout, _ reader: any StoreReader, _ schema: Schema) {
    self.init(layout, PathTraversal(schema, StoreRows(reader)))
  }

  /// A compiler for the objects that a traversal starts from, or that another compiler's paths lead to.
  init(
    _ layout: TableLayout, _ traversal: PathTraversal, embedded: EmbeddedLayout? = nil,
    within scopes: [OuterScope] = []
  ) {
    self.traversal = traversal
    self.layout = layout
    self.embedded = embedded
    self.scopes = scopes
    request = ColumnRequest(layout, traversal.rows.catalogue, within: embedded)
  }

  /// The rows that the filters reach from those of a batch.
  var rows: any RowProvider { traversal.rows }

  /// The class of the rows.
  var className: String { layout.schema.className }

  mutating func filter(_ predicate: BoundPredicate) throws -> any BatchFilter {
    switch predicate {
    case .constant(let value): return ConstantFilter(value: value)
    case .not(let inner): return NotFilter(inner: try filter(inner))
    case .and(let parts): return AllFilter(parts: try filters(parts))
    case .or(let parts): return AnyFilter(parts: try filters(parts))
    case .comparison(let comparison): return try filter(comparison)
    case .geoWithin(let within): return try filter(within)
    case .relation(let relation): return try filter(relation)
    }
  }

  mutating func filters(_ predicates: some Sequence<BoundPredicate>) throws -> [any BatchFilter] {
    var filters: [any BatchFilter] = []
    for predicate in predicates { filters.append(try filter(predicate)) }
    return filters
  }

  private mutating func filter(_ within: BoundGeoWithin) throws -> any BatchFilter {
    if let properties = within.path.entered.properties {
      guard case .point(let point) = try request.leaf(properties).leaf else {
        return ConstantFilter(value: false)
      }
      return RegionFilter(
        position: request.position(of: point), region: within.shape.prepared)
    }
    if let filter = try elementFilter(within) { return filter }
    return PointsFilter(
      points: values(within.path.entered.hops), region: within.shape.prepared,
      quantifier: within.quantifier)
  }

  // MARK: Comparisons

  private mutating func filter(_ comparison: BoundComparison) throws -> any BatchFilter {
    guard case .property(let path) = comparison.left else { return try generalFilter(comparison) }
    if comparison.operation.isEquality, case .collection(let property, _) = path.end,
      let filter = try wholeFilter(comparison, path, inOrder: !property.isSet)
    {
      return filter
    }
    guard let (left, right) = comparison.columnComparison else {
      return try generalFilter(comparison)
    }
    return try columnFilter(comparison, left, right)
  }

  /// A filter for the comparison of a whole list or set with constants; nil for other comparisons.
  private mutating func wholeFilter(
    _ comparison: BoundComparison, _ path: BoundPath, inOrder: Bool
  ) throws -> (any BatchFilter)? {
    var expected: [Value]?
    switch comparison.right {
    case .list(let values): expected = values
    case .objects(let references):
      let values = try references.compactMap { try value(of: $0) }
      // An object that is not there is equal to nothing.
      expected = values.count == references.count ? values : nil
    default: return nil
    }
    let isEqual = comparison.operation == .equal
    let leaf = path.isPlain ? try leaf(path) : nil
    if case .pointCoordinates(let point)? = leaf {
      return CoordinatesFilter(
        point: request.slots(of: point), expected: expected ?? [], isEqual: isEqual)
    }
    let filter = WholeCollectionFilter(
      owner: values(path.hops.dropLast()), elements: values(path.entered.hops),
      expected: expected, inOrder: inOrder, isEqual: isEqual || leaf != nil)
    guard case .collection(let slots)? = leaf, let expected else {
      return leaf == nil || isEqual ? filter : NotFilter(inner: filter)
    }
    // The number of elements is in the row of the owner; null behind a null link.
    let count = Interval<Int64>.holding(
      inOrder || expected.isEmpty ? .equal : .lessOrEqual, .int(Int64(expected.count)))
    let counted = AllFilter(parts: [
      IntervalFilter(column: slots.count, intervals: [count].compactMap(\.self), nulls: true),
      filter,
    ])
    return isEqual ? counted : NotFilter(inner: counted)
  }

  private mutating func columnFilter(
    _ comparison: BoundComparison, _ path: BoundPath, _ other: BoundPath?
  ) throws -> any BatchFilter {
    var comparison = comparison
    if comparison.operation == .notEqual {
      comparison.operation = .equal
      return NotFilter(inner: try columnFilter(comparison, path, other))
    }
    if case .object(let reference) = comparison.right, case .object(let target) = path.end,
      target.isEmbedded
    {
      return try identityFilter(reference, path)
    }
    let leaf = try leaf(path)
    if let other {
      guard let left = RowValue(leaf, &request),
        let right = RowValue(try self.leaf(other), &request)
      else { return ConstantFilter(value: false) }
      return PropertyFilter(
        left: left, operation: comparison.operation, right: right, options: comparison.options,
        isMixed: path.isMixed || other.isMixed)
    }
    switch leaf {
    case .value(let place): return try columnFilter(comparison, at: place, of: request.columns)
    case .presence(let place): return NullFilter(column: place)
    case .point(let point): return isNull(point)
    case .pointType(let point): return typeFilter(comparison, request.slots(of: point))
    case .pointCoordinates, .collection: return ConstantFilter(value: false)
    }
  }

  /// The values at the end of a path from each row.
  func values(_ hops: some Sequence<BoundPath.Hop>) -> PathValues {
    PathValues(traversal: traversal, className: className, embedded: embedded, hops: Array(hops))
  }

  /// A filter for the comparison of a column with constants.
  func columnFilter(
    _ comparison: BoundComparison, at place: Int, of columns: [ColumnReference]
  ) throws -> any BatchFilter {
    if comparison.operation == .notEqual {
      var equal = comparison
      equal.operation = .equal
      return NotFilter(inner: try columnFilter(equal, at: place, of: columns))
    }
    let type = columns[place].type
    let operation = comparison.operation
    switch comparison.right {
    case .property, .elements, .constants, .aggregate, .subquery, .outer, .arithmetic, .distance,
      .pattern:
      return ConstantFilter(value: false)
    case .value(let value):
      return valueFilter(place, type, operation, [value], comparison.options)
    case .list(let values) where operation == .between:
      return AllFilter(parts: [
        valueFilter(place, type, .greaterOrEqual, [values[0]], []),
        valueFilter(place, type, .lessOrEqual, [values[1]], []),
      ])
    case .list(let values):
      return valueFilter(place, type, .equal, values, comparison.options)
    case .object(let reference): return try linkFilter(place, type, [reference])
    case .objects(let references): return try linkFilter(place, type, references)
    }
  }

  /// A filter for rows with a link to one of some objects.
  private func linkFilter(
    _ place: Int, _ type: PropertyType, _ references: [ObjectReference]
  ) throws -> any BatchFilter {
    if type == .any {
      return valueFilter(place, type, .equal, try references.compactMap { try value(of: $0) }, [])
    }
    let keys = try references.compactMap { try rows.key(of: $0).map(Value.int) }
    return integerFilter(place, .equal, keys, false)
  }

  /// A filter for rows whose comparison with some of the values holds.
  private func valueFilter(
    _ place: Int, _ type: PropertyType, _ operation: ComparisonOperator, _ values: [Value],
    _ options: StringOptions
  ) -> any BatchFilter {
    let nulls = values.contains { Self.nullPasses(operation, $0, type) }
    let present = values.filter { !$0.isNull }
    if values.contains(where: { $0.type == .decimal128 }) {
      return ValueFilter(
        column: place, operation: operation, values: values, options: options,
        isNullOrdered: type != .any)
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
    case .string, .data, .objectId, .UUID, .geometry:
      return Self.bytesFilter(operation, values, options, type, isNull: NullFilter(column: place)) {
        test, nulls in
        BytesFilter(column: place, test: test, options: options, nulls: nulls)
      }
    case .decimal128, .any:
      return ValueFilter(
        column: place, operation: operation, values: values, options: options,
        isNullOrdered: type != .any)
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

  /// The largest number of values that are searched linearly instead of by hash.
  private static let smallList = 8

  /// A filter by the bytes of values; `isNull` finds the nulls, `make` tests the others.
  private static func bytesFilter(
    _ operation: ComparisonOperator, _ values: [Value], _ options: StringOptions,
    _ type: PropertyType, isNull: any BatchFilter,
    make: (BytesTest, Bool) -> any BatchFilter
  ) -> any BatchFilter {
    let nulls = values.contains { nullPasses(operation, $0, type) }
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
    _ comparison: BoundComparison, _ point: ColumnRequest.PointSlots
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
          typeFilter(BoundComparison(comparison.left, operation, .value(bound)), point)
        })
    case .property, .object, .objects, .elements, .constants, .aggregate, .subquery, .outer,
      .arithmetic, .distance, .pattern:
      return ConstantFilter(value: false)
    }
    return Self.bytesFilter(
      operation, values, comparison.options, .string, isNull: Self.isNull(presence: point.presence)
    ) { test, nulls in
      PointTypeFilter(point: point, test: test, options: comparison.options, nulls: nulls)
    }
  }

  // MARK: Words

  /// The relevance of the indexed texts at a path to some words, by key.
  func relevance(of path: BoundPath, to words: TextPattern) throws -> [Int64: Double] {
    guard let index = layout.textIndex(path) else { return [:] }
    return try rows.relevance(of: layout.textIndexes[index], to: words)
  }

  // MARK: Null

  private mutating func isNull(_ point: ColumnRequest.Point) -> any BatchFilter {
    Self.isNull(presence: request.presence(of: point))
  }

  private static func isNull(presence: Int?) -> any BatchFilter {
    presence.map(NullFilter.init) ?? ConstantFilter(value: false)
  }

  /// Whether the comparison of null with a value holds.
  ///
  /// Null equals null; among strings it sorts first.
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

  /// Whether the comparison of every string with null holds.
  private static func everyTextPasses(_ operation: ComparisonOperator) -> Bool {
    operation == .greater || operation == .greaterOrEqual
  }

  // MARK: Paths and objects

  private mutating func leaf(_ path: BoundPath) throws -> ColumnRequest.Leaf {
    try request.leaf(path.properties ?? []).leaf
  }

  /// An object as a value; nil where it does not exist.
  func value(of reference: ObjectReference) throws -> Value? {
    try reference.value { try rows.key(of: reference).map { ObjectKey($0) } }
  }
}

extension RowProvider {
  /// The key of the row of a named object; nil where it does not exist, or has no row of its own.
  func key(of reference: ObjectReference) throws -> Int64? {
    switch reference.identity {
    case .key(let key): key.rawValue
    case .primaryKey(let value): try key(reference.className, primaryKey: value)
    case .embedded, .unmanaged: nil
    }
  }
}
