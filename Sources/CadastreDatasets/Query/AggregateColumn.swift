import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// An aggregate in the syntax of the command line: `count` or `avg(rating)`.
struct AggregateColumn {
  /// The aggregate functions.
  enum Operation: Hashable {
    case count, countDistinct, sum, avg, min, max, median, first, last
    case percentile(Double)
  }

  /// The aggregate function.
  let operation: Operation
  /// The field or calculation to aggregate; nil to count objects.
  let argument: String?

  /// The name of the column: the aggregate as written, without superfluous blanks.
  var name: String {
    guard let argument else { return "count" }
    return switch operation {
    case .countDistinct: "count(distinct \(argument))"
    case .percentile(let percent): "percentile(\(argument), \(FieldText.coordinate(percent)))"
    default: "\(operation)(\(argument))"
    }
  }

  /// The percentage of values below a quantile; nil for other functions.
  var percent: Double? {
    switch operation {
    case .median: 50
    case .percentile(let percent): percent
    default: nil
    }
  }

  /// Parses a list, for example `count, avg(rating)`.
  ///
  /// - Parameter text: The list.
  /// - Returns: The aggregates in their order.
  /// - Throws: ``QueryPredicateError`` for invalid syntax or a repeated aggregate.
  static func list(_ text: String) throws(QueryPredicateError) -> [AggregateColumn] {
    var columns: [AggregateColumn] = []
    for part in ListText.parts(text) {
      guard let column = AggregateColumn(part) else {
        throw QueryPredicateError(
          .invalidQuery,
          "expected 'count', count(distinct FIELD), percentile(FIELD, 90), or count, sum, avg, min, "
            + "max, median, first or last of a field such as 'avg(rating)', found '\(printable(part))'"
        )
      }
      guard !columns.contains(where: { $0.name == column.name }) else {
        throw QueryPredicateError(.invalidQuery, "'\(column.name)' occurs twice; expected it once")
      }
      columns.append(column)
    }
    return columns
  }

  /// Parses an aggregate; nil for other text.
  init?(_ text: some StringProtocol) {
    let text = String(text.trimmingBlanks())
    if text == "count" {
      (operation, argument) = (.count, nil)
      return
    }
    guard let match = text.wholeMatch(of: /(\w+)\s*\(\s*(distinct\s+)?(.*?)\s*\)/.ignoresCase())
    else { return nil }
    var field = match.3
    var operation: Operation
    switch (match.1.lowercased(), match.2 != nil) {
    case ("count", true): operation = .countDistinct
    case ("count", false): operation = .count
    case ("sum", false): operation = .sum
    case ("avg", false): operation = .avg
    case ("min", false): operation = .min
    case ("max", false): operation = .max
    case ("median", false): operation = .median
    case ("first", false): operation = .first
    case ("last", false): operation = .last
    case ("percentile", false):
      guard let comma = field.lastIndex(of: ","),
        let percent = Double(String(field[field.index(after: comma)...].trimmingBlanks())),
        0...100 ~= percent
      else { return nil }
      operation = .percentile(percent)
      field = field[..<comma].trimmingBlanks()
    default: return nil
    }
    guard !field.isEmpty, !field.contains(",") else { return nil }
    self.operation = operation
    argument = field.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns whether the function can be applied to values of a type.
  func accepts(_ type: PropertyType) -> Bool {
    switch operation {
    case .count, .countDistinct, .first, .last: true
    case .sum, .avg: type.isNumeric || type == .any
    case .median, .percentile: type.isNumeric
    case .min, .max: type.isNumeric || [.any, .date, .string].contains(type)
    }
  }

  /// The accepted types, for messages.
  var accepted: String {
    switch operation {
    case .count, .countDistinct, .first, .last: "any value"
    case .sum, .avg, .median, .percentile: "numbers"
    case .min, .max: "numbers, dates or strings"
    }
  }

  /// The type of the result for values of a type.
  func resultType(of type: PropertyType?) -> PropertyType? {
    switch operation {
    case .count, .countDistinct: .int
    case .avg, .median, .percentile: .double
    case .sum, .min, .max, .first, .last: type
    }
  }
}
