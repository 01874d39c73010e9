/// A condition on the objects of a class.
///
/// Predicate text, type-safe queries and `#Predicate` all become this tree, with names as they were
/// written:
///
///     let predicate = try QueryPredicate(parsing: "country == 'FR' AND elevation > 300")
///     let airports = try realm.objects(Airport.self).filter(predicate)
///
/// Logic is two-valued. A comparison is true or false, also where a value is null, and `not` is its
/// complement; so `not(x == 1)` matches where x is null.
public enum PredicateTree<Phase: PredicatePhase>: Sendable {
  /// Matches every object, or none.
  case constant(Bool)
  /// Matches the objects that the other predicate does not match.
  indirect case not(PredicateTree)
  /// Matches the objects that match all parts; all objects when there are no parts.
  case and([PredicateTree])
  /// Matches the objects that match some part; no objects when there are no parts.
  case or([PredicateTree])
  /// Compares a property with a value, several values or another property.
  case comparison(Comparison)
  /// Matches points inside a region, its border included.
  indirect case geoWithin(GeoWithin)
  /// Tests the relation of two geometries.
  indirect case relation(GeometryRelation)
}

extension PredicateTree {
  /// The conjunction of the parts, without a wrapper round a single one and without nesting.
  @_specialize(where Phase == NamedPhase)
  @_specialize(where Phase == Resolved)
  package static func all(_ parts: [PredicateTree]) -> PredicateTree {
    if parts.count > 1, !parts.contains(where: { if case .and = $0 { true } else { false } }) {
      return .and(parts)
    }
    let flat = parts.flatMap { $0.conjuncts }
    if flat.isEmpty { return .constant(true) }
    return flat.count == 1 ? flat[0] : .and(flat)
  }

  /// The disjunction of the parts, without a wrapper round a single one and without nesting.
  @_specialize(where Phase == NamedPhase)
  @_specialize(where Phase == Resolved)
  package static func any(_ parts: [PredicateTree]) -> PredicateTree {
    let flat = parts.flatMap { part in
      if case .or(let inner) = part { inner } else { [part] }
    }
    if flat.isEmpty { return .constant(false) }
    return flat.count == 1 ? flat[0] : .or(flat)
  }

  /// The parts of a conjunction, or the predicate itself as its only part.
  package var conjuncts: [PredicateTree] {
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    get { if case .and(let parts) = self { parts } else { [self] } }
  }

  /// The predicate that matches the other objects: the inner one of a negation.
  package var negated: PredicateTree {
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    get { if case .not(let inner) = self { inner } else { .not(self) } }
  }

  /// Whether the predicate is a constant.
  @inlinable
  package func isConstant(_ value: Bool) -> Bool {
    if case .constant(value) = self { true } else { false }
  }
}
