import CadastreModel
import CadastrePredicate

/// Offers the index of a link, or of a collection of links, where a term asks for what it leads to.
///
///     berth.code == 'AAR'
///     ANY trips.to == objKey('Harbor', 3)
///
/// First the objects at the other end are found, in the cheapest way, then those that link to them.
/// All terms about the same link are asked of its object together; each term about a collection stands
/// alone, as each may be met by another element.
struct LinkSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.linkSearch
  /// Plans the question to the objects at the other end.
  let plan: (ObjectQuery) -> Plan

  func offers(
    _ className: String, _ terms: [QueryPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    guard let root = catalog.schema[className] else { return [] }
    var wants: [(link: Property, end: LinkEnd, decided: Set<Int>)] = []
    var places: [Property: Int] = [:]
    for (place, term) in terms.enumerated() {
      guard let (link, end) = step(term, root, catalog.schema) else { continue }
      guard !link.isCollection, case .matching(let predicate) = end else {
        wants.append((link, end, [place]))
        continue
      }
      if let known = places[link], case .matching(let others) = wants[known].end {
        wants[known].end = .matching(.all([others, predicate]))
        wants[known].decided.insert(place)
      } else {
        places[link] = wants.count
        wants.append((link, end, [place]))
      }
    }
    return wants.map { link, end, decided in
      offer(className, link, targets(link, end), decided, catalog, costs)
    }
  }

  /// The objects at the other end, once it is known all that is asked of them.
  private func targets(_ link: Property, _ end: LinkEnd) -> LinkTargets {
    switch end {
    case .objects(let references): .objects(references)
    case .matching(let predicate):
      .found(plan(ObjectQuery(link.objectClassName ?? "", where: predicate)))
    }
  }

  private func offer(
    _ className: String, _ link: Property, _ targets: LinkTargets, _ decided: Set<Int>,
    _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer {
    let objects = Double(catalog.objectCount(className))
    let found: Estimate =
      switch targets {
      case .objects(let references): Estimate(rows: Double(references.count), cost: 0)
      case .found(let plan): plan.estimate
      }
    if let origin = link.linkOriginPropertyName {
      let links = found.rows * Self.linksInCollection
      return AccessPathOffer(
        access: .linkedSearch(
          className: className, origin: link.objectClassName ?? "", property: origin, targets),
        decided: decided, rows: min(objects, links),
        cost: found.cost + found.rows * costs.rowRead + links * costs.indexStep)
    }
    let ends = Double(max(1, catalog.objectCount(link.objectClassName ?? "")))
    let links = link.collection == nil ? objects : objects * Self.linksInCollection
    let rows = min(objects, found.rows * links / ends)
    return AccessPathOffer(
      access: .linkSearch(className: className, property: link.name, targets), decided: decided,
      rows: rows, cost: found.cost + found.rows * costs.indexDescent + rows * costs.indexStep)
  }

  /// How many links a collection is taken to hold.
  private static let linksInCollection = 4.0

  // MARK: Terms

  /// What a link must lead to.
  private enum LinkEnd {
    /// One of some objects.
    case objects([ObjectReference])
    /// An object that matches.
    case matching(QueryPredicate)
  }

  /// The link at the start of a term's path, and what it must lead to; nil where another way must be
  /// taken, as where objects with a null link match too.
  private func step(
    _ term: QueryPredicate, _ root: ObjectSchema, _ schema: Schema
  ) -> (Property, LinkEnd)? {
    switch term {
    case .comparison(let comparison): step(comparison, root, schema)
    case .geoWithin(let within) where within.quantifier == .any:
      step(within.path, root, schema).flatMap { link, rest in
        guard let rest else { return nil }
        var inner = within
        inner.path = rest
        return (link, .matching(.geoWithin(inner)))
      }
    case .geoWithin, .constant, .not, .and, .or: nil
    }
  }

  private func step(
    _ comparison: Comparison, _ root: ObjectSchema, _ schema: Schema
  ) -> (Property, LinkEnd)? {
    let path: PropertyPath
    switch comparison.left {
    case .property(let plain): path = plain
    case .elements(.any, let any): path = any
    default: return nil
    }
    guard let (link, rest) = step(path, root, schema),
      let target = schema[link.objectClassName ?? ""]
    else { return nil }
    guard let rest else {
      switch (comparison.operation, comparison.right) {
      case (.equal, .object(let reference)): return (link, .objects([reference]))
      case (.isIn, .objects(let references)): return (link, .objects(references))
      default: return nil
      }
    }
    guard comparison.refusesNull, let route = try? schema.route(rest, from: target) else {
      return nil
    }
    var inner = comparison
    inner.left = route.isOneValue ? .property(rest) : .elements(.any, rest)
    return (link, .matching(.comparison(inner)))
  }

  /// The property at the start of a path, if it holds links or objects that link here.
  private func link(_ path: PropertyPath, _ root: ObjectSchema, _ schema: Schema) -> Property? {
    switch path.steps.first {
    case .links(let className, let property)?: return schema.linkingObjects(className, property)
    case .property(let name)?:
      guard let link = root[name] ?? root.computedProperty(name), !link.isMap else { return nil }
      return link.type == .object || link.type == .linkingObjects ? link : nil
    default: return nil
    }
  }

  /// The link, or collection of links, at the start of a path, and what follows it.
  private func step(
    _ path: PropertyPath, _ root: ObjectSchema, _ schema: Schema
  ) -> (link: Property, rest: PropertyPath?)? {
    guard let link = link(path, root, schema), let target = schema.target(of: link),
      link.collection != nil || !target.isEmbedded
        || path.steps.count == 1 && link.type == .object && !schema.isInline(link)
    else { return nil }
    var rest = Array(path.steps.dropFirst())
    if link.isCollection {
      if rest.first == .every { rest.removeFirst() }
      switch rest.first {
      case nil, .property: break
      default: return nil
      }
    }
    return (link, rest.isEmpty ? nil : PropertyPath(steps: rest))
  }
}

extension PathRoute {
  /// Whether the path leads through links and embedded objects to one value.
  fileprivate var isOneValue: Bool {
    if case .collection = end { false } else { isOrdinary }
  }
}

extension Comparison {
  /// Whether this compares with constants, and null does not match.
  fileprivate var refusesNull: Bool {
    switch (operation, right) {
    case (.notEqual, _): false
    case (.isIn, .list(let values)): !values.contains(.null)
    case (.between, .list): true
    case (.equal, .object), (.isIn, .objects): true
    case (_, .value(let value)): !Value.null.matches(operation, value, options: options)
    default: false
    }
  }
}
