import CadastreFormatting
import CadastreModel
import CadastrePredicate
import CadastreStore

/// A condition that pairs objects with equal values: `code == fips`, a field of the left class and one of the right
/// class.
///
/// Numbers of different types are equal if their values are; null equals nothing.
struct AttributeJoin {
  /// The field of the left class.
  let left: PropertyPath
  /// The field of the right class.
  let right: PropertyPath

  /// Reads a condition; nil if the text is no comparison of two fields by `==`.
  ///
  /// - Parameters:
  ///   - text: The condition.
  ///   - rightName: The name of the right class, which may precede its field.
  /// - Throws: ``QueryPredicateError`` for options of the comparison.
  init?(_ text: String, rightName: String) throws(QueryPredicateError) {
    guard let predicate = try? QueryPredicate(parsing: text, arguments: []),
      case .comparison(let comparison) = predicate, comparison.operation == .equal,
      case .property(let first) = comparison.left, case .property(let second) = comparison.right
    else { return nil }
    guard comparison.options.isEmpty else {
      throw QueryPredicateError(
        .invalidQuery, "'\(printable(text))': a join compares values exactly; leave the option out")
    }
    func isPrefixed(_ path: PropertyPath) -> Bool {
      path.names.count > 1 && path.names[0] == rightName
    }
    let isReversed = isPrefixed(first) && !isPrefixed(second)
    let (left, right) = isReversed ? (second, first) : (first, second)
    self.left = left
    self.right = isPrefixed(right) ? PropertyPath(Array(right.names.dropFirst())) : right
  }

  /// Returns a value by which equal values are found; nil for null.
  static func key(_ value: Value) -> Value? {
    switch value {
    case .null: nil
    case .int(let number): Double(exactly: number).map(Value.double) ?? value
    case .float(let number): .double(Double(number) + 0)
    case .double(let number): .double(number + 0)
    case .decimal: value.doubleValue.map(Value.double) ?? value
    default: value
    }
  }

  /// Returns the keys of objects by the values of a field.
  ///
  /// - Complexity: O(n) time and memory in the number of objects.
  static func table(_ query: StoreQuery, _ path: PropertyPath) throws -> [Value: [Int64]] {
    _ = try query.valueType(at: path, for: "join")
    var table: [Value: [Int64]] = [:]
    for key in try query.keys() {
      guard let record = try query.record(key), let value = Self.key(record.value(at: path)) else {
        continue
      }
      table[value, default: []].append(key)
    }
    return table
  }
}
