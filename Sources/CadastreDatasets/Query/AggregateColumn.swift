import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// One thing to work out from many objects, as a user writes it: `count`, or `avg(rating)`.
struct AggregateColumn {
  /// What is worked out.
  enum Operation: String, CaseIterable {
    case count, sum, avg, min, max
  }

  /// What is worked out.
  let operation: Operation
  /// From which field; nil where objects are counted.
  let path: PropertyPath?

  /// The heading: the words that ask for it, without blanks.
  var name: String { path.map { "\(operation)(\($0))" } ?? operation.rawValue }

  /// Reads a list such as `count, avg(rating)`.
  ///
  /// - Throws: ``QueryPredicateError`` that says what was expected.
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
        throw QueryPredicateError(.invalidQuery, "'\(column.name)' is asked for twice")
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

  /// Whether it can be worked out from values of a type.
  func accepts(_ type: PropertyType) -> Bool {
    switch operation {
    case .count: true
    case .sum, .avg: type.isNumeric || type == .any
    case .min, .max: type.isNumeric || [.any, .date, .string].contains(type)
    }
  }

  /// What it takes, in words.
  var accepted: String {
    switch operation {
    case .count: "anything"
    case .sum, .avg: "numbers"
    case .min, .max: "numbers, dates or texts"
    }
  }
}
