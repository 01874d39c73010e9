import CadastreModel
import CadastrePredicate
import CadastreStore

/// Comparisons that columns alone do not answer.
extension FilterCompiler {
  /// A filter for a comparison of any two operands.
  mutating func generalFilter(_ comparison: Comparison) throws -> any BatchFilter {
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

  private mutating func side(_ operand: Operand) throws -> Side {
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
    case .members: return Side(values: ConstantValues(constants: []))
    case .aggregate(let aggregate): return try side(aggregate)
    case .subquery(let subquery): return try side(subquery)
    case .arithmetic(let arithmetic):
      let (left, right) = (try side(arithmetic.left), try side(arithmetic.right))
      // Only one of the two may be many values, so its quantifier is that of the results.
      return Side(
        values: ArithmeticValues(
          left: left.values, operation: arithmetic.operation, right: right.values),
        quantifier: left.quantifier == .any ? right.quantifier : left.quantifier)
    }
  }

  private mutating func side(_ path: PropertyPath, _ quantifier: Quantifier) throws -> Side {
    let route = try schema.route(path, from: root)
    var side = Side(
      values: values(route.entered.hops), quantifier: quantifier,
      isMixed: route.entered.end == .value(.any), isStored: true)
    if route.isPlain, let column = try column(path) { side.values = column }
    return side
  }

  /// The single value at the end of a path, where it is in a column.
  private mutating func column(_ path: PropertyPath) throws -> ColumnValues? {
    let resolved = try schema.resolve(path, from: root)
    let leaf = try request.leaf(resolved).leaf
    guard let source = RowValue(leaf) else { return nil }
    let isLink = resolved.leaf.type == .object
    return ColumnValues(source: source, target: isLink ? resolved.leaf.objectClassName : nil)
  }

  private mutating func side(_ aggregate: Aggregate) throws -> Side {
    let collection = try schema.route(aggregate.collection, from: root).entered
    var end = collection.end
    var member: [PathRoute.Hop] = []
    if let path = aggregate.member, case .object(let target) = collection.end {
      let route = try schema.route(path, from: target)
      (member, end) = (route.hops, route.end)
    }
    let isDecimal = end == .value(.decimal128)
    let values =
      try elementAggregates(aggregate, isDecimal: isDecimal)
      ?? AggregateValues(
        collection: values(collection.hops), member: member, operation: aggregate.operation,
        isDecimal: isDecimal)
    return Side(values: values, isMixed: end == .value(.any))
  }

  private mutating func side(_ subquery: Subquery) throws -> Side {
    if let counts = try elementCounts(subquery) { return Side(values: counts) }
    let route = try schema.route(subquery.collection, from: root).entered
    guard case .object(let target) = route.end,
      let layout = reader.catalogue.layout(target.className)
    else { return Side(values: ConstantValues(constants: [.int(0)])) }
    return Side(
      values: SubqueryValues(
        collection: values(route.hops), objects: try keyFilter(layout, subquery.predicate)))
  }

  /// Asks a predicate about objects of another class, by their keys.
  private func keyFilter(
    _ layout: TableLayout, _ predicate: QueryPredicate
  ) throws -> KeyFilter {
    var compiler = FilterCompiler(layout, reader, walk)
    let filter = try compiler.filter(predicate)
    return KeyFilter(
      layout: layout, columns: compiler.request.columns, filter: filter, reader: reader)
  }
}
