import CadastreModel
import CadastrePredicate

/// Conditions on the elements of collections.
extension SQLTranslator {
  /// Returns the condition that any, all or none of the values at the end of a path satisfy a condition.
  ///
  /// - Parameters:
  ///   - quantifier: The quantifier.
  ///   - path: The path.
  ///   - leaf: Returns the condition on one value.
  /// - Returns: The condition.
  /// - Throws: ``UntranslatablePart``.
  mutating func quantified(
    _ quantifier: Quantifier, _ path: BoundPath,
    _ leaf: (inout SQLTranslator, SQLOperand) throws(UntranslatablePart) -> String
  ) throws(UntranslatablePart) -> String {
    let start = SQLNode.object(AliasedRow(alias: scope, owner: path.root.className))
    let condition = try exists(path.entered.hops[...], from: start, path, isToMany: false) {
      (translator, operand) throws(UntranslatablePart) in
      let condition = try leaf(&translator, operand)
      return quantifier == .all ? Self.not(condition) : condition
    }
    return quantifier == .any ? condition : Self.not(condition)
  }

  /// Returns the condition that some value at the end of a part of a path satisfies a condition.
  private mutating func exists(
    _ hops: ArraySlice<BoundPath.Hop>, from start: SQLNode, _ path: BoundPath, isToMany: Bool,
    _ leaf: (inout SQLTranslator, SQLOperand) throws(UntranslatablePart) -> String
  ) throws(UntranslatablePart) -> String {
    guard let index = hops.firstIndex(where: \.selectsElements) else {
      let operand = try operand(hops, from: start, path)
      let condition = try leaf(&self, operand)
      // Null links in a collection contribute no values; elsewhere, values behind a null link are null.
      guard isToMany, let isBehindNull = operand.isBehindNull else { return condition }
      return "(NOT (\(isBehindNull)) AND \(condition))"
    }
    let (node, _) = try follow(hops[..<index], from: start, path)
    let rest = hops[(index + 1)...]
    let source = try source(hops[index], of: node, path, needsRow: rest.first?.isProperty == true)
    let outer = joins
    joins = []
    let condition = try exists(
      rest, from: source.node, path, isToMany: isToMany || !hops[index].isPosition, leaf)
    let inner = joins.map(\.text).joined()
    joins = outer
    let filter = source.filter.map { "\($0) AND " } ?? ""
    return "EXISTS (SELECT 1 FROM \(source.text)\(inner) WHERE \(filter)\(condition))"
  }

  /// Returns the conditions on elements that mean the same as the comparison of a whole list or set; nil for other
  /// comparisons, and for the coordinates of a point, which are compared as an array.
  func elementwise(
    _ comparison: BoundComparison, _ path: BoundPath
  ) throws(UntranslatablePart) -> BoundPredicate? {
    if let owner = path.properties?.dropLast().last, owner.target.contains(.point) { return nil }
    do throws(QueryPredicateError) {
      return try comparison.elementwise(in: schema)
    } catch {
      throw refused(path, error.message)
    }
  }

  /// The elements of a collection in a FROM clause.
  struct ElementSource {
    /// The tables.
    let text: String
    /// The condition on the rows of the tables; nil for all rows.
    let filter: String?
    /// The element.
    let node: SQLNode
  }

  /// Returns the elements of a collection as a table.
  private mutating func source(
    _ hop: BoundPath.Hop, of node: SQLNode, _ path: BoundPath, needsRow: Bool
  ) throws(UntranslatablePart) -> ElementSource {
    let alias = newAlias()
    let value = "\(alias).v"
    func elements(_ array: String) -> String {
      guard case .element(let position) = hop else { return "unnest(\(array)) AS \(alias)(v)" }
      let index =
        switch position {
        case .first: "1"
        case .last: "cardinality(\(array))"
        case .index(let index): "\(index < Int(Int32.max) ? index + 1 : Int(Int32.max))"
        }
      return
        "(SELECT (\(array))[\(index)] AS v WHERE cardinality(\(array)) >= greatest(\(index), 1)) "
        + alias
    }
    switch (hop, node) {
    case (.elements, .coordinates(let array)), (.element, .coordinates(let array)):
      return ElementSource(text: elements(array), filter: nil, node: .value(.double, value))
    case (.keys, .collection(let row, _, let column)):
      return ElementSource(
        text: elements(Self.column(row.alias, ColumnNaming.mapKeys(column))), filter: nil,
        node: .value(.string, value))
    case (.elements, .backlinks(let row, let property)):
      let (className, condition) = try backlinks(row, property, alias, path)
      return ElementSource(
        text: "\(try table(className).quotedName) \(alias)", filter: condition,
        node: .object(AliasedRow(alias: alias, owner: className)))
    case (.elements, .collection(let row, let property, let column)),
      (.element, .collection(let row, let property, let column)):
      let array = Self.column(row.alias, column)
      let element = try element(of: property, value, path)
      guard case .link(_, let className) = element else {
        return ElementSource(text: elements(array), filter: nil, node: element)
      }
      guard hop == .elements else {
        return ElementSource(
          text: elements(try existing(array, className)), filter: nil, node: element)
      }
      let target = AliasedRow(alias: newAlias(), owner: className)
      // Null links are elements of a map, but not of a list or set.
      let join = property.collection == .map && !needsRow ? "LEFT JOIN" : "JOIN"
      return ElementSource(
        text: "\(elements(array)) \(join) \(try table(className).quotedName) \(target.alias) "
          + "ON \(target.key) = \(value)",
        filter: nil, node: needsRow ? .object(target) : .link(target.key, className: className))
    default: throw refused(path, "a part of it is not translated yet")
    }
  }

  /// Returns the links of an array to existing rows, in order; another program may have deleted rows.
  mutating func existing(
    _ array: String, _ className: String
  ) throws(UntranslatablePart) -> String {
    let (link, target) = (newAlias(), AliasedRow(alias: newAlias(), owner: className))
    return "ARRAY(SELECT \(link).v FROM unnest(\(array)) WITH ORDINALITY AS \(link)(v, n) "
      + "JOIN \(try table(className).quotedName) \(target.alias) ON \(target.key) = \(link).v "
      + "ORDER BY \(link).n)"
  }

  // MARK: Linking objects

  /// Returns the class of the objects with links to a row, and the condition that an object has such a link.
  private func backlinks(
    _ row: AliasedRow, _ property: Property, _ alias: String, _ path: BoundPath
  ) throws(UntranslatablePart) -> (className: String, condition: String) {
    guard let className = property.objectClassName,
      let origin = property.linkOriginPropertyName.flatMap({ schema[className]?[$0] }),
      schema[className]?.isEmbedded == false
    else { throw refused(path, "its links are in embedded objects") }
    let column = Self.column(alias, origin.columnName)
    return (
      className,
      origin.collection == nil ? "\(column) = \(row.key)" : "\(row.key) = ANY(\(column))"
    )
  }

  /// Returns the number of links to a row.
  mutating func backlinkCount(
    _ row: AliasedRow, _ property: Property, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    let alias = newAlias()
    let (className, condition) = try backlinks(row, property, alias, path)
    var count = "count(*)"
    if let origin = property.linkOriginPropertyName.flatMap({ schema[className]?[$0] }),
      origin.collection != nil
    {
      let column = Self.column(alias, origin.columnName)
      count = "coalesce(sum(cardinality(array_positions(\(column), \(row.key)))), 0)::int8"
    }
    return "(SELECT \(count) FROM \(try table(className).quotedName) \(alias) WHERE \(condition))"
  }

  // MARK: Subqueries and aggregates

  /// Returns the number of objects of a collection that match a predicate.
  mutating func count(_ subquery: BoundSubquery) throws(UntranslatablePart) -> String {
    let path = subquery.collection.entered
    guard let last = path.hops.last, last == .elements,
      !path.hops.dropLast().contains(where: \.selectsElements)
    else { throw refused(path, "a subquery of several collections is not translated yet") }
    let start = SQLNode.object(AliasedRow(alias: scope, owner: path.root.className))
    let (node, _) = try follow(path.hops.dropLast()[...], from: start, path)
    let source = try source(last, of: node, path, needsRow: true)
    guard case .object(let row) = source.node else {
      throw refused(path, "a subquery of values is not translated yet")
    }
    if case .backlinks(_, let property) = node,
      property.linkOriginPropertyName.flatMap({ schema[row.owner]?[$0] })?.collection != nil
    {
      throw refused(path, "an object may be counted several times")
    }
    let (outer, outerScope) = (joins, scope)
    joins = []
    scope = row.alias
    let condition = try condition(subquery.predicate)
    let inner = joins.map(\.text).joined()
    (joins, scope) = (outer, outerScope)
    let filter = source.filter.map { "\($0) AND " } ?? ""
    return "(SELECT count(*) FROM \(source.text)\(inner) WHERE \(filter)\(condition))"
  }

  /// Returns the minimum or maximum of a collection of numbers.
  mutating func extreme(
    _ aggregate: BoundAggregate
  ) throws(UntranslatablePart) -> SQLOperand {
    let path = aggregate.collection.entered
    let name: String
    switch aggregate.operation {
    case .min: name = "min"
    case .max: name = "max"
    case .sum, .average:
      throw refused(path, "sums are computed in another order there")
    }
    guard let last = path.hops.last, last == .elements,
      !path.hops.dropLast().contains(where: \.selectsElements)
    else { throw refused(path, "an aggregate of several collections is not translated yet") }
    let start = SQLNode.object(AliasedRow(alias: scope, owner: path.root.className))
    let (node, _) = try follow(path.hops.dropLast()[...], from: start, path)
    let source = try source(last, of: node, path, needsRow: aggregate.member != nil)
    let outer = joins
    joins = []
    let element = try operand(aggregate.member?.hops[...] ?? [], from: source.node, path)
    let inner = joins.map(\.text).joined()
    joins = outer
    guard case .value(let type) = element.kind, type.isNumeric else {
      throw refused(path, "its values are no numbers")
    }
    let filters =
      [source.filter, type == .int ? nil : "\(element.text) <> 'NaN'"].compactMap { $0 }
    let condition = filters.isEmpty ? "" : " WHERE " + filters.joined(separator: " AND ")
    return SQLOperand(
      kind: .value(type),
      text: "(SELECT \(name)(\(element.text)) FROM \(source.text)\(inner)\(condition))",
      isBehindNull: nil, location: nil)
  }
}

extension BoundPath.Hop {
  /// Whether the hop leads to elements of a collection.
  var selectsElements: Bool {
    switch self {
    case .elements, .keys, .element: true
    default: false
    }
  }

  /// Whether the hop leads to a property of an object.
  fileprivate var isProperty: Bool {
    if case .property = self { true } else { false }
  }

  /// Whether the hop leads to one element by its index.
  fileprivate var isPosition: Bool {
    if case .element = self { true } else { false }
  }
}
