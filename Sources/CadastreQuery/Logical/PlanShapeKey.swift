import CadastreGeometry
import CadastrePredicate

/// The shape of a query as numbers: its logic, operators and paths, the kinds of its constants, its
/// order, and whether it is limited.
struct PlanShapeKey: Hashable {
  private let className: String
  private var words: [UInt] = []

  /// The levels of logic beyond which a query has no shape; bounds the stack that is used.
  private static let maximumDepth = 16

  /// The shape of a query; nil for subqueries, aggregates, calculations, distances, and deep logic.
  init?(_ query: BoundQuery) {
    className = query.className
    words.reserveCapacity(16)
    guard append(query.predicate, depth: 0) else { return nil }
    for key in query.order {
      append(key.path)
      words.append(key.isAscending ? 1 : 0)
      switch key.criterion {
      case .value: words.append(0)
      case .distance: words.append(1)
      case .relevance: words.append(2)
      }
    }
    words.append(query.limit == nil ? 0 : 1)
  }

  /// About the size in bytes of the key and of its shape.
  var byteCount: Int { 256 + words.count * 128 }

  private mutating func append(_ path: BoundPath) {
    // A path is resolved once for each schema.
    words.append(UInt(bitPattern: ObjectIdentifier(path)))
  }

  private mutating func append(_ predicate: BoundPredicate, depth: Int) -> Bool {
    guard depth < Self.maximumDepth else { return false }
    switch predicate {
    case .constant(let value): words.append(value ? 1 : 2)
    case .not(let inner):
      words.append(3)
      return append(inner, depth: depth + 1)
    case .and(let parts):
      words += [4, UInt(parts.count)]
      for part in parts where !append(part, depth: depth + 1) { return false }
    case .or(let parts):
      words += [5, UInt(parts.count)]
      for part in parts where !append(part, depth: depth + 1) { return false }
    case .geoWithin(let within):
      words.append(6 | within.quantifier.code << 8 | (within.edges == .planar ? 1 << 16 : 0))
      append(within.path)
    // Its constant decides which plan is best.
    case .relation: return false
    case .comparison(let comparison):
      words.append(
        7 | comparison.operation.code << 8 | UInt(UInt8(bitPattern: comparison.options.rawValue))
          << 16)
      return append(comparison.left) && append(comparison.right)
    }
    return true
  }

  private mutating func append(_ operand: BoundOperand) -> Bool {
    switch operand {
    case .property(let path):
      words.append(1)
      append(path)
    case .elements(let quantifier, let path):
      words.append(2 | quantifier.code << 8)
      append(path)
    case .value: words.append(3)
    // An empty list is folded to a constant.
    case .list(let values): words.append(values.isEmpty ? 4 : 5)
    case .constants(let quantifier, let values):
      words.append((values.isEmpty ? 6 : 7) | quantifier.code << 8)
    case .object: words.append(8)
    case .objects: words.append(9)
    case .pattern(.expression): words.append(10)
    case .pattern(.words): words.append(11)
    case .aggregate, .subquery, .arithmetic, .distance: return false
    }
    return true
  }
}

extension Quantifier {
  fileprivate var code: UInt {
    switch self {
    case .any: 0
    case .all: 1
    case .none: 2
    }
  }
}

extension ComparisonOperator {
  fileprivate var code: UInt {
    switch self {
    case .equal: 0
    case .notEqual: 1
    case .less: 2
    case .lessOrEqual: 3
    case .greater: 4
    case .greaterOrEqual: 5
    case .beginsWith: 6
    case .endsWith: 7
    case .contains: 8
    case .like: 9
    case .matches: 10
    case .text: 11
    case .isIn: 12
    case .between: 13
    }
  }
}
