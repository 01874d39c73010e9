import CadastreModel
import CadastrePredicate
import CadastreStore

/// A compiled query for a few rows, which one statement executes: it searches an ordered index and reads the columns
/// that the other conditions test.
///
/// A program is immutable and shared by all queries of a shape. Arguments are the values of a run.
package final class LookupProgram: Sendable {
  private let query: IndexRowQuery
  /// The comparison that the index decides.
  private let operation: ComparisonOperator
  /// The type of the indexed column.
  private let type: PropertyType
  /// The index of the argument of that comparison.
  private let argument: Int
  /// The tests of the other conditions, the cheapest first.
  private let tests: [RowTest]

  /// The greatest number of rows that a run reads; a plan is made for the arguments of others.
  private static let mostRows = 64

  /// Compiles a plan; nil for a plan that needs more than one statement, or filters over batches.
  ///
  /// - Parameters:
  ///   - terms: The terms of the conjunction.
  ///   - decided: The index of the term that an ordered index decides.
  ///   - filters: The indexes of the other terms, in the order in which they are tested.
  ///   - index: The ordered index.
  ///   - layout: The layout of the class.
  ///   - catalogue: The classes.
  init?(
    _ terms: [BoundPredicate], decided: Int, filters: [Int], _ index: IndexReference,
    _ layout: TableLayout, _ catalogue: Catalogue
  ) {
    // Each term has one argument, so that the index of the term is that of the argument.
    guard filters.count == terms.count - 1, terms.allSatisfy(\.comparesWithOneArgument),
      case .comparison(let comparison) = terms[decided], comparison.options.isEmpty,
      case let valueIndex = layout.valueIndexes[index.position], !valueIndex.isLink,
      case let type = layout.columns[valueIndex.column].type,
      Self.isSearchable(type, comparison.operation)
    else { return nil }
    var request = ColumnRequest(layout, catalogue)
    var tests: [RowTest] = []
    for term in filters {
      guard case .comparison(let comparison) = terms[term], let own = terms[term].ownComparison,
        case .value(let slot)? = try? request.leaf(own.properties).leaf,
        case let column = request.columns[slot], column.hops.isEmpty,
        let test = RowTest(comparison, column: slot, type: column.type, argument: term)
      else { return nil }
      tests.append(test)
    }
    // A column of any type takes two columns of the row.
    guard request.columns.allSatisfy({ $0.hops.isEmpty && $0.type != .any }) else { return nil }
    query = IndexRowQuery(valueIndex, layout, columns: request.columns.map(\.column))
    operation = comparison.operation
    self.type = type
    argument = decided
    self.tests = tests
  }

  /// Returns whether one range of the index has exactly the rows that a comparison with an argument matches.
  private static func isSearchable(_ type: PropertyType, _ operation: ComparisonOperator) -> Bool {
    switch type {
    case .int, .bool, .objectId, .UUID: operation == .equal || operation.isOrdered
    // Null sorts before all strings, and is in a range of its own.
    case .string: operation == .equal
    // SQLite has some of these values apart from the others, or has no index of them.
    case .float, .double, .date, .data, .decimal128, .geometry, .any, .object, .linkingObjects:
      false
    }
  }

  /// Returns the keys of the matching rows, ascending, and the number of rows that were read.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - reader: The snapshot or the transaction.
  /// - Returns: Nil where an argument has another type than the program compares with, or where many rows would be
  ///   read.
  /// - Throws: ``StoreError`` when reading fails.
  func keys(
    _ arguments: [BoundOperand], _ reader: any StoreReader
  ) throws(StoreError) -> (keys: [Int64], rowsRead: Int)? {
    for test in tests {
      guard case .value(let value) = arguments[test.argument],
        RowTest.compares(test.type, with: value)
      else { return nil }
    }
    guard let rows = try rows(arguments[argument], reader) else { return nil }
    var keys: [Int64] = []
    var rowsRead = 0
    while try rows.next() {
      rowsRead += 1
      guard rowsRead <= Self.mostRows else {
        rows.end()
        return nil
      }
      if passes(rows, arguments) { keys.append(rows.key) }
    }
    if keys.count > 1, operation != .equal { keys.sort() }
    return (keys, rowsRead)
  }

  private func passes(_ row: IndexRows, _ arguments: [BoundOperand]) -> Bool {
    for test in tests {
      guard case .value(let value) = arguments[test.argument], test.passes(row, value) else {
        return false
      }
    }
    return true
  }

  /// The rows that the index yields; nil where an argument has another type than the index is searched for.
  private func rows(
    _ argument: BoundOperand, _ reader: any StoreReader
  ) throws(StoreError) -> IndexRows? {
    switch argument {
    case .value(let value):
      guard RowTest.compares(type, with: value) else { return nil }
      if operation == .equal { return try query.rows(equalTo: value, reader) }
      guard let range = Self.range(operation, value) else { return nil }
      return try query.rows(in: range, reader)
    case .list(let bounds):
      guard bounds.count == 2, bounds.allSatisfy({ RowTest.compares(type, with: $0) }) else {
        return nil
      }
      return try query.rows(
        in: ValueRange(
          lower: ValueRange.Bound(bounds[0], isIncluded: true),
          upper: ValueRange.Bound(bounds[1], isIncluded: true)), reader)
    default: return nil
    }
  }

  /// The range of the values that compare with a value, for types whose nulls match no ordered comparison.
  private static func range(_ operation: ComparisonOperator, _ value: Value) -> ValueRange? {
    let included = ValueRange.Bound(value, isIncluded: true)
    let excluded = ValueRange.Bound(value, isIncluded: false)
    return switch operation {
    case .less: ValueRange(upper: excluded)
    case .lessOrEqual: ValueRange(upper: included)
    case .greater: ValueRange(lower: excluded)
    case .greaterOrEqual: ValueRange(lower: included)
    default: nil
    }
  }
}

extension BoundPredicate {
  /// Whether this compares one property with one constant that is an argument of its shape, or with two bounds.
  fileprivate var comparesWithOneArgument: Bool {
    guard case .comparison(let comparison) = self, case .property = comparison.left else {
      return false
    }
    return switch comparison.right {
    case .value(let value): !value.isNull && !value.isNaN
    case .list: comparison.operation == .between
    default: false
    }
  }
}
