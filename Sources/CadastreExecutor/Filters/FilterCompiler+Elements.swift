import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Conditions on the elements of collections that filters over batches of elements answer: paths
/// through links and whole collections, and constants.
extension FilterCompiler {
  /// A filter for a comparison of the elements at a path with constants; nil where a walk must answer.
  mutating func elementFilter(_ comparison: Comparison) throws -> (any BatchFilter)? {
    guard case .elements(let quantifier, let path) = comparison.left,
      comparison.right.isFixed, !comparison.operation.takesPattern
    else { return nil }
    if quantifier == .any, let filter = try entryFilter(path, comparison) { return filter }
    return try part(path, quantifier, comparison, isElement: false)?.filter
  }

  /// A filter for the value under a key of a map; nil for other paths.
  private mutating func entryFilter(
    _ path: PropertyPath, _ comparison: Comparison
  ) throws -> (any BatchFilter)? {
    guard path.steps.count > 1, let constants = comparison.right.constants else { return nil }
    let key: String
    switch path.steps.last {
    case .key(let name)?, .property(let name)?: key = name
    default: return nil
    }
    let map = PropertyPath(steps: Array(path.steps.dropLast()))
    let route = try schema.route(map, from: root)
    guard route.isPlain, case .collection(let property, nil) = route.end, property.isMap,
      case .collection(let places) = try leafAndWay(map).leaf
    else { return nil }
    let columns = [places.layout.elementColumn]
    let rule = ComparisonRule(comparison, isNullOrdered: property.type != .any)
    return EntryFilter(
      entries: ElementScan(
        source: .elements(places.layout), owner: places.owner, columns: columns, way: [], key: key,
        reader: reader),
      filter: try columnFilter(comparison, at: 0, of: columns),
      nulls: rule.holds([.null], constants))
  }

  /// A filter for points at a path, of which some or none lie in a region.
  mutating func elementFilter(
    _ within: GeoWithin, _ region: PreparedRegion
  ) throws -> (any BatchFilter)? {
    // Of no points at all not all lie there, and a null is no point.
    guard within.quantifier != .all, let collection = try collection(within.path),
      let (members, layout) = collection.members
    else { return nil }
    var compiler = FilterCompiler(layout, reader, walk)
    let point: ColumnRequest.PointPlaces
    if collection.rest.isEmpty {
      guard let own = compiler.request.ownPoint else { return nil }
      point = own
    } else {
      let rest = PropertyPath(steps: collection.rest)
      guard try schema.route(rest, from: compiler.root).isPlain,
        case .point(let places) = try compiler.leafAndWay(rest).leaf
      else { return nil }
      point = places
    }
    return ElementFilter(
      elements: scan(members, collection, compiler.request.columns, []),
      filter: RegionFilter(longitude: point.longitude, latitude: point.latitude, region: region),
      quantifier: within.quantifier)
  }

  /// The number of a collection's objects that match; nil where a walk must answer.
  mutating func elementCounts(_ subquery: Subquery) throws -> (any OperandValues)? {
    guard let collection = try collection(subquery.collection), collection.rest.isEmpty,
      let (members, layout) = collection.members
    else { return nil }
    var compiler = FilterCompiler(layout, reader, walk)
    let filter = try compiler.filter(subquery.predicate)
    return ElementCounts(
      elements: scan(members, collection, compiler.request.columns, []), filter: filter)
  }

  /// A value worked out from the elements of a collection; nil where a walk must answer.
  mutating func elementAggregates(
    _ aggregate: Aggregate, isDecimal: Bool
  ) throws -> (any OperandValues)? {
    guard let collection = try collection(aggregate.collection), collection.rest.isEmpty else {
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
    var compiler = FilterCompiler(layout, reader, walk)
    guard try schema.route(member, from: compiler.root).isPlain else { return nil }
    let (leaf, way) = try compiler.leafAndWay(member)
    guard let value = RowValue(leaf) else { return nil }
    return ElementAggregates(
      elements: scan(members, collection, compiler.request.columns, way), value: value,
      operation: aggregate.operation, isDecimal: isDecimal)
  }

  // MARK: Parts of a path

  /// A filter for what follows a part of a path, and the columns that are null where it adds nothing.
  private typealias Part = (filter: any BatchFilter, way: [Int])

  private mutating func part(
    _ path: PropertyPath, _ quantifier: Quantifier, _ comparison: Comparison, isElement: Bool
  ) throws -> Part? {
    guard let collection = try collection(path) else {
      guard isElement else { return nil }
      return try valuePart(path, comparison)
    }
    if collection.rest == [.count] { return try countPart(collection, comparison) }
    // None of several collections' elements fit when not one collection has any that does.
    let inner = quantifier == .none ? Quantifier.any : quantifier
    if collection.rest.isEmpty {
      guard let values = collection.values, !values.isOwning || comparison.right.namesObjects
      else { return nil }
      let columns = [values.elementColumn]
      let filter = try columnFilter(comparison, at: 0, of: columns)
      return (
        ElementFilter(
          elements: scan(.elements(values), collection, columns, []), filter: filter,
          quantifier: quantifier), []
      )
    }
    guard let (members, layout) = collection.members else { return nil }
    var compiler = FilterCompiler(layout, reader, walk)
    let rest = PropertyPath(steps: collection.rest)
    guard let part = try compiler.part(rest, inner, comparison, isElement: true) else { return nil }
    return (
      ElementFilter(
        elements: scan(members, collection, compiler.request.columns, part.way),
        filter: part.filter, quantifier: quantifier), []
    )
  }

  private func scan(
    _ source: RowSource, _ collection: CollectionPath, _ columns: [ColumnReference], _ way: [Int]
  ) -> ElementScan {
    ElementScan(
      source: source, owner: collection.owner, columns: columns, way: way, reader: reader)
  }

  /// A comparison of one value of an element.
  private mutating func valuePart(
    _ path: PropertyPath, _ comparison: Comparison
  ) throws -> Part? {
    let route = try schema.route(path, from: root)
    guard route.isPlain else { return nil }
    if case .collection = route.end { return nil }
    var comparison = comparison
    comparison.left = .property(path)
    let filter = try filter(.comparison(comparison))
    return (filter, try leafAndWay(path).way)
  }

  /// A comparison of the number of elements, which is in the owner's row.
  private mutating func countPart(
    _ collection: CollectionPath, _ comparison: Comparison
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
      collection.way
    )
  }

  // MARK: Collections

  /// The first collection that a path leads to.
  private struct CollectionPath {
    /// The rows of the objects in it, and their class; nil where it holds values.
    var members: (source: RowSource, layout: TableLayout)?
    /// The table of its elements as values or links; nil for objects that link here.
    var values: CollectionLayout?
    /// The column with the owner's key; nil where that is the row's own.
    var owner: Int?
    /// The column with the number of elements; nil where it must be counted.
    var count: Int?
    /// Columns that are null where something on the way is null.
    var way: [Int]
    /// The steps that follow for each element, or for the collection if that is to be counted.
    var rest: [PropertyPath.Step]
  }

  /// The first collection on a path; nil where the path leads to it through more than links and
  /// embedded objects, or leads on by keys or places.
  private mutating func collection(_ path: PropertyPath) throws -> CollectionPath? {
    for (place, step) in path.steps.enumerated() {
      switch step {
      case .property, .links: break
      default: return nil
      }
      let prefix = PropertyPath(steps: Array(path.steps[...place]))
      guard case .collection(let property, _) = try schema.route(prefix, from: root).end else {
        continue
      }
      var rest = Array(path.steps[(place + 1)...])
      if property.isMap, case .property? = rest.first { return nil }
      if rest.first == .every || rest.first == .values {
        rest.removeFirst()
        if rest == [.count] { return nil }
      }
      switch rest.first {
      case nil, .property, .links, .count: break
      default: return nil
      }
      return property.type == .linkingObjects
        ? try links(property, prefix, rest) : try collection(prefix, rest)
    }
    return nil
  }

  private mutating func collection(
    _ path: PropertyPath, _ rest: [PropertyPath.Step]
  ) throws -> CollectionPath? {
    let (leaf, way) = try leafAndWay(path)
    guard case .collection(let places) = leaf else { return nil }
    let target = places.layout.target.flatMap(reader.catalogue.layout)
    return CollectionPath(
      members: target.map { (.members(places.layout, $0), $0) }, values: places.layout,
      owner: places.owner, count: places.count, way: way, rest: rest)
  }

  /// The objects that link to the one at the end of a path, but for its last step.
  private mutating func links(
    _ property: Property, _ path: PropertyPath, _ rest: [PropertyPath.Step]
  ) throws -> CollectionPath? {
    guard let origin = property.objectClassName.flatMap(reader.catalogue.layout),
      let source = origin.linkPlace(of: property.linkOriginPropertyName ?? "")
        .flatMap({ RowSource($0) })
    else { return nil }
    var owner: Int?
    var way: [Int] = []
    if path.steps.count > 1 {
      let before = PropertyPath(steps: Array(path.steps.dropLast()))
      let (leaf, wayBefore) = try leafAndWay(before)
      guard case .value(let place) = leaf else { return nil }
      (owner, way) = (place, wayBefore + [place])
    }
    return CollectionPath(
      members: (source, origin), values: nil, owner: owner, count: nil, way: way,
      rest: rest)
  }
}

extension CollectionLayout {
  /// The elements as the only column of their table.
  fileprivate var elementColumn: ColumnReference {
    ColumnReference(hops: [], column: 0, type: element.type)
  }
}

extension Operand {
  /// Whether this is a constant, several, or named objects, without a quantifier of its own.
  fileprivate var isFixed: Bool {
    constants != nil || namesObjects
  }
}
