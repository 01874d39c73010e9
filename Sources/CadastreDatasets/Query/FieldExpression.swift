import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// A number that is computed from fields: `population / 1000`.
///
/// The operators and their results are those of predicates: whole numbers divide to a whole number,
/// and null or a division of whole numbers by 0 gives null.
package struct FieldExpression: Hashable, Sendable {
  private let operand: Operand
  /// The expression as it is written, without superfluous blanks.
  let text: String
  /// The fields that it reads.
  let paths: [PropertyPath]
  /// The type of the results.
  let type: PropertyType

  /// Returns whether a text is an expression, and not the path of a field.
  static func isExpression(_ text: some StringProtocol) -> Bool {
    text.contains { "+-*/()".contains($0) } || text.split(separator: " ").count > 1
  }

  /// Returns a text without superfluous blanks.
  static func normalized(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Parses an expression that may be followed by `as` and a name.
  ///
  /// - Parameters:
  ///   - text: The expression.
  ///   - root: The class of the fields.
  ///   - schema: The schema of the store.
  /// - Returns: The expression, and the name; without one, the text of the expression.
  /// - Throws: ``QueryPredicateError`` for other syntax, or fields that are not numbers.
  static func named(
    _ text: some StringProtocol, _ root: ObjectSchema, in schema: Schema
  ) throws(QueryPredicateError) -> (expression: FieldExpression, name: String) {
    let text = String(text)
    let match = text.wholeMatch(of: /(.*?)(?:\s+as\s+(\w+))?/.ignoresCase())
    let calculation = match.map { String($0.1) } ?? text
    let name = match?.2.map { String($0) }
    if let name, !isExpression(calculation) {
      throw QueryPredicateError(
        .invalidQuery,
        "'as \(name)': only calculations get a name, such as 'population / 1000 as thousands'")
    }
    let expression = try FieldExpression(calculation, root, in: schema)
    return (expression, name ?? expression.text)
  }

  /// Parses an expression.
  ///
  /// - Parameters:
  ///   - text: Numbers and fields with `+`, `-`, `*`, `/` and parentheses.
  ///   - root: The class of the fields.
  ///   - schema: The schema of the store.
  /// - Throws: ``QueryPredicateError`` for other syntax, or fields that are not numbers.
  init(
    _ text: some StringProtocol, _ root: ObjectSchema, in schema: Schema
  ) throws(QueryPredicateError) {
    self.text = Self.normalized(text)
    do throws(QueryPredicateError) {
      operand = try Operand(parsingCalculation: self.text)
      guard case .arithmetic = operand else {
        throw QueryPredicateError(
          .invalidQuery, "expected a field, or a calculation such as 'population / 1000'")
      }
      _ = try QueryPredicate.comparison(Comparison(operand, .equal, .value(.int(0))))
        .bound(to: schema, root: root)
      paths = try Self.paths(operand)
      var types: [PropertyType] = []
      for path in paths {
        guard case .value(let type) = try schema.resolve(path, from: root).end else { continue }
        types.append(type)
      }
      let constants = Self.constants(operand).compactMap(\.type)
      type =
        (types + constants).contains(.decimal128)
        ? .decimal128 : (types + constants).allSatisfy { $0 == .int } ? .int : .double
    } catch {
      throw QueryPredicateError(error.kind, "'\(printable(self.text))': \(error.message)")
    }
  }

  private init(_ operand: Operand, _ text: String, _ paths: [PropertyPath], _ type: PropertyType) {
    (self.operand, self.text, self.paths, self.type) = (operand, text, paths, type)
  }

  /// Returns the expression of the fields of an object that is a member of another record.
  func inMember(_ name: String) -> FieldExpression {
    FieldExpression(
      Self.prefixed(operand, name), text, paths.map { PropertyPath([name] + $0.names) }, type)
  }

  private static func prefixed(_ operand: Operand, _ name: String) -> Operand {
    switch operand {
    case .property(let path): return .property(PropertyPath([name] + path.names))
    case .arithmetic(var calculation):
      calculation.left = prefixed(calculation.left, name)
      calculation.right = prefixed(calculation.right, name)
      return .arithmetic(calculation)
    default: return operand
    }
  }

  private static func paths(_ operand: Operand) throws(QueryPredicateError) -> [PropertyPath] {
    switch operand {
    case .property(let path): return [path]
    case .value: return []
    case .arithmetic(let calculation):
      let left = try paths(calculation.left)
      return left + (try paths(calculation.right)).filter { !left.contains($0) }
    default:
      throw QueryPredicateError(
        .invalidQuery, "a calculation of a column has fields with single values and numbers only")
    }
  }

  private static func constants(_ operand: Operand) -> [Value] {
    switch operand {
    case .value(let value): [value]
    case .arithmetic(let calculation):
      constants(calculation.left) + constants(calculation.right)
    default: []
    }
  }

  /// Returns the result for an object whose fields a closure reads.
  func value(_ read: (PropertyPath) -> Value) -> Value { Self.value(operand, read) }

  /// Returns the result for an object with the values at ``paths``.
  func value(of values: some Collection<Value>) -> Value {
    value { path in zip(paths, values).first { $0.0 == path }?.1 ?? .null }
  }

  private static func value(_ operand: Operand, _ read: (PropertyPath) -> Value) -> Value {
    switch operand {
    case .property(let path): read(path)
    case .value(let value): value
    case .arithmetic(let calculation):
      calculation.operation.result(
        value(calculation.left, read), value(calculation.right, read))
    default: .null
    }
  }
}
