import CadastreModel
import CadastrePredicate
import Foundation

extension FileTranslator {
  /// Returns the condition of a comparison.
  mutating func condition(_ comparison: BoundComparison) throws(UntranslatablePart) -> String {
    guard !comparison.options.contains(.diacriticInsensitive) else {
      throw refused("[d]", "it compares no text without its diacritics in the same way")
    }
    switch comparison.left {
    case .property(let path): return try condition(try operand(path), comparison, path)
    case .elements(let quantifier, let path):
      return try quantified(quantifier, path) { (translator, operand) throws(UntranslatablePart) in
        try translator.condition(operand, comparison, path)
      }
    default: throw refused(comparison.operation.rawValue, "its left side is not translated")
    }
  }

  private mutating func condition(
    _ left: Operand, _ comparison: BoundComparison, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    switch comparison.right {
    case .value(let value):
      return try condition(left, comparison.operation, value, comparison.options, path)
    case .list(let values): return try condition(left, comparison, values, path)
    case .property(let other):
      return try condition(left, comparison, try operand(other), path)
    default:
      throw refused("\(path) \(comparison.operation.rawValue)", "its right side is not translated")
    }
  }

  private mutating func condition(
    _ left: Operand, _ comparison: BoundComparison, _ values: [Value], _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    if comparison.operation == .between, values.count == 2 {
      let lower = try condition(left, .greaterOrEqual, values[0], [], path)
      return "(\(lower) AND \(try condition(left, .lessOrEqual, values[1], [], path)))"
    }
    guard comparison.operation == .isIn else { throw refused(path, "it is compared with a list") }
    var conditions: [String] = []
    for value in values {
      conditions.append(try condition(left, .equal, value, comparison.options, path))
    }
    return conditions.isEmpty ? "false" : "(" + conditions.joined(separator: " OR ") + ")"
  }

  /// Returns the condition that compares two columns.
  private func condition(
    _ left: Operand, _ comparison: BoundComparison, _ right: Operand, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    let operation = comparison.operation
    guard comparison.options.isEmpty, left.type == right.type, [.int, .bool].contains(left.type),
      !operation.isSubstring, !operation.takesPattern
    else { throw refused(path, "only whole numbers and booleans of two properties are compared") }
    switch operation {
    case .equal: return "(\(left.text) IS NOT DISTINCT FROM \(right.text))"
    case .notEqual: return "(\(left.text) IS DISTINCT FROM \(right.text))"
    case .lessOrEqual, .greaterOrEqual:
      return "(\(left.text) \(operation.rawValue) \(right.text) "
        + "OR (\(left.text) IS NULL AND \(right.text) IS NULL))"
    default: return "(\(left.text) \(operation.rawValue) \(right.text))"
    }
  }

  // MARK: Constants

  /// Returns the condition that compares a column with a constant.
  private mutating func condition(
    _ left: Operand, _ operation: ComparisonOperator, _ value: Value, _ options: StringOptions,
    _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    let column = left.text
    if left.type == .string { return try text(column, operation, value, options, path) }
    guard options.isEmpty else { throw refused("[c]", "it is translated for strings only") }
    guard !operation.isSubstring, !operation.takesPattern else {
      throw refused("\(path) \(operation.rawValue)", "it is translated for strings only")
    }
    if value.isNull {
      return switch operation {
      case .equal, .lessOrEqual, .greaterOrEqual: "(\(column) IS NULL)"
      case .notEqual: "(\(column) IS NOT NULL)"
      default: "false"
      }
    }
    if left.type.isNumeric { return try number(column, left.type, operation, value, path) }
    switch (left.type, value) {
    case (.bool, .bool(let value)):
      return "(" + SQLTranslator.compared(column, operation, value ? "true" : "false") + ")"
    case (.date, .date(let date)): return try self.date(column, operation, date, path)
    case (.UUID, .uuid(let uuid)) where operation == .equal || operation == .notEqual:
      return "(" + SQLTranslator.compared(column, operation, literal(uuid)) + ")"
    default:
      throw refused(
        "\(path) \(operation.rawValue)", "values of type '\(left.type)' are not compared so")
    }
  }

  private func literal(_ uuid: UUID) -> String {
    guard dialect == .sedona else { return "CAST('\(uuid.uuidString.lowercased())' AS UUID)" }
    let digits = uuid.uuidString.lowercased().replacing("-", with: "")
    return "arrow_cast(X'\(digits)', 'FixedSizeBinary(16)')"
  }

  /// Returns the condition that compares a column of dates, in microseconds, with a date.
  private mutating func date(
    _ column: String, _ operation: ComparisonOperator, _ date: Timestamp, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    note("Dates of the file are truncated to microseconds.")
    let (product, overflows) = date.seconds.multipliedReportingOverflow(by: 1_000_000)
    let (microseconds, exceeds) =
      product.addingReportingOverflow(Int64(date.nanoseconds) / 1000)
    guard !overflows, !exceeds else {
      throw refused(path, "the date is outside of the range of timestamps in microseconds")
    }
    let literal =
      dialect == .sedona
      ? "arrow_cast(\(Self.literal(microseconds)), 'Timestamp(Microsecond, Some(\"UTC\"))')"
      : "make_timestamptz(\(Self.literal(microseconds)))"
    guard date.nanoseconds % 1000 != 0 else {
      return "(" + SQLTranslator.compared(column, operation, literal) + ")"
    }
    return switch operation {
    case .equal: "false"
    case .notEqual: "true"
    case .less, .lessOrEqual: "(\(column) <= \(literal))"
    default: "(\(column) > \(literal))"
    }
  }

  // MARK: Numbers

  /// Returns the condition that compares a column of numbers with a constant.
  private func number(
    _ column: String, _ type: PropertyType, _ operation: ComparisonOperator, _ value: Value,
    _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    if value.doubleValue?.isNaN == true { return operation == .notEqual ? "true" : "false" }
    switch (type, value) {
    case (.int, .int(let number)):
      return "(" + SQLTranslator.compared(column, operation, Self.literal(number)) + ")"
    case (.int, .float), (.int, .double):
      return bounded(column, operation, NumericBound<Int64>(value.doubleValue ?? 0), nil) {
        SQLTranslator.compared(column, $0, Self.literal($1))
      }
    case (.float, .int(let number)), (.double, .int(let number)):
      return floating(column, operation, NumericBound<Double>(value, near: Double(number)))
    case (.float, .float), (.float, .double), (.double, .float), (.double, .double):
      return floating(column, operation, .exact(value.doubleValue ?? 0))
    default: throw refused(path, "it is compared with a value of another type")
    }
  }

  private func floating(
    _ column: String, _ operation: ComparisonOperator, _ bound: NumericBound<Double>
  ) -> String {
    bounded(column, operation, bound, "NOT isnan(\(column))") { operation, number in
      guard number == 0 else {
        return SQLTranslator.compared(column, operation, Self.literal(number))
      }
      // SedonaDB orders -0.0 before 0.0.
      let isZero = "\(column) BETWEEN \(Self.literal(-0.0)) AND \(Self.literal(0.0))"
      return switch operation {
      case .equal: isZero
      case .notEqual: SQLTranslator.not(isZero)
      case .less, .greaterOrEqual: "\(column) \(operation.rawValue) \(Self.literal(-0.0))"
      default: "\(column) \(operation.rawValue) \(Self.literal(0.0))"
      }
    }
  }

  /// Returns the condition of a comparison with a number between the values of the column's type.
  ///
  /// `isNumber` is the condition that a value has an order, nil if every value has one; `compared` returns the
  /// comparison with a number of the column's type.
  private func bounded<Number>(
    _ column: String, _ operation: ComparisonOperator, _ bound: NumericBound<Number>,
    _ isNumber: String?, _ compared: (ComparisonOperator, Number) -> String
  ) -> String {
    func ordered(_ operation: ComparisonOperator, _ number: Number) -> String {
      "(\(compared(operation, number))\(isNumber.map { " AND \($0)" } ?? ""))"
    }
    switch (operation, bound) {
    case (.equal, .exact(let number)), (.notEqual, .exact(let number)):
      return "(\(compared(operation, number)))"
    case (.equal, _): return "false"
    case (.notEqual, _): return "true"
    case (_, .exact(let number)): return ordered(operation, number)
    case (.less, .above(let number)), (.lessOrEqual, .above(let number)):
      return ordered(.lessOrEqual, number)
    case (_, .above(let number)): return ordered(.greater, number)
    case (.less, .aboveAll), (.lessOrEqual, .aboveAll), (.greater, .belowAll),
      (.greaterOrEqual, .belowAll):
      return "(\(column) IS NOT NULL\(isNumber.map { " AND \($0)" } ?? ""))"
    default: return "false"
    }
  }

  // MARK: Text

  /// Returns the condition that compares a column of text with a constant.
  private func text(
    _ column: String, _ operation: ComparisonOperator, _ value: Value, _ options: StringOptions,
    _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    guard !operation.takesPattern else {
      throw refused("\(path) \(operation.rawValue)", "it matches patterns by other rules")
    }
    guard case .string(let text) = value else {
      guard value.isNull else { throw refused(path, "it is compared with no text") }
      return switch operation {
      case .equal, .lessOrEqual, .like: "(\(column) IS NULL)"
      case .notEqual, .greater: "(\(column) IS NOT NULL)"
      case .greaterOrEqual: "true"
      default: "false"
      }
    }
    let folds = options.contains(.caseInsensitive)
    guard !folds || dialect == .duckdb else {
      throw refused("[c]", "SedonaDB replaces letters together with their combining marks")
    }
    let column = folds ? Self.folded(column) : column
    let folded = String(decoding: StringFolding.folded(text, options), as: UTF8.self)
    guard !folded.unicodeScalars.contains("\0") else {
      throw refused(path, "a literal cannot contain a null character")
    }
    let literal = Self.literal(folded)
    switch operation {
    case .less, .lessOrEqual:
      return "(\(column) \(operation.rawValue) \(literal) OR \(column) IS NULL)"
    case .equal, .notEqual, .greater, .greaterOrEqual:
      return "(" + SQLTranslator.compared(column, operation, literal) + ")"
    case .like:
      return "(\(column) LIKE \(Self.literal(SQLTranslator.likePattern(folded))) ESCAPE '\\')"
    case .beginsWith, .endsWith, .contains:
      guard !folded.isEmpty else { return "false" }
      let function =
        operation == .beginsWith ? "starts_with" : operation == .endsWith ? "ends_with" : "contains"
      return "\(function)(\(column), \(literal))"
    case .matches, .text, .isIn, .between:
      throw refused("\(path) \(operation.rawValue)", "it takes no single text")
    }
  }

  /// Returns a column of text with folded letters; DuckDB looks letters up in a table.
  private static func folded(_ column: String) -> String {
    let (upper, lower) = SQLTranslator.foldedLetters
    return "translate(\(column), '\(upper)', '\(lower)')"
  }
}
