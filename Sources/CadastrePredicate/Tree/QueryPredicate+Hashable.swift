/// Compared and hashed with a stack of its own, so that deep predicates need little of the thread's.
extension QueryPredicate: Hashable {
  /// The same tree.
  public static func == (first: QueryPredicate, second: QueryPredicate) -> Bool {
    var waiting = [(first, second)]
    while let pair = waiting.popLast() {
      switch pair {
      case (.constant(let first), .constant(let second)):
        if first != second { return false }
      case (.not(let first), .not(let second)): waiting.append((first, second))
      case (.and(let first), .and(let second)), (.or(let first), .or(let second)):
        if first.count != second.count { return false }
        waiting += zip(first, second)
      case (.comparison(let first), .comparison(let second)):
        if first != second { return false }
      case (.geoWithin(let first), .geoWithin(let second)):
        if first != second { return false }
      default: return false
      }
    }
    return true
  }

  /// Hashes the tree, the last parts first.
  public func hash(into hasher: inout Hasher) {
    var waiting = [self]
    while let predicate = waiting.popLast() {
      switch predicate {
      case .constant(let value):
        hasher.combine(0)
        hasher.combine(value)
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
      case .comparison(let comparison):
        hasher.combine(4)
        hasher.combine(comparison)
      case .geoWithin(let within):
        hasher.combine(5)
        hasher.combine(within)
      }
    }
  }
}
