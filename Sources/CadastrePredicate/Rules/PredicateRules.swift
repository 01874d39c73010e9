/// A rewrite of a predicate to an equivalent one.
package protocol PredicateRule: Sendable {
  /// The name by which the rule is switched off.
  var name: String { get }
  /// Rewrites the top of the tree; nil where the rule does not apply.
  func rewrite(_ predicate: BoundPredicate) -> BoundPredicate?
}

/// The rules, in the order in which they are tried at every node, children first.
package enum PredicateRules {
  /// All rules.
  package static let all: [any PredicateRule] = [
    FlattenLogic(), FoldConstants(), MergeEqualsIntoIn(),
  ]

  /// The predicate after all rules except those switched off.
  package static func simplified(
    _ predicate: BoundPredicate, without switchedOff: Set<String> = []
  ) -> BoundPredicate {
    let rules = all.filter { !switchedOff.contains($0.name) }
    func applied(_ predicate: BoundPredicate) -> BoundPredicate {
      rules.reduce(predicate) { current, rule in rule.rewrite(current) ?? current }
    }
    return predicate.folded(leaf: applied) { applied(BoundPredicate($0)) }
  }

  /// The names of the rules that change a predicate, in their order.
  package static func fired(
    on predicate: BoundPredicate, without switchedOff: Set<String> = []
  ) -> [String] {
    let rules = all.filter { !switchedOff.contains($0.name) }
    var fired: Set<String> = []
    func applied(_ predicate: BoundPredicate) -> BoundPredicate {
      rules.reduce(predicate) { current, rule in
        guard let changed = rule.rewrite(current), changed != current else { return current }
        fired.insert(rule.name)
        return changed
      }
    }
    _ = predicate.folded(leaf: applied) { applied(BoundPredicate($0)) }
    return rules.map(\.name).filter(fired.contains)
  }
}
