import CadastreModel

/// Reads paths.
extension Parser {
  /// Parses a path as an operand: its values, or an aggregate of them.
  mutating func pathOperand(_ quantifier: Quantifier?) throws(QueryPredicateError) -> Operand {
    let level = try readVariable()
    let operand = try ownOperand(quantifier)
    return level == 0 ? operand : .outer(Outer(operand, level: level))
  }

  /// Parses a path without its variable.
  private mutating func ownOperand(
    _ quantifier: Quantifier?
  ) throws(QueryPredicateError) -> Operand {
    let start = token.span
    var reader = PathReader()
    try read(into: &reader)
    let path = reader.path(from: start)
    if let operation = reader.aggregate {
      guard quantifier == nil else {
        throw QueryPredicateError(
          .syntax,
          "'\(operation.rawValue)' makes one value of many, so \(quantifier?.rawValue ?? "") cannot "
            + "stand before it", span: start)
      }
      return .aggregate(Aggregate(operation, of: path, member: reader.member(from: start)))
    }
    if quantifier == nil, !path.selectsElements { return .property(path) }
    return .elements(quantifier ?? .any, path)
  }

  /// Parses a path that is not an operand: a collection, or a sort key.
  mutating func propertyPath(_ what: String) throws(QueryPredicateError) -> PropertyPath {
    switch try pathOperand(nil) {
    case .property(let path), .elements(_, let path): return path
    default: throw expected(what)
    }
  }

  private mutating func read(into reader: inout PathReader) throws(QueryPredicateError) {
    repeat {
      let span = token.span
      switch token.kind {
      case .name(let name, _):
        reader.append(.property(name), span)
        try advance()
      case .keyword(let keyword):
        guard keyword.comparison != nil else { throw expected("a property's name") }
        reader.append(.property(lexer.text(span)), span)
        try advance()
      case .pathArgument(let index):
        try reader.append(pathNames(try argument(index, span)), span)
        try advance()
      case .nextPathArgument:
        try reader.append(pathNames(try takeNextArgument(span)), span)
        try advance()
      case .attribute(let name):
        try advance()
        try readAttribute(name, span, into: &reader)
      default: throw expected("a property's name")
      }
      while token.isMark("[") { try readSubscript(into: &reader) }
    } while try take(".")
  }

  /// Reads the variable at the beginning of a path, and returns the number of subqueries that the path leaves.
  ///
  /// A path without a variable belongs to the object of the whole predicate, or of the one after ANY.
  private mutating func readVariable() throws(QueryPredicateError) -> Int {
    guard case .variable(let name) = token.kind else {
      return variables.count - 1 - (variables.lastIndex(of: Self.noVariable) ?? -1)
    }
    guard let index = variables.lastIndex(of: name) else {
      throw QueryPredicateError(
        .syntax,
        variables.isEmpty
          ? "expected an argument such as $0 or $K0, found '$\(name)', which is no variable here"
          : "'$\(name)' is no variable of a SUBQUERY round it",
        span: token.span)
    }
    guard !variables[index...].contains(Self.noVariable) else {
      throw QueryPredicateError(
        .syntax, "the objects after ANY are seen, not those of SUBQUERY round them",
        span: token.span)
    }
    let span = token.span
    try advance()
    guard try take(".") else {
      throw QueryPredicateError(
        .invalidQuery,
        "'$\(name)' denotes an object and must be followed by one of its properties; SUBQUERY "
          + "cannot look at collections of values", span: span)
    }
    return variables.count - 1 - index
  }

  private mutating func readAttribute(
    _ name: String, _ span: TextSpan, into reader: inout PathReader
  ) throws(QueryPredicateError) {
    guard name.lowercased() == "links" else {
      try reader.appendAttribute(name, span)
      return
    }
    guard try take(".") else { throw expected("'.' and a class or '@count' after @links") }
    if case .attribute = token.kind {
      reader.append(.allLinks, span)
      guard case .attribute(let next) = token.kind else { return }
      let nextSpan = token.span
      try advance()
      try reader.appendAttribute(next, nextSpan)
      return
    }
    let className = try takeName("a class's name after @links")
    guard try take(".") else { throw expected("'.' and a property of '\(className)'") }
    let end = token.span.offset + token.span.count
    let property = try takeName("a property of '\(className)'")
    reader.append(
      .links(className: className, property: property),
      TextSpan(offset: span.offset, count: end - span.offset))
  }

  private mutating func takeName(_ what: String) throws(QueryPredicateError) -> String {
    switch token.kind {
    case .name(let name, _):
      try advance()
      return name
    case .keyword(let keyword) where keyword.comparison != nil:
      let name = lexer.text(token.span)
      try advance()
      return name
    default: throw expected(what)
    }
  }

  /// `[3]`, `[FIRST]`, `['key']` and their like; the token is the opening bracket.
  private mutating func readSubscript(
    into reader: inout PathReader
  ) throws(QueryPredicateError) {
    let start = token.span
    try advance()
    let span = token.span
    let step: PropertyPath.Step
    switch token.kind {
    case .constant(let value): step = try Self.step(value, span)
    case .argument(let index): step = try Self.step(try argument(index, span).value, span)
    case .nextArgument: step = try Self.step(try takeNextArgument(span).value, span)
    case .pathArgument(let index): step = try Self.named(try argument(index, span).value, span)
    case .nextPathArgument: step = try Self.named(try takeNextArgument(span).value, span)
    case .mark("*"): step = .every
    case .name(let word, _):
      switch word.uppercased() {
      case "FIRST": step = .first
      case "LAST": step = .last
      case "SIZE": step = .count
      default: throw expected(Self.subscripts)
      }
    default: throw expected(Self.subscripts)
    }
    try advance()
    let end = token.span.offset + token.span.count
    guard try take("]") else { throw expected("']'") }
    try reader.appendSubscript(step, TextSpan(offset: start.offset, count: end - start.offset))
  }

  private static let subscripts = "an index, a key in quotes, FIRST, LAST, SIZE or '*'"

  private static func step(
    _ value: Value?, _ span: TextSpan
  ) throws(QueryPredicateError) -> PropertyPath.Step {
    switch value {
    case .int(let index) where index >= 0 && index <= Int64(Int32.max): return .index(Int(index))
    case .string(let key): return .key(key)
    default:
      throw QueryPredicateError(
        .invalidArgument, "expected an index from 0 or a key in quotes", span: span)
    }
  }

  /// A key given as a path argument, where `#any` means every element.
  private static func named(
    _ value: Value?, _ span: TextSpan
  ) throws(QueryPredicateError) -> PropertyPath.Step {
    if case .string("#any") = value { .every } else { try step(value, span) }
  }

  private func pathNames(_ argument: PredicateArgument) throws(QueryPredicateError) -> [String] {
    guard case .value(.string(let text)) = argument else {
      throw QueryPredicateError(
        .invalidArgument, "an argument for a property path must be a string", span: token.span)
    }
    return text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }
}

/// The steps of a path as they are read, before and after the one aggregate that it may have.
private struct PathReader {
  private(set) var aggregate: Aggregate.Operation?
  private var steps: [PropertyPath.Step] = []
  private var spans: [TextSpan] = []
  private var memberSteps: [PropertyPath.Step] = []
  private var memberSpans: [TextSpan] = []

  func path(from start: TextSpan) -> PropertyPath { Self.path(steps, spans, start) }

  func member(from start: TextSpan) -> PropertyPath? {
    memberSteps.isEmpty ? nil : Self.path(memberSteps, memberSpans, start)
  }

  private static func path(
    _ steps: [PropertyPath.Step], _ spans: [TextSpan], _ start: TextSpan
  ) -> PropertyPath {
    let first = spans.first?.offset ?? start.offset
    let end = spans.map { $0.offset + $0.count }.max() ?? first
    return PropertyPath(
      steps: steps, span: TextSpan(offset: first, count: end - first), stepSpans: spans)
  }

  mutating func append(_ step: PropertyPath.Step, _ span: TextSpan) {
    if aggregate == nil {
      steps.append(step)
      spans.append(span)
    } else {
      memberSteps.append(step)
      memberSpans.append(span)
    }
  }

  /// A key path from outside: names, and attributes with their signs.
  mutating func append(_ names: [String], _ span: TextSpan) throws(QueryPredicateError) {
    var names = names[...]
    while let name = names.popFirst() {
      guard name.hasPrefix("@") else {
        append(.property(name), span)
        continue
      }
      if name.lowercased() == "@links" {
        if names.count >= 2, let className = names.popFirst(), let property = names.popFirst() {
          append(.links(className: className, property: property), span)
        } else {
          append(.allLinks, span)
        }
      } else {
        try appendAttribute(String(name.dropFirst()), span)
      }
    }
  }

  mutating func appendSubscript(
    _ step: PropertyPath.Step, _ span: TextSpan
  ) throws(QueryPredicateError) {
    guard aggregate == nil || !memberSteps.isEmpty else {
      throw QueryPredicateError(.syntax, "expected a property's name, found '['", span: span)
    }
    append(step, span)
  }

  mutating func appendAttribute(
    _ name: String, _ span: TextSpan
  ) throws(QueryPredicateError) {
    if let operation = Aggregate.Operation(rawValue: "@" + name.lowercased()) {
      guard aggregate == nil, !steps.isEmpty else {
        throw QueryPredicateError(
          .syntax,
          steps.isEmpty
            ? "expected the path of a collection before '@\(name)'"
            : "a path has one aggregate at most", span: span)
      }
      aggregate = operation
      return
    }
    guard let step = Self.attributes[name.lowercased()] else {
      let nearest = NameSuggestion.nearest(
        to: name, among: Self.attributes.keys.sorted() + ["min", "max", "sum", "avg", "links"])
      throw QueryPredicateError(
        .syntax,
        "unknown collection operation '@\(name)'"
          + (nearest.map { "; did you mean '@\($0)'?" } ?? ""),
        span: span)
    }
    guard !steps.isEmpty else {
      throw QueryPredicateError(
        .syntax, "expected a property before '@\(name)'", span: span)
    }
    append(step, span)
  }

  private static let attributes: [String: PropertyPath.Step] = [
    "count": .count, "size": .count, "length": .length, "type": .type, "keys": .keys,
    "allkeys": .keys, "values": .values, "allvalues": .values,
  ]
}
