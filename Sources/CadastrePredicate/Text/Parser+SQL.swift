/// Reads forms of SQL that mean the same as forms of the language.
extension Parser {
  /// Parses `IS` and `IS NOT`, which are `==` and `!=`; nil for other tokens.
  mutating func takeIs() throws(QueryPredicateError) -> ComparisonOperator? {
    guard case .name(let name, isForced: false) = token.kind, name.uppercased() == "IS" else {
      return nil
    }
    try advance()
    return try take(.not) ? .notEqual : .equal
  }

  /// Moves past `NOT` before an operator, as in `a NOT IN {1, 2}`.
  ///
  /// - Returns: Whether the comparison is negated.
  /// - Throws: ``QueryPredicateError`` if no operator follows.
  mutating func takeInfixNot() throws(QueryPredicateError) -> Bool {
    guard case .keyword(.not) = token.kind else { return false }
    try advance()
    guard case .keyword(let keyword) = token.kind,
      keyword.comparison != nil || keyword == .geoWithin
    else { throw expected("IN, BETWEEN, LIKE or another operator in words after NOT") }
    return true
  }

  /// Parses the right side of BETWEEN, which may be two bounds with AND between them: `BETWEEN 1 AND 5`.
  mutating func bounds() throws(QueryPredicateError) -> Side {
    let first = try listOrExpression()
    guard case .operand(.value(let low)) = first, case .keyword(.and) = token.kind else {
      return first
    }
    try advance()
    guard case .operand(.value(let high)) = try side() else {
      throw QueryPredicateError(
        .syntax, "expected two constants after 'BETWEEN', such as {1, 5}", span: token.span)
    }
    return .operand(.list([low, high]))
  }

  /// Parses the right side of IN, which may be a list in round brackets: `IN ('a', 'b')`.
  mutating func listOrExpression() throws(QueryPredicateError) -> Side {
    guard token.isMark("(") else { return try expression(after: nil) }
    try advance()
    var values: [Side] = []
    if !token.isMark(")") {
      repeat {
        guard !token.isMark("(") else { throw expected("a constant") }
        values.append(try side())
      } while try take(",")
    }
    guard try take(")") else { throw expected("',' or ')'") }
    let constants = values.compactMap { side in
      if case .operand(.value(let value)) = side { value } else { nil }
    }
    if constants.count == values.count { return .operand(.list(constants)) }
    guard values.count == 1 else {
      throw QueryPredicateError(.syntax, "a list holds constants only", span: token.span)
    }
    return values[0]
  }
}
