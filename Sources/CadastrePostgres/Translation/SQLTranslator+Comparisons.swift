import CadastreModel
import CadastrePredicate

extension SQLTranslator {
  /// Returns the condition of a comparison.
  mutating func condition(_ comparison: BoundComparison) throws(UntranslatablePart) -> String {
    guard !comparison.options.contains(.diacriticInsensitive) else {
      throw refused("[d]", "PostgreSQL compares no text without its diacritics in the same way")
    }
    switch comparison.left {
    case .property(let path):
      if let elements = try elementwise(comparison, path) { return try condition(elements) }
      return try condition(try operand(path), comparison, path)
    case .elements(let quantifier, let path):
      return try quantified(quantifier, path) { (translator, operand) throws(UntranslatablePart) in
        try translator.condition(operand, comparison, path)
      }
    case .subquery(let subquery):
      let count = SQLOperand(
        kind: .value(.int), text: try count(subquery), isBehindNull: nil, location: nil)
      return try condition(count, comparison, subquery.collection)
    case .aggregate(let aggregate):
      return try condition(try extreme(aggregate), comparison, aggregate.collection)
    case .value, .list, .constants, .object, .objects, .pattern, .outer, .arithmetic, .distance:
      throw refused(comparison.operation.rawValue, "its left side is not translated yet")
    }
  }

  /// Returns the condition that compares one value with the right side of a comparison.
  private mutating func condition(
    _ left: SQLOperand, _ comparison: BoundComparison, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    switch comparison.right {
    case .property(let other):
      return try condition(left, comparison, try operand(other), path)
    case .value(let value): return try condition(left, comparison, value, path)
    case .list(let values): return try condition(left, comparison, values, path)
    case .object(let reference): return try condition(left, comparison, reference, path)
    case .constants(let quantifier, let values):
      var conditions: [String] = []
      for value in values { conditions.append(try condition(left, comparison, value, path)) }
      if quantifier == .all {
        return conditions.isEmpty ? "true" : "(" + conditions.joined(separator: " AND ") + ")"
      }
      let isAny =
        conditions.isEmpty ? "false" : "(" + conditions.joined(separator: " OR ") + ")"
      return quantifier == .any ? isAny : Self.not(isAny)
    case .objects(let references):
      var equal = comparison
      equal.operation = .equal
      var conditions: [String] = []
      for reference in references {
        conditions.append(try condition(left, equal, reference, path))
      }
      return conditions.isEmpty ? "false" : "(" + conditions.joined(separator: " OR ") + ")"
    case .elements, .pattern, .aggregate, .subquery, .outer, .arithmetic, .distance:
      throw refused(
        "\(path) \(comparison.operation.rawValue)", "its right side is not translated yet")
    }
  }

  // MARK: Constants

  private mutating func condition(
    _ left: SQLOperand, _ comparison: BoundComparison, _ value: Value, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    switch (left.kind, value) {
    case (.link, .null), (.embedded, .null):
      return comparison.operation == .equal ? "\(left.text) IS NULL" : "\(left.text) IS NOT NULL"
    case (.value(let type), _):
      return try condition(
        left.text, type, comparison.operation, value, comparison.options, path)
    default: throw refused(path, "it is compared with a value of another kind")
    }
  }

  private mutating func condition(
    _ left: SQLOperand, _ comparison: BoundComparison, _ values: [Value], _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    if left.kind == .coordinates { return coordinates(left.text, comparison, values) }
    guard case .value(let type) = left.kind else {
      throw refused(path, "it is compared with a list")
    }
    if comparison.operation == .between, values.count == 2 {
      let lower = try condition(left.text, type, .greaterOrEqual, values[0], [], path)
      return "(\(lower) AND \(try condition(left.text, type, .lessOrEqual, values[1], [], path)))"
    }
    guard comparison.operation == .isIn else { throw refused(path, "it is compared with a list") }
    var conditions: [String] = []
    for value in values {
      conditions.append(
        try condition(left.text, type, .equal, value, comparison.options, path))
    }
    return conditions.isEmpty ? "false" : "(" + conditions.joined(separator: " OR ") + ")"
  }

  /// Returns the condition that the coordinates of a point equal some numbers; behind null, coordinates are empty.
  private mutating func coordinates(
    _ column: String, _ comparison: BoundComparison, _ values: [Value]
  ) -> String {
    // An integer equals a coordinate only if a double can represent it.
    let numbers = values.compactMap { value -> Double? in
      guard let number = value.doubleValue, value.numericOrdering(.double(number)) == .same,
        !number.isNaN
      else { return nil }
      return number
    }
    var isEqual = "false"
    if numbers.count == values.count {
      let array = parameter(.array(.float8, numbers.map(PostgresValue.float8)))
      isEqual = "coalesce(\(column), '{}'::float8[]) = \(array)"
    }
    return comparison.operation == .equal ? "(\(isEqual))" : Self.not(isEqual)
  }

  private mutating func condition(
    _ left: SQLOperand, _ comparison: BoundComparison, _ reference: ObjectReference,
    _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    guard case .link(let className) = left.kind else {
      throw refused(path, "an embedded object is compared with an object")
    }
    var isEqual = "false"
    switch reference.identity {
    case .key(let key): isEqual = "\(left.text) = " + parameter(.int8(key.rawValue))
    case .unmanaged: break
    case .embedded: throw refused(path, "a link is compared with an embedded object")
    case .primaryKey(let value):
      guard let property = schema[className]?.primaryKeyProperty else {
        throw refused(path, "the class \"\(className)\" has no primary key")
      }
      let keyed = try condition(
        Self.column("k", property.columnName), property.type, .equal, value, [], path)
      isEqual =
        "\(left.text) = (SELECT k.\"\(ColumnNaming.key)\" FROM \(names.table(className)) k "
        + "WHERE \(keyed))"
    }
    return comparison.operation == .equal ? "(\(isEqual))" : Self.not(isEqual)
  }

  /// Returns the condition that compares a column of a type with a constant.
  private mutating func condition(
    _ column: String, _ type: PropertyType, _ operation: ComparisonOperator, _ value: Value,
    _ options: StringOptions, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    if type == .string { return try text(column, operation, value, options, path) }
    guard options.isEmpty else { throw refused("[c]", "it is translated for strings only") }
    if operation.isSubstring { return try bytes(column, operation, value, path) }
    if value.isNull {
      return switch operation {
      case .equal, .lessOrEqual, .greaterOrEqual: "\(column) IS NULL"
      case .notEqual: "\(column) IS NOT NULL"
      default: "false"
      }
    }
    if type.isNumeric { return try number(column, type, operation, value, path) }
    guard type == value.type, type != .geometry else {
      throw refused(path, "it is compared with a value of another type")
    }
    if case .date(let date) = value {
      let seconds = parameter(.int8(date.seconds))
      return Self.compared(column, operation, "(\(seconds), \(parameter(.int4(date.nanoseconds))))")
    }
    return Self.compared(column, operation, parameter(PostgresValue(value)))
  }

  /// Returns the comparison of two SQL expressions with equal order in SQL and in the predicate language.
  static func compared(
    _ left: String, _ operation: ComparisonOperator, _ right: String
  ) -> String {
    switch operation {
    case .equal: "\(left) = \(right)"
    case .notEqual: "(\(left) IS DISTINCT FROM \(right))"
    default: "\(left) \(operation.rawValue) \(right)"
    }
  }

  /// Returns the condition of a substring operator on binary data.
  private mutating func bytes(
    _ column: String, _ operation: ComparisonOperator, _ value: Value, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    guard operation != .like, !operation.takesPattern else {
      throw refused("\(path) \(operation.rawValue)", "it is translated for strings only")
    }
    guard case .data(let data) = value, !data.isEmpty else { return "false" }
    return Self.substring(column, operation, parameter(.bytea(data)), isText: false)
  }

  // MARK: Two columns

  private mutating func condition(
    _ left: SQLOperand, _ comparison: BoundComparison, _ right: SQLOperand, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    let operation = comparison.operation
    switch (left.kind, right.kind) {
    case (.link, .link):
      return operation == .equal
        ? "(\(left.text) IS NOT DISTINCT FROM \(right.text))"
        : "(\(left.text) IS DISTINCT FROM \(right.text))"
    case (.value(let first), .value(let second)):
      guard first != .geometry, second != .geometry else {
        throw refused(path, "geometries are not compared yet")
      }
      if first.isNumeric, second.isNumeric {
        return try numbers(left.text, first, operation, right.text, second, path)
      }
      guard first == second else { throw refused(path, "its sides have different types") }
      return try columns(left.text, operation, right.text, first, comparison.options, path)
    default: throw refused(path, "its sides are of different kinds")
    }
  }

  /// Returns the condition that compares two columns of the same non-numeric type.
  private func columns(
    _ left: String, _ operation: ComparisonOperator, _ right: String, _ type: PropertyType,
    _ options: StringOptions, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    let isText = type == .string
    guard options.isEmpty || isText else {
      throw refused("[c]", "it is translated for strings only")
    }
    let folds = options.contains(.caseInsensitive)
    let (left, right) = folds ? (Self.folded(left), Self.folded(right)) : (left, right)
    switch operation {
    case .equal: return "(\(left) IS NOT DISTINCT FROM \(right))"
    case .notEqual: return "(\(left) IS DISTINCT FROM \(right))"
    case .beginsWith, .endsWith, .contains:
      let empty = isText ? "''" : "'\\x'::bytea"
      return
        "(\(Self.substring(left, operation, right, isText: isText)) AND \(right) <> \(empty))"
    case .less where isText:
      return "(\(left) < \(right) OR (\(left) IS NULL AND \(right) IS NOT NULL))"
    case .lessOrEqual where isText: return "(\(left) <= \(right) OR \(left) IS NULL)"
    case .greater where isText:
      return "(\(left) > \(right) OR (\(right) IS NULL AND \(left) IS NOT NULL))"
    case .greaterOrEqual where isText: return "(\(left) >= \(right) OR \(right) IS NULL)"
    case .less, .greater: return "\(left) \(operation.rawValue) \(right)"
    case .lessOrEqual, .greaterOrEqual:
      return
        "(\(left) \(operation.rawValue) \(right) OR (\(left) IS NULL AND \(right) IS NULL))"
    case .like, .matches, .text, .isIn, .between:
      throw refused("\(path) \(operation.rawValue)", "its right side is a property")
    }
  }
}
