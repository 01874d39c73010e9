import CadastreFormatting
import CadastreModel
import CadastrePredicate
import CadastreStore

/// A condition that pairs objects with equal values: `code == fips`, a field of the left class and one of the right
/// class.
///
/// Values are equal as those of groups, see `ValueKey`: numbers of different types if their values are. Null and NaN
/// equal nothing.
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

  /// Checks that values of the types of the two fields may be equal.
  ///
  /// - Parameters:
  ///   - first: The type of the left field.
  ///   - second: The type of the right field.
  /// - Throws: ``QueryPredicateError`` if they never are.
  func check(_ first: PropertyType, _ second: PropertyType) throws(QueryPredicateError) {
    guard first == second || first == .any || second == .any || first.isNumeric && second.isNumeric
    else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(left) == \(right)': \(articled(first)) never equals \(articled(second)); join fields of one type, "
          + "or import one of them with --types '\(right)=\(first)'")
    }
  }

  /// Returns the key by which equal values are found; nil for null and NaN.
  static func key(_ value: Value) -> ValueKey? {
    value.isNull || value.doubleValue?.isNaN == true ? nil : ValueKey(value)
  }

  /// Returns the name of the right class in conditions and in the names of columns: `other` if its own name is that of
  /// the left class or of one of its fields.
  static func rightName(_ left: ObjectSchema, _ right: String) -> String {
    left.className == right || left[right] != nil ? "other" : right
  }

  /// Returns the keys of objects by the values of a field.
  ///
  /// - Complexity: O(n) time and memory in the number of objects.
  static func table(_ query: StoreQuery, _ path: PropertyPath) throws -> [ValueKey: [Int64]] {
    var table: [ValueKey: [Int64]] = [:]
    for key in try query.keys() {
      guard let record = try query.record(key), let value = Self.key(record.value(at: path)) else {
        continue
      }
      table[value, default: []].append(key)
    }
    return table
  }
}
