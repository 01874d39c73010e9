import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Conditions on elements of collections that filters over batches of elements evaluate: paths
/// through links and whole collections, and constants.
extension FilterCompiler {
  /// A filter for a comparison of the elements at a path with constants; nil where the path must be
  /// traversed.
  mutating func elementFilter(_ comparison: BoundComparison) throws -> (any BatchFilter)? {
    guard case .elements(let quantifier, let path) = comparison.left,
      comparison.right.isFixed
    else { return nil }
    if quantifier == .any, let filter = try entryFilter(path, comparison) { return filter }
    return try part(path, quantifier, comparison, isElement: false)?.filter
  }

  /// A filter for the value under a key of a map; nil for other paths.
  private mutating func entryFilter(
    _ path: BoundPath, _ comparison: BoundComparison
  ) throws -> (any BatchFilter)? {
    guard let constants = comparison.right.constants, case .entry(let key)? = path.hops.last,
      let properties = path.propertiesBeforeLast, let map = properties.last?.property,
      map.isMap, map.objectClassName == nil,
      case .collection(let places) = try request.leaf(properties).leaf
    else { return nil }
    let columns = [places.layout.elementColumn]
    let rule = ComparisonRule(comparison, isNullOrdered: map.type != .any)
    return EntryFilter(
      entries: ElementScan(
        source: .elements(places.layout), owner: places.owner, columns: columns, linkColumns: [],
        key: key,
        rows: rows),
      filter: try columnFilter(comparison, at: 0, of: columns),
      nulls: rule.holds([.null], constants))
  }

  /// A filter for ANY or NONE of the points at a path in a region; nil where the path must be
  /// traversed.
  mutating func elementFilter(_ within: BoundGeoWithin) throws -> (any BatchFilter)? {
    // ALL is false of no points, and a null is not a point.
    guard within.quantifier != .all, let collection = try collection(within.path),
      let (members, layout) = collection.members
    else { return nil }
    var compiler = FilterCompiler(layout, traversal)
    let position: ColumnRequest.PositionSlots
    switch collection.rest {
    case .elements:
      guard let own = compiler.request.ownPoint else { return nil }
      position = compiler.request.position(of: own)
    case .path(let rest):
      guard let properties = rest.properties,
        case .point(let point) = try compiler.request.leaf(properties).leaf
      else { return nil }
      position = compiler.request.position(of: point)
    case .count: return nil
    }
    return ElementFilter(
      elements: scan(members, collection, compiler.request.columns, []),
      filter: RegionFilter(position: position, region: within.shape.prepared),
      quantifier: within.quantifier)
  }

  /// The number of a collection's objects that match; nil where the path must be traversed.
  mutating func elementCounts(_ subquery: BoundSubquery) throws -> (any OperandValues)? {
    guard !subquery.predicate.hasOuterOperands,
      let collection = try collection(subquery.collection), collection.rest == .elements,
      let (members, layout) = collection.members
    else { return nil }
    var compiler = FilterCompiler(layout, traversal)
    let filter = try compiler.filter(subquery.predicate)
    return ElementCounts(
      elements: scan(members, collection, compiler.request.columns, []), filter: filter)
  }

  /// A value computed from the elements of a collection; nil where the path must be traversed.
  mutating func elementAggregates(
    _ aggregate: BoundAggregate, isDecimal: Bool
  ) throws -> (any OperandValues)? {
    guard let collection = try collection(aggregate.collection), collection.rest == .elements else {
      return nil
    }
    guard let member = aggregate.member else {
      guard collection.members == nil, let values = collection.values else { return nil }
      return ElementAggregates(
        elements: scan(.elements(values), collection, [values.elementColumn], []),
        value: .column(0),
        operation: aggregate.operation, isDecimal: isDecimal)
    }
    guard let (members, layout) = collection.members else { return nil }
    var compiler = FilterCompiler(layout, traversal)
    guard let (value, linkColumns) = try compiler.rowValue(member) else { return nil }
    return ElementAggregates(
      elements: scan(members, collection, compiler.request.columns, linkColumns), value: value,
      operation: aggregate.operation, isDecimal: isDecimal)
  }

  // MARK: Parts of a path

  /// A filter for a part of a path, and the slots of the columns that are null where it matches
  /// nothing.
  private typealias Part = (filter: any BatchFilter, linkColumns: [Int])

  private mutating func part(
    _ path: BoundPath, _ quantifier: Quantifier, _ comparison: BoundComparison, isElement: Bool
  ) throws -> Part? {
    guard let collection = try collection(path) else {
      guard isElement else { return nil }
      return try valuePart(path, comparison)
    }
    switch collection.rest {
    case .count: return try countPart(collection, comparison)
    case .elements:
      guard let values = collection.values, !values.isOwning || comparison.right.namesObjects
      else { return nil }
      let columns = [values.elementColumn]
      let filter = try columnFilter(comparison, at: 0, of: columns)
      return (
        ElementFilter(
          elements: scan(.elements(values), collection, columns, []), filter: filter,
          quantifier: quantifier), []
      )
    case .path(let rest):
      guard let (members, layout) = collection.members else { return nil }
      var compiler = FilterCompiler(layout, traversal)
      // NONE of the elements of several collections match when no collection has ANY that does.
      let inner = quantifier == .none ? Quantifier.any : quantifier
      guard let part = try compiler.part(rest, inner, comparison, isElement: true) else {
        return nil
      }
      return (
        ElementFilter(
          elements: scan(members, collection, compiler.request.columns, part.linkColumns),
          filter: part.filter, quantifier: quantifier), []
      )
    }
  }

  private func scan(
    _ source: RowSource, _ collection: CollectionPath, _ columns: [ColumnReference],
    _ linkColumns: [Int]
  ) -> ElementScan {
    ElementScan(
      source: source, owner: collection.owner, columns: columns, linkColumns: linkColumns,
      rows: rows)
  }

  /// A comparison of one value of an element.
  private mutating func valuePart(
    _ path: BoundPath, _ comparison: BoundComparison
  ) throws -> Part? {
    guard path.isSingleValue, let properties = path.properties else { return nil }
    var comparison = comparison
    comparison.left = .property(path)
    let filter = try filter(.comparison(comparison))
    return (filter, try request.leaf(properties).linkColumns)
  }

  /// A comparison of the number of elements, which is in the owner's row.
  private mutating func countPart(
    _ collection: CollectionPath, _ comparison: BoundComparison
  ) throws -> Part? {
    guard let count = collection.count, let constants = comparison.right.constants else {
      return nil
    }
    let filter = try columnFilter(comparison, at: count, of: request.columns)
    let isNull = NullFilter(column: count)
    // Behind a null link, a collection has no elements.
    let behindNull: any BatchFilter =
      ComparisonRule(comparison).holds([.int(0)], constants)
      ? isNull : ConstantFilter(value: false)
    return (
      AnyFilter(parts: [behindNull, AllFilter(parts: [NotFilter(inner: isNull), filter])]),
      collection.linkColumns
    )
  }

  // MARK: Collections

  /// The first collection on a path.
  private struct CollectionPath {
    /// The rows of its objects, and their class; nil for values.
    var members: (source: RowSource, layout: TableLayout)?
    /// The table of its elements as values or links; nil for linking objects.
    var values: CollectionLayout?
    /// The slot with the owner's key; nil where the rows are the owners.
    var owner: Int?
    /// The slot with the number of elements; nil where they must be counted.
    var count: Int?
    /// The slots of the columns that are null where a link on the path is null.
    var linkColumns: [Int]
    /// The rest of the path after the collection.
    var rest: Rest

    enum Rest: Equatable {
      /// Nothing: the elements themselves.
      case elements
      /// The number of elements.
      case count
      /// A path from each element.
      case path(BoundPath)
    }
  }

  /// The first collection on a path; nil where more than links and embedded objects precede it, or
  /// keys or positions follow it.
  private mutating func collection(_ path: BoundPath) throws -> CollectionPath? {
    guard let index = path.firstCollection else { return nil }
    let (properties, next) = (path.properties(through: index), index + 1)
    let rest: CollectionPath.Rest
    switch path.hops.dropFirst(next).first {
    case nil: rest = .elements
    case .count? where path.hops.count == next + 1: rest = .count
    case .elements? where path.hops.count == next + 1: rest = .elements
    case .elements?:
      guard let elementPath = path.dropping(next + 1) else { return nil }
      rest = .path(elementPath)
    default: return nil
    }
    return properties.last?.property.type == .linkingObjects
      ? try links(properties, rest) : try collection(properties, rest)
  }

  private mutating func collection(
    _ properties: [BoundProperty], _ rest: CollectionPath.Rest
  ) throws -> CollectionPath? {
    let (leaf, linkColumns) = try request.leaf(properties)
    guard case .collection(let places) = leaf else { return nil }
    let target = places.layout.target.flatMap(rows.catalogue.layout)
    return CollectionPath(
      members: target.map { (.members(places.layout, $0), $0) }, values: places.layout,
      owner: places.owner, count: places.count, linkColumns: linkColumns, rest: rest)
  }

  /// The objects that link to the one at the end of a path by the last of some properties.
  private mutating func links(
    _ properties: [BoundProperty], _ rest: CollectionPath.Rest
  ) throws -> CollectionPath? {
    guard let property = properties.last?.property,
      let origin = property.objectClassName.flatMap(rows.catalogue.layout)
    else { return nil }
    let locations = rows.catalogue.linkLocations(of: property)
    // Objects that are embedded in the rows of others are reached by traversal.
    guard locations.count == 1, locations[0].embedded == nil, let source = RowSource(locations[0])
    else { return nil }
    var owner: Int?
    var linkColumns: [Int] = []
    if properties.count > 1 {
      let (leaf, earlierLinkColumns) = try request.leaf(properties.dropLast())
      guard case .value(let place) = leaf else { return nil }
      (owner, linkColumns) = (place, earlierLinkColumns + [place])
    }
    return CollectionPath(
      members: (source, origin), values: nil, owner: owner, count: nil, linkColumns: linkColumns,
      rest: rest)
  }
}

extension BoundPath {
  /// The index of the first hop to a collection, if links and embedded objects alone lead there.
  fileprivate var firstCollection: Int? {
    for (index, hop) in hops.enumerated() {
      guard case .property(let bound) = hop else { return nil }
      if bound.property.isCollection { return index }
    }
    return nil
  }

  /// The properties of the hops up to and including one.
  ///
  /// All these hops must be properties.
  fileprivate func properties(through index: Int) -> [BoundProperty] {
    hops[...index].compactMap { if case .property(let property) = $0 { property } else { nil } }
  }

  /// The properties of all hops but the last; nil where one of them is none.
  fileprivate var propertiesBeforeLast: [BoundProperty]? {
    let properties = hops.dropLast().compactMap { hop -> BoundProperty? in
      if case .property(let property) = hop { property } else { nil }
    }
    return properties.count == hops.count - 1 ? properties : nil
  }
}

extension CollectionLayout {
  /// The elements as the only column of their table.
  fileprivate var elementColumn: ColumnReference {
    ColumnReference(hops: [], column: 0, type: element.type)
  }
}

extension BoundOperand {
  /// Whether this is a constant, several, or named objects, without a quantifier of its own.
  fileprivate var isFixed: Bool {
    constants != nil || namesObjects
  }
}
