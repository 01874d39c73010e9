/// A tree of NOT, AND and OR over leaves, as predicates by name and bound predicates are.
///
/// Trees are traversed with a stack of their own, so that deep predicates need little of the
/// thread's.
protocol LogicTree {
  /// The logic at the top of the tree; nil for a leaf.
  var logic: Logic<Self>? { get }
}

/// One NOT, AND or OR.
enum Logic<Part> {
  case not(Part)
  case and([Part])
  case or([Part])
}

extension LogicTree {
  /// Computes a result from the leaves up.
  ///
  /// - Parameters:
  ///   - leaf: The result of a leaf.
  ///   - node: The result of a NOT, AND or OR, given the results of its parts.
  /// - Returns: The result of the whole tree.
  /// - Throws: What `leaf` throws.
  /// - Complexity: O(n) for n nodes.
  func folded<Result, Failure>(
    leaf: (Self) throws(Failure) -> Result, node: (Logic<Result>) -> Result
  ) throws(Failure) -> Result {
    switch logic {
    case nil: return try leaf(self)
    case .and(let parts)? where parts.areLeaves:
      return node(.and(try parts.map { (part) throws(Failure) in try leaf(part) }))
    case .or(let parts)? where parts.areLeaves:
      return node(.or(try parts.map { (part) throws(Failure) in try leaf(part) }))
    case .and?, .or?, .not?: return try foldedWithStack(leaf: leaf, node: node)
    }
  }

  /// Computes a result from the leaves up, with a stack of its own.
  private func foldedWithStack<Result, Failure>(
    leaf: (Self) throws(Failure) -> Result, node: (Logic<Result>) -> Result
  ) throws(Failure) -> Result {
    var open: [OpenNode<Self, Result>] = []
    var next = self
    while true {
      var result: Result
      if let logic = next.logic {
        let opened = OpenNode<Self, Result>(logic)
        if let first = opened.nextPart {
          open.append(opened)
          next = first
          continue
        }
        result = node(opened.folded)
      } else {
        result = try leaf(next)
      }
      while true {
        guard !open.isEmpty else { return result }
        open[open.count - 1].results.append(result)
        if let part = open[open.count - 1].nextPart {
          next = part
          break
        }
        result = node(open.removeLast().folded)
      }
    }
  }

  /// Calls a closure with each leaf, from left to right.
  func forEachLeaf(_ body: (Self) -> Void) {
    switch logic {
    case nil: return body(self)
    case .and(let parts)? where parts.areLeaves, .or(let parts)? where parts.areLeaves:
      return parts.forEach(body)
    case .and?, .or?, .not?: break
    }
    var waiting = [self]
    while let next = waiting.popLast() {
      switch next.logic {
      case nil: body(next)
      case .not(let inner)?: waiting.append(inner)
      case .and(let parts)?, .or(let parts)?: waiting += parts.reversed()
      }
    }
  }

  /// Whether two trees have the same logic over leaves that a closure finds equal.
  func isEqual(to other: Self, _ areEqualLeaves: (Self, Self) -> Bool) -> Bool {
    var waiting = [(self, other)]
    while let (first, second) = waiting.popLast() {
      switch (first.logic, second.logic) {
      case (nil, nil): if !areEqualLeaves(first, second) { return false }
      case (.not(let first)?, .not(let second)?): waiting.append((first, second))
      case (.and(let first)?, .and(let second)?), (.or(let first)?, .or(let second)?):
        if first.count != second.count { return false }
        waiting += zip(first, second)
      default: return false
      }
    }
    return true
  }

  /// Hashes the logic, and the leaves by a closure.
  func hash(into hasher: inout Hasher, leaf: (Self, inout Hasher) -> Void) {
    var waiting = [self]
    while let next = waiting.popLast() {
      switch next.logic {
      case nil: leaf(next, &hasher)
      case .not(let inner)?:
        hasher.combine(1)
        waiting.append(inner)
      case .and(let parts)?:
        hasher.combine(2)
        hasher.combine(parts.count)
        waiting += parts
      case .or(let parts)?:
        hasher.combine(3)
        hasher.combine(parts.count)
        waiting += parts
      }
    }
  }
}

extension Array where Element: LogicTree {
  /// Whether none of the trees has logic.
  var areLeaves: Bool { allSatisfy { if case nil = $0.logic { true } else { false } } }
}

/// A NOT, AND or OR for some of whose parts there is a result.
private struct OpenNode<Tree, Result> {
  private let logic: Logic<Tree>
  private let parts: [Tree]
  var results: [Result] = []

  init(_ logic: Logic<Tree>) {
    self.logic = logic
    switch logic {
    case .not(let inner): parts = [inner]
    case .and(let inner), .or(let inner): parts = inner
    }
    results.reserveCapacity(parts.count)
  }

  var nextPart: Tree? { results.count < parts.count ? parts[results.count] : nil }

  var folded: Logic<Result> {
    switch logic {
    case .not: .not(results[0])
    case .and: .and(results)
    case .or: .or(results)
    }
  }
}
