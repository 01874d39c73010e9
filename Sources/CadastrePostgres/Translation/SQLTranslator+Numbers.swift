import CadastreModel
import CadastrePredicate

/// Comparisons of numbers by their exact values.
///
/// PostgreSQL converts an `int8` to `float8` for a comparison, which rounds beyond 2^53. It orders NaN above all other
/// numbers and equal to itself.
extension SQLTranslator {
  /// Returns the condition that compares a column with a constant number.
  mutating func number(
    _ column: String, _ type: PropertyType, _ operation: ComparisonOperator, _ value: Value,
    _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    if value.doubleValue?.isNaN == true { return operation == .notEqual ? "true" : "false" }
    switch (type, value) {
    case (.decimal128, .decimal(let decimal)):
      return self.decimal(column, operation, decimal)
    case (.int, .int(let number)):
      return Self.compared(column, operation, parameter(.int8(number)))
    case (.int, .float), (.int, .double):
      let bound = NumericBound<Int64>(value.doubleValue ?? 0)
      return bounded(column, operation, bound, isFloating: false) { .int8($0) }
    case (.int, .decimal(let decimal)) where decimal.isFinite:
      return Self.compared(
        "\(column)::numeric", operation, parameter(PostgresValue(.decimal(decimal))))
    case (.float, .float), (.float, .double), (.double, .float), (.double, .double):
      return bounded(column, operation, .exact(value.doubleValue ?? 0), isFloating: true) {
        .float8($0)
      }
    case (.float, .int(let number)), (.double, .int(let number)):
      return bounded(
        column, operation, NumericBound<Double>(value, near: Double(number)), isFloating: true
      ) { .float8($0) }
    case (.float, .decimal(let decimal)) where decimal.isNaN && operation.isEquality,
      (.double, .decimal(let decimal)) where decimal.isNaN && operation.isEquality:
      return operation == .notEqual ? "true" : "false"
    case (.float, .decimal(let decimal)), (.double, .decimal(let decimal)):
      guard !decimal.isNaN, let near = Double(decimal.exactText) else {
        throw refused(path, "a floating-point number is compared with a decimal NaN")
      }
      return bounded(
        column, operation, NumericBound<Double>(value, near: near), isFloating: true
      ) { .float8($0) }
    default: throw refused(path, "it is compared with a value of another type")
    }
  }

  private mutating func bounded<Number>(
    _ column: String, _ operation: ComparisonOperator, _ bound: NumericBound<Number>,
    isFloating: Bool, _ value: (Number) -> PostgresValue
  ) -> String {
    // NaN is greater than all numbers in PostgreSQL and unordered in the predicate language.
    let isNumber = isFloating ? "\(column) <> 'NaN'" : "\(column) IS NOT NULL"
    func above(_ condition: String) -> String {
      isFloating ? "(\(condition) AND \(isNumber))" : condition
    }
    switch (operation, bound) {
    case (.equal, .exact(let number)), (.notEqual, .exact(let number)),
      (.less, .exact(let number)), (.lessOrEqual, .exact(let number)):
      return Self.compared(column, operation, parameter(value(number)))
    case (.greater, .exact(let number)), (.greaterOrEqual, .exact(let number)):
      return above(Self.compared(column, operation, parameter(value(number))))
    case (.equal, _): return "false"
    case (.notEqual, _): return "true"
    case (.less, .above(let number)), (.lessOrEqual, .above(let number)):
      return "\(column) <= \(parameter(value(number)))"
    case (_, .above(let number)): return above("\(column) > \(parameter(value(number)))")
    case (.less, .aboveAll), (.lessOrEqual, .aboveAll): return isNumber
    case (.greater, .belowAll), (.greaterOrEqual, .belowAll): return isNumber
    default: return "false"
    }
  }

  /// Returns the condition that compares a decimal column with a constant.
  ///
  /// NaN equals itself, and is less than all other decimals.
  private mutating func decimal(
    _ column: String, _ operation: ComparisonOperator, _ value: Decimal128
  ) -> String {
    if value.isNaN {
      return switch operation {
      case .equal, .lessOrEqual: "\(column) = 'NaN'"
      case .notEqual: "(\(column) IS DISTINCT FROM 'NaN')"
      case .greater: "\(column) <> 'NaN'"
      case .greaterOrEqual: "\(column) IS NOT NULL"
      default: "false"
      }
    }
    let condition = Self.compared(column, operation, parameter(PostgresValue(.decimal(value))))
    return switch operation {
    case .less, .lessOrEqual: "(\(condition) OR \(column) = 'NaN')"
    case .greater, .greaterOrEqual: "(\(condition) AND \(column) <> 'NaN')"
    default: condition
    }
  }

  // MARK: Two columns

  /// Returns the condition that compares two columns of numbers; NaN equals NaN.
  func numbers(
    _ left: String, _ leftType: PropertyType, _ operation: ComparisonOperator, _ right: String,
    _ rightType: PropertyType, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    switch (leftType, rightType) {
    case (.int, .int), (.float, .float), (.float, .double), (.double, .float), (.double, .double):
      return Self.sameKind(left, operation, right, isFloating: leftType != .int)
    case (.int, .float), (.int, .double):
      return Self.mixed(left, right, operation)
    case (.float, .int), (.double, .int):
      return Self.mixed(right, left, operation.mirrored ?? operation)
    default: throw refused(path, "a decimal is compared with another property")
    }
  }

  private static func sameKind(
    _ left: String, _ operation: ComparisonOperator, _ right: String, isFloating: Bool
  ) -> String {
    switch operation {
    case .equal: return "(\(left) IS NOT DISTINCT FROM \(right))"
    case .notEqual: return "(\(left) IS DISTINCT FROM \(right))"
    default: break
    }
    var condition = "\(left) \(operation.rawValue) \(right)"
    if isFloating { condition += " AND \(left) <> 'NaN' AND \(right) <> 'NaN'" }
    return operation == .lessOrEqual || operation == .greaterOrEqual
      ? "((\(condition)) OR (\(left) IS NULL AND \(right) IS NULL))" : "(\(condition))"
  }

  /// Returns the condition that compares an integer column with a floating-point column.
  private static func mixed(
    _ integer: String, _ floating: String, _ operation: ComparisonOperator
  ) -> String {
    let floor = "floor(\(floating)::float8)"
    let order =
      "(CASE WHEN \(floating) = 'NaN' THEN NULL "
      + "WHEN \(floating) >= '9223372036854775808'::float8 THEN -1 "
      + "WHEN \(floating) < '-9223372036854775808'::float8 THEN 1 "
      + "WHEN \(integer) < \(floor)::int8 THEN -1 WHEN \(integer) > \(floor)::int8 THEN 1 "
      + "WHEN \(floating) > \(floor) THEN -1 WHEN \(floating) = \(floor) THEN 0 END)"
    // CASE skips comparisons with null, so that null must be tested first.
    let isPresent = "(\(integer) IS NOT NULL AND \(floating) IS NOT NULL"
    let areNull = "(\(integer) IS NULL AND \(floating) IS NULL)"
    let isEqual = "(\(isPresent) AND \(order) = 0) OR \(areNull))"
    switch operation {
    case .equal: return isEqual
    case .notEqual: return not(isEqual)
    case .lessOrEqual, .greaterOrEqual:
      return "(\(isPresent) AND \(order) \(operation.rawValue) 0) OR \(areNull))"
    default: return "\(isPresent) AND \(order) \(operation.rawValue) 0)"
    }
  }
}
