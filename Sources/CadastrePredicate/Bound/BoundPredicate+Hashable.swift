extension BoundPredicate: LogicTree {
  var logic: Logic<BoundPredicate>? {
    switch self {
    case .not(let inner): .not(inner)
    case .and(let parts): .and(parts)
    case .or(let parts): .or(parts)
    case .constant, .comparison, .geoWithin, .relation: nil
    }
  }

  /// The predicate with the given logic.
  init(_ logic: Logic<BoundPredicate>) {
    switch logic {
    case .not(let inner): self = .not(inner)
    case .and(let parts): self = .and(parts)
    case .or(let parts): self = .or(parts)
    }
  }
}

extension BoundPredicate: Hashable {
  /// Two predicates are equal when their trees are.
  ///
  /// - Complexity: O(n) for n nodes.
  package static func == (first: BoundPredicate, second: BoundPredicate) -> Bool {
    first.isEqual(to: second) { first, second in
      switch (first, second) {
      case (.constant(let first), .constant(let second)): first == second
      case (.comparison(let first), .comparison(let second)): first == second
      case (.geoWithin(let first), .geoWithin(let second)): first == second
      case (.relation(let first), .relation(let second)): first == second
      default: false
      }
    }
  }

  /// Hashes the tree.
  package func hash(into hasher: inout Hasher) {
    hash(into: &hasher) { leaf, hasher in
      switch leaf {
      case .constant(let value): hasher.combine(value)
      case .comparison(let comparison): hasher.combine(comparison)
      case .geoWithin(let within): hasher.combine(within)
      case .relation(let relation): hasher.combine(relation)
      case .not, .and, .or: break
      }
    }
  }
}
