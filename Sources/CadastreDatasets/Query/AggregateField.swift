import CadastreFormatting
import CadastreModel
import CadastrePredicate

/// The parts of the state of a field's values that aggregates need.
struct AggregateNeeds: OptionSet {
  let rawValue: Int

  /// The sum, the average and the extremes.
  static let totals = AggregateNeeds(rawValue: 1)
  /// The number of distinct values.
  static let distinct = AggregateNeeds(rawValue: 2)
  /// All numbers, for quantiles.
  static let numbers = AggregateNeeds(rawValue: 4)
  /// The standard deviation.
  static let deviation = AggregateNeeds(rawValue: 8)
  /// The first and the last value.
  static let ends = AggregateNeeds(rawValue: 16)
}

/// A field or a calculation that is aggregated.
struct AggregateField {
  /// The source of the values.
  enum Source {
    case field(PropertyPath)
    case calculation(FieldExpression)
  }

  /// The source of the values.
  let source: Source
  /// The type of the values.
  let type: PropertyType
  /// The parts of the state that the aggregates of the field need.
  var needs: AggregateNeeds = []

  /// Creates the field with the text of an aggregate's argument.
  init(_ argument: String, of column: AggregateColumn, _ query: StoreQuery)
    throws(QueryPredicateError)
  {
    let root = query.root
    if root[argument] == nil, FieldExpression.isExpression(argument) {
      let expression = try FieldExpression(argument, root, in: query.schema)
      (source, type) = (.calculation(expression), expression.type)
    } else {
      let path = PropertyPath(argument)
      source = .field(path)
      type = try query.valueType(at: path, for: column.name)
    }
    guard column.accepts(type) else {
      throw QueryPredicateError(
        .invalidQuery,
        "'\(column.name)': expected \(column.accepted), and '\(argument)' is of type '\(type)'")
    }
  }

  /// The fields of an object that are read.
  var paths: [PropertyPath] {
    switch source {
    case .field(let path): [path]
    case .calculation(let expression): expression.paths
    }
  }

  /// Returns the value of an object with the values at ``paths``.
  func value(_ values: some Collection<Value>) -> Value {
    switch source {
    case .field: return values.first ?? .null
    case .calculation(let expression): return expression.value(of: values)
    }
  }
}

/// Quantiles with linear interpolation between values, as `percentile_cont` of SQL.
enum Quantile {
  /// Returns the quantile of a percentage; nil without numbers.
  ///
  /// - Complexity: O(n log n) for n numbers.
  static func value(_ numbers: [Double], percent: Double) -> Double? {
    guard !numbers.isEmpty else { return nil }
    let sorted = numbers.sorted()
    let position = percent / 100 * Double(sorted.count - 1)
    let (low, high) = (sorted[Int(position)], sorted[min(Int(position) + 1, sorted.count - 1)])
    let fraction = position - position.rounded(.down)
    return fraction == 0 ? low : low + (high - low) * fraction
  }
}

/// An aggregate in the syntax of the command line: `count` or `avg(rating)`.
struct AggregateColumn {
  /// The aggregate functions.
  enum Operation: Hashable {
    case count, countDistinct, sum, avg, min, max, median, stddev, first, last
    case percentile(Double)
  }

  /// The parts of the state of the field that the function needs.
  var needs: AggregateNeeds {
    switch operation {
    case .count: []
    case .countDistinct: .distinct
    case .sum, .avg, .min, .max: .totals
    case .median, .percentile: .numbers
    case .stddev: .deviation
    case .first, .last: .ends
    }
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
            + "max, median, stddev, first or last of a field such as 'avg(rating)', found '\(printable(part))'"
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
    case ("stddev", false): operation = .stddev
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
    case .median, .percentile, .stddev: type.isNumeric
    case .min, .max: type.isNumeric || [.any, .date, .string].contains(type)
    }
  }

  /// The accepted types, for messages.
  var accepted: String {
    switch operation {
    case .count, .countDistinct, .first, .last: "any value"
    case .sum, .avg, .median, .percentile, .stddev: "numbers"
    case .min, .max: "numbers, dates or strings"
    }
  }

  /// The type of the result for values of a type.
  func resultType(of type: PropertyType?) -> PropertyType? {
    switch operation {
    case .count, .countDistinct: .int
    case .avg, .median, .percentile, .stddev: .double
    case .sum, .min, .max, .first, .last: type
    }
  }
}
