import CadastreGeometry
import CadastreModel
import Foundation

/// Checks operators and converts constants for the operand on the other side.
extension Binder {
  func check(
    _ operation: ComparisonOperator, _ options: StringOptions, against comparand: Comparand
  ) throws(QueryPredicateError) {
    let fits =
      if operation.takesPattern {
        comparand.type == .string || comparand.type == .any
      } else if operation.isSubstring {
        comparand.isText
      } else if operation.isOrdered {
        comparand.type != .object && comparand.type != .geometry
      } else {
        true
      }
    guard fits else {
      throw QueryPredicateError(
        .invalidQuery,
        "Operator '\(operation.rawValue)' not supported for type '\(comparand.typeDescription)' of "
          + "\(comparand.name)", span: comparand.span)
    }
    guard options.isEmpty || comparand.isText else {
      throw QueryPredicateError(
        .invalidQuery,
        "\(options.suffix) applies to strings, and \(comparand.quotedName) is of type "
          + "'\(comparand.typeDescription)'", span: comparand.span)
    }
    if operation == .like, options.contains(.diacriticInsensitive) {
      throw QueryPredicateError(
        .invalidQuery, "Operator 'LIKE' not supported with diacritic-insensitive modifier.",
        span: comparand.span)
    }
  }

  /// Refuses a single value where several are needed.
  func checkSingle(
    _ operation: ComparisonOperator, _ comparand: Comparand
  ) throws(QueryPredicateError) {
    guard operation == .isIn || operation == .between else { return }
    throw QueryPredicateError(
      .invalidQuery,
      "operator '\(operation.rawValue)' compares \(comparand.quotedName) with a list such as "
        + "{1, 2}, found a single value", span: comparand.span)
  }

  /// Objects compare with links to their class, embedded or not, and with values of any type.
  func check(
    _ operation: ComparisonOperator, _ reference: ObjectReference, against comparand: Comparand
  ) throws(QueryPredicateError) {
    guard operation.isEquality else {
      throw QueryPredicateError(
        .invalidQuery,
        "Operator '\(operation.rawValue)' not supported for objects, which have no order",
        span: comparand.span)
    }
    if comparand.type == .any { return }
    guard comparand.type == .object, comparand.className == reference.className else {
      throw QueryPredicateError(
        .invalidQuery,
        "Cannot compare an object of type '\(reference.className)' to \(comparand.name) of type "
          + "'\(comparand.typeDescription)'", span: comparand.span)
    }
    guard schema[reference.className] != nil else {
      throw QueryPredicateError(
        .invalidQuery, "Unknown object type '\(reference.className)'", span: comparand.span)
    }
  }

  // MARK: Several constants

  func fitted(
    _ values: [Value], to comparand: Comparand, _ operation: ComparisonOperator
  ) throws(QueryPredicateError) -> [Value] {
    var fitted: [Value] = []
    fitted.reserveCapacity(values.count)
    for value in values { fitted.append(try self.fitted(value, to: comparand, operation)) }
    return fitted
  }

  /// The two bounds of BETWEEN.
  func bounds(
    _ values: [Value], _ comparand: Comparand
  ) throws(QueryPredicateError) -> [Value] {
    guard values.count == 2 else {
      throw QueryPredicateError(
        .invalidQuery, "Operator 'BETWEEN' requires list with 2 elements, found \(values.count)",
        span: comparand.span)
    }
    for value in values where value.isNull { throw mismatch(value, comparand) }
    return try fitted(values, to: comparand, .between)
  }

  /// Throws for a null that is compared with a whole list of required elements.
  func checkNoNull(
    _ values: [Value], _ comparand: Comparand
  ) throws(QueryPredicateError) {
    guard !comparand.isNullable, comparand.type != .any else { return }
    for value in values where value.isNull { throw mismatch(value, comparand) }
  }

  // MARK: Single constants

  /// A constant as the property's type would hold it; numbers stay as they are, since numbers of
  /// all kinds compare by value.
  func fitted(
    _ value: Value, to comparand: Comparand, _ operation: ComparisonOperator
  ) throws(QueryPredicateError) -> Value {
    if operation.takesPattern { _ = try pattern(value, operation, comparand) }
    if comparand.type.takesUnchanged(value) { return value }
    switch (comparand.type, value) {
    case (.any, .list), (.any, .map):
      guard operation.isEquality || operation == .isIn else { throw mismatch(value, comparand) }
      return value
    case (.any, _): return value
    case (.object, .null) where !comparand.isNullable:
      throw QueryPredicateError(
        .invalidQuery,
        "Cannot compare \(comparand.name) of type '\(comparand.typeDescription)' with null: it holds "
          + "objects only", span: comparand.span)
    case (_, .null):
      // A substring may be null, and then matches nothing.
      guard comparand.isNullable || operation.isSubstring else { throw nullMismatch(comparand) }
      return value
    case (.bool, .int(let number)) where number == 0 || number == 1: return .bool(number == 1)
    case (.int, .float), (.int, .double), (.int, .decimal): return try finite(value, comparand)
    case (.decimal128, _):
      guard let decimal = Self.decimal(value) else { throw mismatch(value, comparand) }
      return .decimal(decimal)
    case (.UUID, .string(let text)):
      guard let uuid = UUID(uuidString: text) else { throw mismatch(value, comparand) }
      return .uuid(uuid)
    case (.geometry, .string(let text)):
      guard let geometry = Self.geometry(text) else { throw mismatch(value, comparand) }
      return .geometry(geometry)
    case (.date, .string(let text)):
      guard let date = DateText.timestamp(text) else { throw mismatch(value, comparand) }
      return .date(date)
    default: throw mismatch(value, comparand)
    }
  }

  /// A geometry as WKT or GeoJSON; nil for other texts.
  private static func geometry(_ text: String) -> Geometry? {
    (try? Geometry(wkt: text)) ?? (try? Geometry(geoJSON: text))
  }

  /// A number, or the text of one, as a decimal.
  private static func decimal(_ value: Value) -> Decimal128? {
    if case .string(let text) = value { Decimal128(parsing: text) } else { value.asDecimal }
  }

  /// A single constant on the right side, with patterns compiled.
  func constant(
    _ value: Value, _ comparand: Comparand, _ operation: ComparisonOperator,
    _ options: StringOptions
  ) throws(QueryPredicateError) -> BoundOperand {
    guard operation.takesPattern else {
      return .value(try fitted(value, to: comparand, operation))
    }
    return try pattern(value, operation, comparand, options)
  }

  /// The pattern of MATCHES or TEXT, compiled.
  private func pattern(
    _ value: Value, _ operation: ComparisonOperator, _ comparand: Comparand,
    _ options: StringOptions = []
  ) throws(QueryPredicateError) -> BoundOperand {
    guard case .string(let pattern) = value else { throw mismatch(value, comparand) }
    do {
      return operation == .text
        ? .pattern(.words(try TextPattern(pattern), text: pattern))
        : .pattern(.expression(try RegularExpression(pattern, options: options)))
    } catch let error as QueryPredicateError {
      throw QueryPredicateError(error.kind, error.message, span: comparand.span)
    } catch {
      throw QueryPredicateError(.invalidArgument, "\(error)", span: comparand.span)
    }
  }

  private func finite(
    _ value: Value, _ comparand: Comparand
  ) throws(QueryPredicateError) -> Value {
    guard Self.decimal(value)?.isFinite == true else {
      throw QueryPredicateError(
        .invalidQuery, "Infinity/NaN not supported for int \(comparand.name)",
        span: comparand.span)
    }
    return value
  }

  private func nullMismatch(_ comparand: Comparand) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery,
      "\(comparand.capitalizedName) of type '\(comparand.typeDescription)' is not optional and "
        + "cannot be compared with null", span: comparand.span)
  }

  func mismatch(_ value: Value, _ comparand: Comparand) -> QueryPredicateError {
    let literal = PredicateText.literal(value)
    let quoted = literal.hasPrefix("'") ? literal : "'\(literal)'"
    return QueryPredicateError(
      .invalidQuery,
      "Cannot compare value \(quoted) of type "
        + "'\(value.type?.description ?? "null")' to \(comparand.name) of type "
        + "'\(comparand.typeDescription)'", span: comparand.span)
  }
}

extension Comparand {
  fileprivate var capitalizedName: String { name.prefix(1).uppercased() + name.dropFirst() }
}

extension PropertyType {
  /// Whether each comparison with a property of the type takes a constant as it is, without a conversion
  /// or a check.
  func takesUnchanged(_ value: Value) -> Bool {
    switch (self, value) {
    case (.int, .int), (.float, .int), (.float, .float), (.float, .double), (.float, .decimal),
      (.double, .int), (.double, .float), (.double, .double), (.double, .decimal), (.bool, .bool),
      (.string, .string), (.data, .data), (.date, .date), (.objectId, .objectId), (.UUID, .uuid),
      (.geometry, .geometry):
      true
    default: false
    }
  }
}
