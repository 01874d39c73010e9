import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows that match a comparison of any two operands.
struct ComparisonFilter: BatchFilter {
  let left: any OperandValues
  let right: any OperandValues
  let rule: ComparisonRule

  var readsBatchOnly: Bool { left.readsBatchOnly && right.readsBatchOnly }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    let (first, second) = (try left.values(batch, rows), try right.values(batch, rows))
    var place = 0
    rows.keep { _ in
      defer { place += 1 }
      return rule.holds(first[place], second[place])
    }
  }
}

/// The rule by which the values of two operands are compared.
struct ComparisonRule {
  let operation: ComparisonOperator
  let options: StringOptions
  let leftQuantifier: Quantifier
  let rightQuantifier: Quantifier
  /// Whether both sides are stored, so that NaN equals itself.
  let isNaNEqualToItself: Bool
  /// Whether no side has values of any type, so that null sorts before all strings.
  let isNullOrdered: Bool
  /// Whether the right side names objects: a missing one is equal to nothing.
  let isIdentity: Bool
  /// The compiled pattern on the right.
  private let pattern: CompiledPattern?

  /// The rule of a comparison, given the properties of its sides.
  init(
    _ comparison: BoundComparison, leftQuantifier: Quantifier = .any,
    rightQuantifier: Quantifier = .any,
    isNaNEqualToItself: Bool = false, isNullOrdered: Bool = true
  ) {
    operation = comparison.operation
    options = comparison.options
    self.leftQuantifier = leftQuantifier
    self.rightQuantifier = rightQuantifier
    self.isNaNEqualToItself = isNaNEqualToItself
    self.isNullOrdered = isNullOrdered
    isIdentity = comparison.right.namesObjects
    pattern = if case .pattern(let pattern) = comparison.right { pattern } else { nil }
  }

  /// Whether as many values of the left side match as the quantifier requires.
  func holds(_ left: [Value], _ right: [Value]) -> Bool {
    leftQuantifier.holds(left) { fits($0, right) }
  }

  private func fits(_ value: Value, _ right: [Value]) -> Bool {
    if isIdentity { return right.contains(value) == (operation != .notEqual) }
    return switch operation {
    case .between:
      right.count == 2 && fits(value, .greaterOrEqual, right[0])
        && fits(value, .lessOrEqual, right[1])
    case .isIn: right.contains { fits(value, .equal, $0) }
    default: rightQuantifier.holds(right) { fits(value, operation, $0) }
    }
  }

  private func fits(_ first: Value, _ operation: ComparisonOperator, _ second: Value) -> Bool {
    if let pattern {
      guard case .string(let text) = first else { return false }
      return pattern.matches(text)
    }
    return first.matches(
      operation, second, options: options, isNaNEqualToItself: isNaNEqualToItself,
      isNullOrdered: isNullOrdered)
  }
}

/// Keeps rows whose list equals some values in order, or whose set equals some values.
struct WholeCollectionFilter: BatchFilter {
  /// The path to the owner of the collection, which may be missing.
  let owner: PathValues
  let elements: PathValues
  /// The constants; nil if they include an object that does not exist, so that no collection is equal.
  let expected: [Value]?
  let inOrder: Bool
  /// Whether equal or unequal collections match.
  let isEqual: Bool

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    try rows.keep { row in
      let key = batch.key(row)
      // A missing list element has no collection to compare.
      return try !owner.nodes(key).isEmpty
        && isSame(try elements.nodes(key).map(\.value)) == isEqual
    }
  }

  private func isSame(_ found: [Value]) -> Bool {
    guard let expected else { return false }
    if inOrder {
      return found.count == expected.count
        && zip(found, expected).allSatisfy { $0.matches(.equal, $1) }
    }
    return found.allSatisfy { one in expected.contains { one.matches(.equal, $0) } }
      && expected.allSatisfy { one in found.contains { one.matches(.equal, $0) } }
  }
}
