extension QueryPredicate {
  /// The same logic over other comparisons, worked out from the leaves up.
  ///
  /// What waits to be rebuilt is kept on a stack of its own, so that deep predicates need little of
  /// the thread's.
  ///
  /// - Parameters:
  ///   - leaf: What becomes of a constant, a comparison, or a region.
  ///   - node: What becomes of a NOT, AND or OR whose parts have been rebuilt.
  /// - Returns: What becomes of the whole.
  /// - Throws: What `leaf` throws.
  func rebuilt<Failure>(
    leaf: (QueryPredicate) throws(Failure) -> QueryPredicate,
    node: (QueryPredicate) -> QueryPredicate
  ) throws(Failure) -> QueryPredicate {
    var open: [Rebuilding] = []
    var next = self
    while true {
      var finished: QueryPredicate
      switch next {
      case .constant, .comparison, .geoWithin: finished = try leaf(next)
      case .not, .and, .or:
        let rebuilding = Rebuilding(next)
        guard let first = rebuilding.nextPart else {
          finished = node(next)
          break
        }
        open.append(rebuilding)
        next = first
        continue
      }
      while true {
        guard !open.isEmpty else { return finished }
        open[open.count - 1].done.append(finished)
        if let part = open[open.count - 1].nextPart {
          next = part
          break
        }
        finished = node(open.removeLast().result)
      }
    }
  }
}

/// A NOT, AND or OR some of whose parts have been rebuilt.
private struct Rebuilding {
  private let original: QueryPredicate
  private let parts: [QueryPredicate]
  var done: [QueryPredicate] = []

  init(_ original: QueryPredicate) {
    self.original = original
    switch original {
    case .not(let inner): parts = [inner]
    case .and(let inner), .or(let inner): parts = inner
    case .constant, .comparison, .geoWithin: parts = []
    }
    done.reserveCapacity(parts.count)
  }

  var nextPart: QueryPredicate? { done.count < parts.count ? parts[done.count] : nil }

  var result: QueryPredicate {
    switch original {
    case .not: .not(done[0])
    case .and: .and(done)
    case .or: .or(done)
    case .constant, .comparison, .geoWithin: original
    }
  }
}
