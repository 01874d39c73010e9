import CadastreGeometry
import CadastreModel

/// The form of a predicate tree: its logic, operators and paths, without its constants.
///
/// Conditions without a constant that can be replaced are bound for each use, so their contents are not part of the
/// form.
struct PredicateForm {
  private let className: String
  private let predicate: QueryPredicate
  /// A hash of the form.
  let hash: Int

  /// The maximum number of levels of logic in a predicate with a form, which bounds the stack.
  private static let maximumDepth = 16

  /// Creates the form of a predicate on objects of a class; nil for deep logic.
  init?(_ predicate: QueryPredicate, of className: String) {
    var hash = FormHash()
    hash.append(className)
    guard hash.append(predicate, depth: Self.maximumDepth) else { return nil }
    self.hash = hash.value
    self.predicate = predicate
    self.className = className
  }
}

extension PredicateForm: Equatable {
  /// Returns whether two predicates differ in constants only.
  static func == (first: PredicateForm, second: PredicateForm) -> Bool {
    first.hash == second.hash && first.className == second.className
      && first.predicate.hasSameForm(as: second.predicate)
  }
}

extension FormHash {
  /// Mixes the form of a predicate into the hash; returns false for a predicate without a form.
  fileprivate mutating func append(_ predicate: QueryPredicate, depth: Int) -> Bool {
    guard depth > 0 else { return false }
    switch predicate {
    case .constant(let value): append(value ? 1 : 2)
    case .not(let inner):
      append(3)
      return append(inner, depth: depth - 1)
    case .and(let parts):
      append(4 | UInt64(parts.count) << 8)
      for part in parts where !append(part, depth: depth - 1) { return false }
    case .or(let parts):
      append(5 | UInt64(parts.count) << 8)
      for part in parts where !append(part, depth: depth - 1) { return false }
    case .comparison(let comparison):
      guard let path = comparison.pathBesideConstant else {
        guard predicate.isBoundAlone else { return false }
        append(6)
        break
      }
      append(
        7 | UInt64(comparison.operation.code) << 8
          | UInt64(UInt8(bitPattern: comparison.options.rawValue)) << 16
          | (comparison.right.isList ? 1 << 24 : 0))
      append(path)
    case .geoWithin(let within):
      append(
        8 | UInt64(within.quantifier.code) << 8 | (within.edges == .planar ? 1 << 16 : 0))
      append(within.path)
    case .relation:
      guard predicate.isBoundAlone else { return false }
      append(9)
    }
    return true
  }

  private mutating func append(_ path: PropertyPath) {
    for step in path.steps {
      // Other steps are rare; they are compared.
      guard case .property(let name) = step else { continue }
      append(name)
    }
  }
}

extension QueryPredicate {
  /// Whether a condition that is bound for each use may be bound without the others.
  ///
  /// A condition with `now()` may not, because all conditions have the same time. A condition with too many levels may
  /// not, because the whole predicate is refused.
  fileprivate var isBoundAlone: Bool {
    depth(limit: Self.maximumDepth + 1) <= Self.maximumDepth && !readsClock
  }

  /// Whether another predicate has the same logic, and conditions that differ in constants only.
  fileprivate func hasSameForm(as other: QueryPredicate) -> Bool {
    switch (self, other) {
    case (.constant(let first), .constant(let second)): first == second
    case (.not(let first), .not(let second)): first.hasSameForm(as: second)
    case (.and(let first), .and(let second)), (.or(let first), .or(let second)):
      first.count == second.count
        && first.indices.allSatisfy { first[$0].hasSameForm(as: second[$0]) }
    case (.comparison(let first), .comparison(let second)): first.hasSameForm(as: second)
    case (.geoWithin(let first), .geoWithin(let second)):
      first.path == second.path && first.edges == second.edges
        && first.quantifier == second.quantifier
    case (.relation, .relation): true
    default: false
    }
  }
}

extension Comparison {
  /// The path on the left, where the right side is a constant that can be replaced; else nil.
  fileprivate var pathBesideConstant: PropertyPath? {
    guard case .property(let path) = left else { return nil }
    return switch right {
    case .value, .list: path
    default: nil
    }
  }

  /// Whether another comparison differs in its constant only, or both are bound for each use.
  fileprivate func hasSameForm(as other: Comparison) -> Bool {
    switch (pathBesideConstant, other.pathBesideConstant) {
    case (nil, nil): true
    case (let path?, let otherPath?):
      operation == other.operation && options == other.options
        && right.isList == other.right.isList && path == otherPath
    default: false
    }
  }
}

extension Operand {
  /// Whether the operand is a list of constants.
  fileprivate var isList: Bool { if case .list = self { true } else { false } }
}
