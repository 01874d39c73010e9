import CadastreModel
import CadastrePredicate

/// Offers the index of a link, or of a collection of links, where a term restricts the linked
/// object.
///
///     berth.code == 'AAR'
///     ANY trips.to == objKey('Harbor', 3)
///     trips == {objKey('Trip', 1), objKey('Trip', 2)}
///
/// The linked objects are found first, by their cheapest plan, then the objects that link to them.
/// All terms on the same to-one link become one condition on its object; each term on a collection
/// is a condition of its own, because each may be met by another element. Of a list of objects to which a
/// whole collection is equal, the first one is looked up.
struct LinkSearchSource: AccessPathSource {
  let kind = AccessPath.Kind.linkSearch
  /// Plans the query for the linked objects.
  let plan: (BoundQuery) -> Plan

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { term in
      switch term {
      case .geoWithin(let within): step(within.path) != nil
      case .comparison(let comparison):
        switch comparison.left {
        case .property(let path), .elements(_, let path): step(path) != nil
        default: false
        }
      case .relation(let relation): relation.right.constant != nil && step(relation.left) != nil
      case .constant, .not, .and, .or: false
      }
    }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    var wants: [(link: BoundProperty, end: LinkEnd, decided: Set<Int>)] = []
    var places: [BoundProperty: Int] = [:]
    for (place, term) in terms.enumerated() {
      guard let (link, end) = step(term) else { continue }
      guard !link.property.isCollection, case .matching(let predicate) = end else {
        wants.append((link, end, term.comparesWholeCollection ? [] : [place]))
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
      offer(className, link, targets(link.property, end), decided, catalog, costs)
    }
  }

  /// The linked objects, once all conditions on them are known.
  private func targets(_ link: Property, _ end: LinkEnd) -> LinkTargets {
    switch end {
    case .objects(let references): .objects(references)
    case .matching(let predicate):
      .found(plan(BoundQuery(link.objectClassName ?? "", where: predicate)))
    }
  }

  private func offer(
    _ className: String, _ bound: BoundProperty, _ targets: LinkTargets, _ decided: Set<Int>,
    _ catalog: any Catalog, _ costs: CostModel
  ) -> AccessPathOffer {
    let link = bound.property
    let objects = Double(catalog.objectCount(className))
    let found: Estimate =
      switch targets {
      case .objects(let references): Estimate(rows: Double(references.count), cost: 0)
      case .found(let plan): plan.estimate
      }
    if link.type == .linkingObjects {
      let links = found.rows * Self.linksInCollection
      return AccessPathOffer(
        access: .linkedSearch(className: className, links: link, targets),
        decided: decided, rows: min(objects, links),
        cost: found.cost + found.rows * costs.rowRead + links * costs.indexStep)
    }
    let ends = Double(max(1, catalog.objectCount(link.objectClassName ?? "")))
    let links = link.collection == nil ? objects : objects * Self.linksInCollection
    let rows = min(objects, found.rows * links / ends)
    return AccessPathOffer(
      access: .linkSearch(className: className, bound, targets), decided: decided, rows: rows,
      cost: found.cost + found.rows * costs.indexDescent + rows * costs.indexStep)
  }

  /// The assumed number of links in a collection.
  private static let linksInCollection = 4.0

  // MARK: Terms

  /// A condition on the linked object.
  private enum LinkEnd {
    /// The linked object is one of some objects.
    case objects([ObjectReference])
    /// The linked object matches a predicate.
    case matching(BoundPredicate)
  }

  /// The link at the start of a term's path, and the condition on its other end; nil where another
  /// access path must be taken, as where objects with a null link match too.
  private func step(_ term: BoundPredicate) -> (BoundProperty, LinkEnd)? {
    switch term {
    case .comparison(let comparison): step(comparison)
    case .geoWithin(let within) where within.quantifier == .any:
      step(within.path).flatMap { link, rest in
        guard let rest else { return nil }
        var inner = within
        inner.path = rest
        return (link, .matching(.geoWithin(inner)))
      }
    case .relation(let relation)
    where relation.quantifier == .any && relation.right.constant != nil:
      step(relation.left).flatMap { link, rest in
        guard let rest else { return nil }
        var inner = relation
        inner.left = rest
        return (link, .matching(.relation(inner)))
      }
    case .geoWithin, .relation, .constant, .not, .and, .or: nil
    }
  }

  private func step(_ comparison: BoundComparison) -> (BoundProperty, LinkEnd)? {
    let path: BoundPath
    switch comparison.left {
    case .property(let single): path = single
    case .elements(.any, let several): path = several
    default: return nil
    }
    guard let (link, rest) = step(path) else { return nil }
    guard let rest else {
      switch (comparison.operation, comparison.right) {
      case (.equal, .object(let reference)): return (link, .objects([reference]))
      case (.isIn, .objects(let references)): return (link, .objects(references))
      case (.equal, .objects(let references)):
        return references.first.map { (link, .objects([$0])) }
      default: return nil
      }
    }
    guard comparison.refusesNull else { return nil }
    var inner = comparison
    inner.left = rest.isSingleValue ? .property(rest) : .elements(.any, rest)
    return (link, .matching(.comparison(inner)))
  }

  /// The link, or collection of links, at the start of a path, and the rest of the path.
  private func step(_ path: BoundPath) -> (link: BoundProperty, rest: BoundPath?)? {
    guard case .property(let link)? = path.hops.first, !link.property.isMap,
      link.property.type == .object || link.property.type == .linkingObjects,
      link.property.collection != nil || !link.target.contains(.embedded)
        || path.hops.count == 1 && link.property.type == .object && !link.target.contains(.inline)
    else { return nil }
    let isEntered = link.property.isCollection
    if isEntered, path.hops.count > 1, path.hops[1] != .elements { return nil }
    let length = isEntered ? min(2, path.hops.count) : 1
    guard length < path.hops.count else { return (link, nil) }
    if isEntered { guard case .property = path.hops[length] else { return nil } }
    return (link, path.dropping(length))
  }
}

extension BoundComparison {
  /// Whether this compares with constants, and an object with a null link on the path does not match.
  fileprivate var refusesNull: Bool { valuesBehindNull.allSatisfy(refuses) }

  /// The values that the left side may have behind a null link, where a collection is empty and a type is known.
  private var valuesBehindNull: [Value] {
    switch left {
    case .property(let path), .elements(_, let path):
      switch path.hops.last {
      case .count: [.null, .int(0)]
      case .length, .incomingLinks: [.int(0)]
      case .type(let type): [.string(TypeName.of(type ?? .any))]
      default: [.null]
      }
    default: [.null]
    }
  }

  /// Returns whether this compares with constants that a value does not match.
  private func refuses(_ value: Value) -> Bool {
    switch (operation, right) {
    case (.notEqual, _): false
    case (.isIn, .list(let values)):
      !values.contains { value.matches(.equal, $0, options: options) }
    case (.between, .list(let bounds)):
      !value.matches(.greaterOrEqual, bounds[0]) || !value.matches(.lessOrEqual, bounds[1])
    case (.equal, .object), (.isIn, .objects): true
    case (_, .value(let constant)): !value.matches(operation, constant, options: options)
    default: false
    }
  }
}

extension BoundPredicate {
  /// Whether this compares a whole collection with objects; the index searches for one of them.
  fileprivate var comparesWholeCollection: Bool {
    guard case .comparison(let comparison) = self, case .property = comparison.left,
      comparison.operation == .equal, case .objects = comparison.right
    else { return false }
    return true
  }
}
