import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Comparisons that cannot be evaluated on columns alone.
extension FilterCompiler {
  /// A filter for a comparison of any two operands.
  mutating func generalFilter(_ comparison: BoundComparison) throws -> any BatchFilter {
    if let filter = try coordinateFilter(comparison) { return filter }
    if let filter = try elementFilter(comparison) { return filter }
    let left = try side(comparison.left)
    let right = try side(comparison.right)
    return ComparisonFilter(
      left: left.values, right: right.values,
      rule: ComparisonRule(
        comparison, leftQuantifier: left.quantifier, rightQuantifier: right.quantifier,
        isNaNEqualToItself: left.isStored && right.isStored,
        isNullOrdered: !left.isMixed && !right.isMixed))
  }

  /// One side of a comparison.
  private struct Side {
    var values: any OperandValues
    var quantifier: Quantifier = .any
    /// Whether the values are of any type.
    var isMixed = false
    /// Whether they are stored as they are.
    var isStored = false
  }

  private mutating func side(_ operand: BoundOperand) throws -> Side {
    switch operand {
    case .property(let path): return try side(path, .any)
    case .elements(let quantifier, let path): return try side(path, quantifier)
    case .value(let value): return Side(values: ConstantValues(constants: [value]))
    case .list(let values): return Side(values: ConstantValues(constants: values))
    case .constants(let quantifier, let values):
      return Side(values: ConstantValues(constants: values), quantifier: quantifier)
    case .object(let reference):
      return Side(values: ConstantValues(constants: try [reference].compactMap(value)))
    case .objects(let references):
      return Side(values: ConstantValues(constants: try references.compactMap(value)))
    case .pattern(let pattern):
      return Side(values: ConstantValues(constants: [.string(pattern.text)]))
    case .aggregate(let aggregate): return try side(aggregate)
    case .subquery(let subquery): return try side(subquery)
    case .arithmetic(let arithmetic):
      let (left, right) = (try side(arithmetic.left), try side(arithmetic.right))
      // Only one of the two may have many values, so its quantifier applies to the results.
      return Side(
        values: ArithmeticValues(
          left: left.values, operation: arithmetic.operation, right: right.values),
        quantifier: left.quantifier == .any ? right.quantifier : left.quantifier)
    case .distance(let distance):
      var right = try geometry(distance.right)
      if case .geometry(let constant) = distance.right, let point = constant.written.point {
        // The distance of two points needs no preparation.
        right = .constant(.point(longitude: point.longitude, latitude: point.latitude))
      }
      return Side(
        values: DistanceValues(
          left: try geometries(distance.left), right: right, edges: distance.edges),
        quantifier: distance.quantifier)
    }
  }

  private mutating func side(_ path: BoundPath, _ quantifier: Quantifier) throws -> Side {
    let entered = path.entered
    var side = Side(
      values: values(entered.hops), quantifier: quantifier, isMixed: entered.isMixed,
      isStored: true)
    if let (source, _) = try rowValue(path) {
      let leaf = path.properties?.last?.property
      side.values = ColumnValues(
        source: source, target: leaf?.type == .object ? leaf?.objectClassName : nil)
    }
    return side
  }

  private mutating func side(_ aggregate: BoundAggregate) throws -> Side {
    let collection = aggregate.collection.entered
    let end = aggregate.member?.end ?? collection.end
    let isDecimal = end == .value(.decimal128)
    let values =
      try elementAggregates(aggregate, isDecimal: isDecimal)
      ?? AggregateValues(
        collection: values(collection.hops), member: aggregate.member?.hops ?? [],
        operation: aggregate.operation, isDecimal: isDecimal)
    return Side(values: values, isMixed: end == .value(.any))
  }

  private mutating func side(_ subquery: BoundSubquery) throws -> Side {
    if let counts = try elementCounts(subquery) { return Side(values: counts) }
    guard case .object(let target) = subquery.collection.entered.end,
      let layout = rows.catalogue.layout(target.className)
    else {
      return Side(values: ConstantValues(constants: [.int(0)]))
    }
    return Side(
      values: SubqueryValues(
        collection: values(subquery.collection.entered.hops),
        objects: try keyFilter(layout, subquery.predicate)))
  }

  /// A filter for objects of another class by their keys.
  private func keyFilter(
    _ layout: TableLayout, _ predicate: BoundPredicate
  ) throws -> KeyFilter {
    var compiler = FilterCompiler(layout, traversal)
    let filter = try compiler.filter(predicate)
    return KeyFilter(
      layout: layout, columns: compiler.request.columns, filter: filter, rows: rows)
  }
}
