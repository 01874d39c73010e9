extension PredicateTree: Hashable {
  /// Two predicates are equal when their trees are.
  ///
  /// - Complexity: O(n) for n nodes.
  @_specialize(where Phase == NamedPhase)
  @_specialize(where Phase == Resolved)
  public static func == (first: PredicateTree, second: PredicateTree) -> Bool {
    first.isEqual(to: second)
  }

  /// Apart from the operator, which other modules call: its generic form only selects the specialised one.
  @inline(never)
  private func isEqual(to other: PredicateTree) -> Bool {
    // Leaves need no stack, and so no allocation.
    var waiting: [(PredicateTree, PredicateTree)] = []
    var next: (PredicateTree, PredicateTree)? = (self, other)
    while let pair = next {
      switch pair {
      case (.constant(let first), .constant(let second)): if first != second { return false }
      case (.comparison(let first), .comparison(let second)): if first != second { return false }
      case (.geoWithin(let first), .geoWithin(let second)): if first != second { return false }
      case (.relation(let first), .relation(let second)): if first != second { return false }
      case (.not(let first), .not(let second)): waiting.append((first, second))
      case (.and(let first), .and(let second)), (.or(let first), .or(let second)):
        if first.count != second.count { return false }
        waiting += zip(first, second)
      default: return false
      }
      next = waiting.popLast()
    }
    return true
  }

  /// Hashes the tree.
  @_specialize(where Phase == NamedPhase)
  @_specialize(where Phase == Resolved)
  public func hash(into hasher: inout Hasher) { combine(into: &hasher) }

  @inline(never)
  private func combine(into hasher: inout Hasher) {
    var waiting: [PredicateTree] = []
    var next: PredicateTree? = self
    while let tree = next {
      switch tree {
      case .constant(let value): hasher.combine(value)
      case .comparison(let comparison): hasher.combine(comparison)
      case .geoWithin(let within): hasher.combine(within)
      case .relation(let relation): hasher.combine(relation)
      case .not(let inner):
        hasher.combine(1)
        waiting.append(inner)
      case .and(let parts):
        hasher.combine(2)
        hasher.combine(parts.count)
        waiting += parts
      case .or(let parts):
        hasher.combine(3)
        hasher.combine(parts.count)
        waiting += parts
      }
      next = waiting.popLast()
    }
  }
}
