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
    case .outer(let outer):
      guard scopes.indices.contains(scopes.count - outer.level) else {
        throw QueryPredicateError(
          .invalidQuery, "a property of an outer object can be compared inside SUBQUERY only")
      }
      return Side(
        values: scopes[scopes.count - outer.level].values(of: outer.operand),
        isMixed: outer.operand.isMixedPath, isStored: outer.operand.isPath)
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
    let scope = OuterScope()
    var filters: [SubqueryValues.Place: KeyFilter] = [:]
    for (layout, embedded) in places(of: subquery.collection.entered) {
      let place = SubqueryValues.Place(
        className: layout.schema.className, path: embedded?.path)
      filters[place] = try keyFilter(layout, embedded, subquery.predicate, scope)
    }
    // The inner predicate names the operands of this class that it compares with.
    var outer: [SubqueryValues.OuterOperand] = []
    for (operand, row) in scope.operands { outer.append((try side(operand).values, row)) }
    return Side(
      values: SubqueryValues(
        collection: values(subquery.collection.entered.hops), objects: filters, outer: outer))
  }

  /// The tables with the objects of a collection, and the objects embedded in their rows.
  private func places(
    of collection: BoundPath
  ) -> [(layout: TableLayout, embedded: EmbeddedLayout?)] {
    guard case .object(let target) = collection.end else { return [] }
    let properties = collection.hops.reversed().lazy.compactMap { hop -> Property? in
      if case .property(let bound) = hop { bound.property } else { nil }
    }
    if let property = properties.first, property.type == .linkingObjects {
      return rows.catalogue.linkLocations(of: property).map { ($0.layout, $0.embedded) }
    }
    return rows.catalogue.layout(target.className).map { [($0, nil)] } ?? []
  }

  /// A filter for objects of another class by the keys of their rows.
  private func keyFilter(
    _ layout: TableLayout, _ embedded: EmbeddedLayout?, _ predicate: BoundPredicate,
    _ scope: OuterScope
  ) throws -> KeyFilter {
    var compiler = FilterCompiler(
      layout, traversal, embedded: embedded, within: scopes + [scope])
    let filter = try compiler.filter(predicate)
    return KeyFilter(
      layout: layout, columns: compiler.request.columns, filter: filter, rows: rows)
  }
}

/// The operands of the objects around a subquery that its predicate compares with.
final class OuterScope {
  /// The operands, and the values of the current object.
  private(set) var operands: [(operand: BoundOperand, row: OuterRow)] = []

  /// Returns the values of an operand of the current outer object.
  func values(of operand: BoundOperand) -> any OperandValues {
    if let known = operands.first(where: { $0.operand == operand }) {
      return OuterValues(row: known.row)
    }
    let row = OuterRow()
    operands.append((operand, row))
    return OuterValues(row: row)
  }
}

extension BoundOperand {
  /// Whether the operand is the value at the end of a path.
  fileprivate var isPath: Bool {
    switch self {
    case .property, .elements: true
    default: false
    }
  }

  /// Whether the operand is a path to a value of any type.
  fileprivate var isMixedPath: Bool {
    switch self {
    case .property(let path), .elements(_, let path): path.entered.isMixed
    default: false
    }
  }
}
