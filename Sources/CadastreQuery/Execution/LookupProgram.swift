import CadastreModel
import CadastrePredicate
import CadastreStore

/// A compiled query for a few rows, which one statement executes: it searches an ordered index and reads the columns
/// that the other conditions test.
///
/// A program is immutable and shared by all queries of a shape. Each term of the conjunction compares with one argument,
/// which a run reads from the predicate.
package final class LookupProgram: Sendable {
  private let query: IndexRowQuery
  /// The comparisons that the index decides.
  private let bounds: [Bound]
  /// The type of the indexed column.
  private let type: PropertyType
  /// The tests of the other conditions, the cheapest first.
  private let tests: [RowTest]

  /// A comparison of the indexed column with an argument.
  private struct Bound {
    let operation: ComparisonOperator
    /// The index of the term.
    let term: Int
  }

  /// The greatest number of rows that a run reads; a plan is made for the arguments of others.
  static let mostRows = 16

  /// Compiles a plan; nil for a plan that needs more than one statement, or filters over batches.
  ///
  /// - Parameters:
  ///   - terms: The terms of the conjunction.
  ///   - decided: The indexes of the terms that an ordered index decides; at least one.
  ///   - filters: The indexes of the other terms, in the order in which they are tested.
  ///   - index: The ordered index.
  ///   - layout: The layout of the class.
  ///   - catalogue: The classes.
  init?(
    _ terms: [BoundPredicate], decided: [Int], filters: [Int], _ index: IndexReference,
    _ layout: TableLayout, _ catalogue: Catalogue
  ) {
    let valueIndex = layout.valueIndexes[index.position]
    let type = layout.columns[valueIndex.column].type
    guard filters.count == terms.count - decided.count, !valueIndex.isLink,
      terms.allSatisfy(\.comparesWithOneArgument)
    else { return nil }
    var bounds: [Bound] = []
    for term in decided {
      guard case .comparison(let comparison) = terms[term], comparison.options.isEmpty,
        terms[term].ownComparison?.path == index.path,
        Self.isSearchable(type, comparison.operation),
        comparison.operation != .isIn || decided.count == 1
      else { return nil }
      bounds.append(Bound(operation: comparison.operation, term: term))
    }
    var request = ColumnRequest(layout, catalogue)
    var compared: [(comparison: BoundComparison, slot: Int, term: Int)] = []
    for term in filters {
      guard case .comparison(let comparison) = terms[term], let own = terms[term].ownComparison,
        case .value(let slot)? = try? request.leaf(own.properties).leaf
      else { return nil }
      compared.append((comparison, slot, term))
    }
    // A column of any type takes two columns of the row.
    guard request.columns.allSatisfy({ $0.hops.isEmpty && $0.type != .any }) else { return nil }
    // In the order of the table, so that the same conditions in another order run the same statement.
    let columns = request.columns.map(\.column).sorted()
    var tests: [RowTest] = []
    for (comparison, slot, term) in compared {
      let column = request.columns[slot]
      guard let position = columns.firstIndex(of: column.column),
        let test = RowTest(comparison, column: position, type: column.type, term: term)
      else { return nil }
      tests.append(test)
    }
    query = IndexRowQuery(valueIndex, layout, columns: columns)
    self.bounds = bounds
    self.type = type
    self.tests = tests
  }

  /// Returns whether one range of the index has exactly the rows that a comparison with an argument matches.
  private static func isSearchable(_ type: PropertyType, _ operation: ComparisonOperator) -> Bool {
    switch type {
    case .int, .bool, .objectId, .UUID:
      operation == .equal || operation == .isIn || operation.isOrdered
    // Null sorts before all strings, and is in a range of its own.
    case .string: operation == .equal || operation == .isIn
    // SQLite has some of these values apart from the others, or has no index of them.
    case .float, .double, .date, .data, .decimal128, .geometry, .any, .object, .linkingObjects:
      false
    }
  }

  /// Returns the keys of the matching rows, ascending, and the number of rows that were read.
  ///
  /// - Parameters:
  ///   - predicate: The predicate, of the shape for which the program was compiled.
  ///   - reader: The snapshot or the transaction.
  /// - Returns: Nil where an argument has another type than the program compares with, or where many rows would be
  ///   read.
  /// - Throws: ``StoreError`` when reading fails.
  func keys(
    _ predicate: BoundPredicate, _ reader: any StoreReader
  ) throws(StoreError) -> (keys: [Int64], rowsRead: Int)? {
    for test in tests {
      guard case .value(let value)? = predicate.argument(ofTerm: test.term),
        RowTest.compares(test.type, with: value)
      else { return nil }
    }
    for bound in bounds {
      guard Self.compares(type, with: predicate.argument(ofTerm: bound.term)) else { return nil }
    }
    var found = (keys: [Int64](), rowsRead: 0)
    if bounds[0].operation == .isIn {
      let values = predicate.argument(ofTerm: bounds[0].term)?.constants ?? []
      guard values.count <= Self.mostRows else { return nil }
      for value in values {
        guard try append(query.rows(equalTo: value, reader), predicate, to: &found) else {
          return nil
        }
      }
    } else if let rows = try rows(predicate, reader) {
      guard try append(rows, predicate, to: &found) else { return nil }
    }
    // The rows of a range are in the order of the index, and equal values of a list have the same rows.
    return (KeySort.ascending(found.keys), found.rowsRead)
  }

  /// Appends the keys of rows that pass the tests; returns false beyond the greatest number of rows.
  private func append(
    _ rows: IndexRows, _ predicate: BoundPredicate, to found: inout (keys: [Int64], rowsRead: Int)
  ) throws(StoreError) -> Bool {
    while try rows.next() {
      found.rowsRead += 1
      guard found.rowsRead <= Self.mostRows else {
        rows.end()
        return false
      }
      if passes(rows, predicate) { found.keys.append(rows.key) }
    }
    return true
  }

  private func passes(_ row: IndexRows, _ predicate: BoundPredicate) -> Bool {
    for test in tests {
      guard case .value(let value)? = predicate.argument(ofTerm: test.term),
        test.passes(row, value)
      else { return false }
    }
    return true
  }

  /// Returns whether the type is compared with an argument as it is.
  private static func compares(_ type: PropertyType, with argument: BoundOperand?) -> Bool {
    switch argument {
    case .value(let value)?: RowTest.compares(type, with: value)
    case .list(let values)?: values.allSatisfy { RowTest.compares(type, with: $0) }
    default: false
    }
  }

  /// The rows that the index yields; nil where no value is within the bounds.
  private func rows(
    _ predicate: BoundPredicate, _ reader: any StoreReader
  ) throws(StoreError) -> IndexRows? {
    if bounds.count == 1, bounds[0].operation == .equal,
      case .value(let value)? = predicate.argument(ofTerm: bounds[0].term)
    {
      return try query.rows(equalTo: value, reader)
    }
    var range = ValueRange()
    for bound in bounds {
      let values = predicate.argument(ofTerm: bound.term)?.constants ?? []
      range = range.intersection(Self.range(bound.operation, values))
    }
    if range.isEmpty { return nil }
    return try query.rows(in: range, reader)
  }

  /// The range of the values that compare with constants, for types whose nulls match no comparison.
  private static func range(_ operation: ComparisonOperator, _ values: [Value]) -> ValueRange {
    guard let first = values.first, let last = values.last else { return ValueRange() }
    let included = ValueRange.Bound(first, isIncluded: true)
    let excluded = ValueRange.Bound(first, isIncluded: false)
    return switch operation {
    case .less: ValueRange(upper: excluded)
    case .lessOrEqual: ValueRange(upper: included)
    case .greater: ValueRange(lower: excluded)
    case .greaterOrEqual: ValueRange(lower: included)
    case .between: ValueRange(lower: included, upper: ValueRange.Bound(last, isIncluded: true))
    default: ValueRange.exactly(first)
    }
  }
}

extension BoundPredicate {
  /// Returns the right side of a comparison of this conjunction; nil for another term.
  fileprivate func argument(ofTerm index: Int) -> BoundOperand? {
    let term = if case .and(let terms) = self { terms[index] } else { self }
    guard case .comparison(let comparison) = term else { return nil }
    return comparison.right
  }

  /// Whether this compares one property with one constant, or several, that are one argument of its shape.
  fileprivate var comparesWithOneArgument: Bool {
    guard case .comparison(let comparison) = self, case .property = comparison.left else {
      return false
    }
    return switch comparison.right {
    case .value(let value): !value.isNull && !value.isNaN
    case .list(let values):
      !values.isEmpty && (comparison.operation == .between || comparison.operation == .isIn)
    default: false
    }
  }
}
