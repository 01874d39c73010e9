package import CadastreGeometry
import CadastreModel

/// The parts of the leaves, from left to right.
extension PredicateTree {
  /// The paths that begin at the object; those inside subqueries and of aggregate members begin elsewhere.
  package var paths: [Phase.Path] {
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    get {
      var paths: [Phase.Path] = []
      forEachLeaf { leaf in
        switch leaf {
        case .comparison(let comparison):
          comparison.forEachOperand { paths += $0.paths }
        case .geoWithin(let within): paths.append(within.path)
        case .relation(let relation): paths += relation.paths
        case .constant, .not, .and, .or: break
        }
      }
      return paths
    }
  }

  /// The paths that begin at the object or at another one.
  package var allPaths: [Phase.Path] {
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    get {
      var all = paths
      forEachLeaf { leaf in
        if case .comparison(let comparison) = leaf {
          comparison.forEachOperand { operand in
            switch operand {
            case .aggregate(let aggregate): if let member = aggregate.member { all.append(member) }
            case .outer(let outer):
              all += outer.operand.paths
              if case .aggregate(let aggregate) = outer.operand, let member = aggregate.member {
                all.append(member)
              }
            default: break
            }
          }
        }
        leaf.forEachInnerPredicate { all += $0.allPaths }
      }
      return all
    }
  }

  /// Calls a closure with the predicates on other objects in a leaf: those of subqueries, and that on the objects of a
  /// relation.
  private func forEachInnerPredicate(_ body: (PredicateTree) -> Void) {
    switch self {
    case .comparison(let comparison):
      comparison.forEachOperand { operand in
        switch operand {
        case .subquery(let subquery): body(subquery.predicate)
        case .outer(let outer): outer.asPredicate.forEachInnerPredicate(body)
        default: break
        }
      }
    case .relation(let relation):
      if case .objects(let objects) = relation.right { body(objects.predicate) }
    case .constant, .geoWithin, .not, .and, .or: break
    }
  }

  /// The regions in which points or geometries must lie, those in predicates on other objects included.
  package var regions: [(shape: GeoShape, edges: EdgeModel)] {
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    get {
      var regions: [(shape: GeoShape, edges: EdgeModel)] = []
      forEachLeaf { leaf in
        switch leaf {
        case .geoWithin(let within): regions.append((Phase.written(within.shape), within.edges))
        case .relation(let relation):
          guard relation.kind == .within, case .region(let region) = relation.right else { break }
          regions.append((Phase.written(region), relation.edges))
        case .constant, .comparison, .not, .and, .or: break
        }
        leaf.forEachInnerPredicate { regions += $0.regions }
      }
      return regions
    }
  }

  /// Calls a closure with the objects that links are compared with, those in predicates on other objects included.
  @_specialize(where Phase == NamedPhase)
  @_specialize(where Phase == Resolved)
  package func forEachObjectReference(_ body: (ObjectReference) -> Void) {
    forEachLeaf { leaf in
      if case .comparison(let comparison) = leaf {
        comparison.forEachOperand { operand in
          switch operand {
          case .object(let reference): body(reference)
          case .objects(let references): references.forEach(body)
          case .content(let content): Phase.written(content).forEachObjectReference(body)
          default: break
          }
        }
      }
      leaf.forEachInnerPredicate { $0.forEachObjectReference(body) }
    }
  }

  /// Whether the predicate depends on the time at which it is bound.
  var readsClock: Bool {
    var found = false
    forEachLeaf { leaf in
      guard !found else { return }
      if case .comparison(let comparison) = leaf {
        comparison.forEachOperand { if case .now = $0 { found = true } }
      }
      leaf.forEachInnerPredicate { found = found || $0.readsClock }
    }
    return found
  }

  /// The levels of logic, predicates on other objects and arithmetic inside each other, counted no further than a
  /// limit.
  func depth(limit: Int) -> Int {
    if case .comparison(let comparison) = self {
      return min(limit, 1 + comparison.depth(limit: limit - 1))
    }
    var deepest = 0
    var waiting = [(predicate: self, level: 1)]
    while let (predicate, level) = waiting.popLast(), deepest < limit {
      deepest = max(deepest, level)
      switch predicate {
      case .constant, .geoWithin: break
      case .relation(let relation):
        // The objects are a level, as those of a subquery are.
        if case .objects(let objects) = relation.right {
          waiting.append((objects.predicate, level + 2))
        }
      case .not(let inner): waiting.append((inner, level + 1))
      case .and(let parts), .or(let parts): for part in parts { waiting.append((part, level + 1)) }
      case .comparison(let comparison):
        deepest = max(deepest, level + comparison.depth(limit: limit - level))
      }
    }
    return min(deepest, limit)
  }
}

extension PredicateTree {
  /// Whether the predicate of a subquery compares with objects around it.
  package var hasOuterOperands: Bool { hasOperands(leaving: 0) }

  /// Whether an operand leaves more than some subqueries within the predicate.
  ///
  /// The geometries of the objects of a class are not within: paths in their predicate begin at those objects.
  private func hasOperands(leaving depth: Int) -> Bool {
    var found = false
    forEachLeaf { leaf in
      guard !found, case .comparison(let comparison) = leaf else { return }
      comparison.forEachOperand { operand in
        switch operand {
        case .subquery(let subquery):
          found = found || subquery.predicate.hasOperands(leaving: depth + 1)
        case .outer(let outer) where outer.level > depth: found = true
        case .outer(let outer):
          // The operand is evaluated for an object that fewer subqueries are around.
          if case .subquery(let subquery) = outer.operand {
            found = found || subquery.predicate.hasOperands(leaving: depth - outer.level + 1)
          }
        default: break
        }
      }
    }
    return found
  }
}

extension PredicateTree.Outer {
  /// A condition with the operand, for the functions that look at all parts of a predicate.
  fileprivate var asPredicate: PredicateTree {
    .comparison(PredicateTree.Comparison(operand, .equal, .value(.null)))
  }
}

extension PredicateTree.Comparison {
  /// Calls a closure with each operand, from left to right; with the operands of a calculation instead of
  /// the calculation.
  func forEachOperand(_ body: (PredicateTree.Operand) -> Void) {
    left.forEachOperand(body)
    right.forEachOperand(body)
  }

  fileprivate func depth(limit: Int) -> Int {
    max(left.depth(limit: limit), right.depth(limit: limit))
  }
}

extension PredicateTree.Operand {
  fileprivate func forEachOperand(_ body: (PredicateTree.Operand) -> Void) {
    guard case .arithmetic(let arithmetic) = self else { return body(self) }
    arithmetic.left.forEachOperand(body)
    arithmetic.right.forEachOperand(body)
  }

  /// The paths that begin at the object; none of constants and calculations.
  var paths: [Phase.Path] {
    switch self {
    case .property(let path), .elements(_, let path): [path]
    case .aggregate(let aggregate): [aggregate.collection]
    case .subquery(let subquery): [subquery.collection]
    case .distance(let distance): [Phase.side(distance.left), distance.right].compactMap(\.path)
    case .value, .list, .constants, .object, .objects, .content, .pattern, .outer, .arithmetic,
      .now:
      []
    }
  }

  /// The levels of subqueries and arithmetic inside each other, counted no further than a limit.
  func depth(limit: Int) -> Int {
    guard limit > 0 else { return 0 }
    switch self {
    case .subquery(let subquery): return 1 + subquery.predicate.depth(limit: limit - 1)
    case .outer(let outer): return 1 + outer.operand.depth(limit: limit - 1)
    case .arithmetic(let arithmetic):
      return 1
        + max(arithmetic.left.depth(limit: limit - 1), arithmetic.right.depth(limit: limit - 1))
    default: return 0
    }
  }
}

extension PredicateTree.GeometryRelation {
  /// The paths, from left to right.
  var paths: [Phase.Path] { [Phase.side(left), right].compactMap(\.path) }
}

extension PredicateTree.GeometryRelation.Side {
  /// The path of a geometry of the object; nil for other sides.
  fileprivate var path: Phase.Path? { if case .path(let path) = self { path } else { nil } }
}
