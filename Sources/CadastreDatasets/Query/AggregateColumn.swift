import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// An aggregate in the syntax of the command line: `count` or `avg(rating)`.
struct AggregateColumn {
  /// The aggregate functions.
  enum Operation: String, CaseIterable {
    case count, sum, avg, min, max
  }

  /// The aggregate function.
  let operation: Operation
  /// The field to aggregate; nil to count objects.
  let path: PropertyPath?

  /// The name of the column: the aggregate as written, without blanks.
  var name: String { path.map { "\(operation)(\($0))" } ?? operation.rawValue }

  /// Parses a list, for example `count, avg(rating)`.
  ///
  /// - Parameter text: The list.
  /// - Returns: The aggregates in their order.
  /// - Throws: ``QueryPredicateError`` for invalid syntax or a repeated aggregate.
  static func list(_ text: String) throws(QueryPredicateError) -> [AggregateColumn] {
    var columns: [AggregateColumn] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = part.filter { !$0.isWhitespace }
      guard let column = AggregateColumn(word) else {
        throw QueryPredicateError(
          .invalidQuery,
          "expected 'count', or count, sum, avg, min or max of a field such as 'avg(rating)', "
            + "found '\(printable(part))'")
      }
      guard !columns.contains(where: { $0.name == column.name }) else {
        throw QueryPredicateError(.invalidQuery, "'\(column.name)' occurs twice; expected it once")
      }
      columns.append(column)
    }
    return columns
  }

  private init?(_ word: String) {
    if word == Operation.count.rawValue {
      (operation, path) = (.count, nil)
      return
    }
    guard let open = word.firstIndex(of: "("), word.last == ")",
      let operation = Operation(rawValue: String(word[..<open]))
    else { return nil }
    let field = word[word.index(after: open)...].dropLast()
    guard !field.isEmpty, !field.contains("(") else { return nil }
    (self.operation, path) = (operation, PropertyPath(String(field)))
  }

  /// Returns whether the function can be applied to values of a type.
  func accepts(_ type: PropertyType) -> Bool {
    switch operation {
    case .count: true
    case .sum, .avg: type.isNumeric || type == .any
    case .min, .max: type.isNumeric || [.any, .date, .string].contains(type)
    }
  }

  /// The accepted types, for messages.
  var accepted: String {
    switch operation {
    case .count: "any value"
    case .sum, .avg: "numbers"
    case .min, .max: "numbers, dates or strings"
    }
  }
}
