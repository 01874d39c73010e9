import CadastreModel
import CadastrePredicate
import CadastreStore

/// The comparison of a column of one row with an argument.
///
/// A query for a few rows tests them one by one and needs no batch. Each comparison has the result of the filter that
/// `FilterCompiler` makes of it.
struct RowTest: Sendable {
  /// The index of the column in the row.
  let column: Int
  /// The type of the column.
  let type: PropertyType
  /// The operator.
  let operation: ComparisonOperator
  /// The index of the comparison among the terms of the conjunction.
  let term: Int

  /// Creates the test of a comparison; nil for comparisons that need a filter.
  ///
  /// - Parameters:
  ///   - comparison: The comparison.
  ///   - column: The index of the column in the row.
  ///   - type: The type of the column.
  ///   - term: The index of the comparison among the terms of the conjunction.
  init?(_ comparison: BoundComparison, column: Int, type: PropertyType, term: Int) {
    guard comparison.options.isEmpty else { return nil }
    switch type {
    case .int, .bool, .float, .double, .date, .string, .data, .objectId, .UUID: break
    case .geometry, .decimal128, .any, .object, .linkingObjects: return nil
    }
    switch comparison.operation {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: break
    case .beginsWith, .endsWith, .contains, .like, .matches, .text, .isIn, .between: return nil
    }
    self.column = column
    self.type = type
    operation = comparison.operation
    self.term = term
  }

  /// Returns whether a value is of the types with which the test compares.
  static func compares(_ type: PropertyType, with value: Value) -> Bool {
    switch (type, value) {
    case (.int, .int), (.bool, .bool), (.date, .date), (.string, .string), (.data, .data),
      (.objectId, .objectId), (.UUID, .uuid), (.float, .int), (.double, .int):
      true
    case (.int, .double), (.float, .double), (.double, .double), (.int, .float), (.float, .float),
      (.double, .float):
      !value.isNaN
    default: false
    }
  }

  /// Returns whether a row passes the test.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - value: The argument, of a type that is compared, see ``compares(_:with:)``.
  /// - Returns: Whether the comparison holds.
  func passes(_ row: IndexRows, _ value: Value) -> Bool {
    operation == .notEqual ? !holds(row, .equal, value) : holds(row, operation, value)
  }

  private func holds(_ row: IndexRows, _ operation: ComparisonOperator, _ value: Value) -> Bool {
    switch type {
    case .int, .bool:
      guard let number = row.integer(column) else { return false }
      let value = if case .bool(let flag) = value { Value.int(flag ? 1 : 0) } else { value }
      return Interval<Int64>.holding(operation, value)?.contains(number) == true
    case .double, .float:
      let number = type == .double ? row.double(column) : row.float(column).map(Double.init)
      guard let number else { return false }
      return Interval<Double>.holding(operation, value)?.contains(number) == true
    case .date:
      guard let timestamp = row.timestamp(column) else { return false }
      return Interval<Timestamp>.holding(operation, value)?.contains(timestamp) == true
    case .string:
      // Among strings null sorts first.
      return row.withText(column) { Self.passes($0, operation, value) }
        ?? (operation == .less || operation == .lessOrEqual)
    case .data, .objectId, .UUID:
      return row.withBytes(column) { Self.passes($0, operation, value) } ?? false
    case .geometry, .decimal128, .any, .object, .linkingObjects: return false
    }
  }

  private static func passes(
    _ bytes: UnsafeBufferPointer<UInt8>, _ operation: ComparisonOperator, _ value: Value
  ) -> Bool {
    value.comparableBytes([]).flatMap { BytesTest(operation, $0) }?.passes(bytes) == true
  }
}
