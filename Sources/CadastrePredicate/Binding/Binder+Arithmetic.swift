import CadastreModel

/// Resolves calculations.
extension Binder {
  func bind(_ arithmetic: Arithmetic) throws(QueryPredicateError) -> Side {
    let left = try bind(arithmetic.left)
    let right = try bind(arithmetic.right)
    let span = left.comparand?.span ?? right.comparand?.span
    let types = (
      try type(of: left, arithmetic, span), try type(of: right, arithmetic, span)
    )
    let isDecimal = [left, right].contains { $0.comparand?.type == .decimal128 }
    let result = try dateType(types.0, arithmetic, types.1, span)
    if case .value(let first) = left.operand, case .value(let second) = right.operand {
      return Side(operand: .value(arithmetic.operation.result(first, second)))
    }
    if left.comparand?.isToMany == true, right.comparand?.isToMany == true {
      throw QueryPredicateError(
        .invalidQuery, "only one side of '\(arithmetic.operation.rawValue)' may be many values",
        span: right.comparand?.span)
    }
    return Side(
      operand: .arithmetic(
        BoundArithmetic(left.elements, arithmetic.operation, right.elements)),
      comparand: Comparand(
        type: result ?? (isDecimal ? .decimal128 : .double), name: "a calculation",
        isToMany: left.comparand?.isToMany == true || right.comparand?.isToMany == true, span: span
      ))
  }

  /// The type of one side of a calculation; nil for null.
  private func type(
    of side: Side, _ arithmetic: Arithmetic, _ span: TextSpan?
  ) throws(QueryPredicateError) -> PropertyType? {
    func error(_ what: String, _ span: TextSpan?) -> QueryPredicateError {
      QueryPredicateError(
        .invalidQuery, "'\(arithmetic.operation.rawValue)' works on numbers, \(what)", span: span)
    }
    guard let comparand = side.comparand else {
      guard case .value(let value) = side.operand else {
        throw error("not on \(side.operand)", span)
      }
      guard value.isNull || value.type?.isNumeric == true || value.type == .date else {
        throw error("not on \(PredicateText.literal(value))", span)
      }
      return value.type
    }
    let type = comparand.type
    guard type.isNumeric || type == .any || type == .date else {
      throw error(
        "and \(comparand.name) is of type '\(comparand.typeDescription)'", comparand.span)
    }
    return type
  }

  /// The type of the result of a calculation with dates; nil for one without.
  private func dateType(
    _ left: PropertyType?, _ arithmetic: Arithmetic, _ right: PropertyType?, _ span: TextSpan?
  ) throws(QueryPredicateError) -> PropertyType? {
    switch (left, arithmetic.operation, right) {
    case (.date, .subtract, .date): return .double
    // A number of seconds, or a date.
    case (.date, .subtract, .any): return .any
    case (.date, .subtract, _): return .date
    case (.date, .add, let other) where other != .date: return .date
    case (let other, .add, .date) where other != .date: return .date
    case (.any, .subtract, .date): return .double
    case (.date, _, _), (_, _, .date):
      throw QueryPredicateError(
        .invalidQuery,
        "'\(arithmetic.operation.rawValue)' works on numbers; a date is subtracted from a date, and seconds "
          + "are added to and subtracted from one", span: span)
    default: return nil
    }
  }
}

extension Binder.Side {
  /// The operand, with each element of a whole collection.
  fileprivate var elements: BoundOperand {
    guard comparand?.isWholeCollection == true, case .property(let path) = operand else {
      return operand
    }
    return .elements(.any, path)
  }
}
