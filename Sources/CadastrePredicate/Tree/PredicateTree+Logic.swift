/// One NOT, AND or OR.
enum Logic<Part> {
  case not(Part)
  case and([Part])
  case or([Part])
}

/// Trees are traversed with a stack of their own, so that deep predicates need little of the thread's.
extension PredicateTree {
  /// The logic at the top of the tree; nil for a leaf.
  private var logic: Logic<PredicateTree>? {
    switch self {
    case .not(let inner): .not(inner)
    case .and(let parts): .and(parts)
    case .or(let parts): .or(parts)
    case .constant, .comparison, .geoWithin, .relation: nil
    }
  }

  /// Whether none of the trees has logic.
  static func areLeaves(_ trees: [PredicateTree]) -> Bool {
    trees.allSatisfy {
      switch $0 {
      case .not, .and, .or: false
      case .constant, .comparison, .geoWithin, .relation: true
      }
    }
  }

  /// The predicate with the given logic.
  init(_ logic: Logic<PredicateTree>) {
    switch logic {
    case .not(let inner): self = .not(inner)
    case .and(let parts): self = .and(parts)
    case .or(let parts): self = .or(parts)
    }
  }

  /// Computes a result from the leaves up.
  ///
  /// - Parameters:
  ///   - leaf: The result of a leaf.
  ///   - node: The result of a NOT, AND or OR, given the results of its parts.
  /// - Returns: The result of the whole tree.
  /// - Throws: What `leaf` throws.
  /// - Complexity: O(n) for n nodes.
  func folded<Result, Failure>(
    leaf: (PredicateTree) throws(Failure) -> Result, node: (Logic<Result>) -> Result
  ) throws(Failure) -> Result {
    switch self {
    case .constant, .comparison, .geoWithin, .relation: return try leaf(self)
    case .and(let parts) where Self.areLeaves(parts):
      return node(.and(try parts.map { (part) throws(Failure) in try leaf(part) }))
    case .or(let parts) where Self.areLeaves(parts):
      return node(.or(try parts.map { (part) throws(Failure) in try leaf(part) }))
    case .and, .or, .not: return try foldedWithStack(leaf: leaf, node: node)
    }
  }

  /// Computes a result from the leaves up, with a stack of its own.
  private func foldedWithStack<Result, Failure>(
    leaf: (PredicateTree) throws(Failure) -> Result, node: (Logic<Result>) -> Result
  ) throws(Failure) -> Result {
    var open: [OpenNode<PredicateTree, Result>] = []
    var next = self
    while true {
      var result: Result
      if let logic = next.logic {
        let opened = OpenNode<PredicateTree, Result>(logic)
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
  package func forEachLeaf(_ body: (PredicateTree) -> Void) {
    switch self {
    case .constant, .comparison, .geoWithin, .relation: return body(self)
    case .and(let parts) where Self.areLeaves(parts),
      .or(let parts) where Self.areLeaves(parts):
      return parts.forEach(body)
    case .and, .or, .not: break
    }
    var waiting = [self]
    while let next = waiting.popLast() {
      switch next {
      case .constant, .comparison, .geoWithin, .relation: body(next)
      case .not(let inner): waiting.append(inner)
      case .and(let parts), .or(let parts): waiting += parts.reversed()
      }
    }
  }
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
