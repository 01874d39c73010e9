import CadastreModel
import CadastrePredicate

/// A function of the values of many objects.
package enum AggregateFunction: String, Sendable {
  /// The number of values that are not null.
  case count
  case sum, average, minimum, maximum
}

/// The SQL of an aggregate of all rows of a table, or of those of partitions that are merged.
struct AggregateSQL: Sendable {
  /// The aggregate of all rows.
  let whole: String
  /// The aggregates of the rows of one partition.
  let partial: [String]
  /// The aggregate of all partitions, of the columns with their aggregates.
  let merged: @Sendable ([String]) -> String

  /// The number of rows.
  static let count = AggregateSQL(counting: "count(*)")

  fileprivate init(counting whole: String) {
    self.init(whole, partial: [whole]) { "sum(\($0[0]))::int8" }
  }

  fileprivate init(
    _ whole: String, partial: [String], merged: @escaping @Sendable ([String]) -> String
  ) {
    (self.whole, self.partial, self.merged) = (whole, partial, merged)
  }
}

extension SQLTranslator {
  /// The SQL of an aggregate; NaN is left out of extremes, as a value without order.
  mutating func aggregate(
    _ function: AggregateFunction, _ path: BoundPath
  ) throws(UntranslatablePart) -> AggregateSQL {
    let operand = try operand(path)
    guard case .value(let type) = operand.kind else {
      throw refused(path, "it has no single value")
    }
    let text = operand.text
    let count =
      type == .date ? "count(*) FILTER (WHERE \(text) IS NOT NULL)" : "count(\(text))"
    switch function {
    case .count: return AggregateSQL(counting: count)
    case .sum, .average:
      guard type.isNumeric else { throw refused(path, "its values are no numbers") }
      // The sum of integers is numeric on the server.
      let isInteger = type == .int
      let values = [.float, .double].contains(type) ? "\(text)::float8" : text
      let sum = isInteger ? "sum(\(values))::numeric" : "sum(\(values))"
      if function == .sum { return AggregateSQL(sum, partial: [sum]) { "sum(\($0[0]))" } }
      let cast = isInteger ? "::float8" : ""
      return AggregateSQL("avg(\(values))\(cast)", partial: [sum, count]) {
        "(sum(\($0[0])) / nullif(sum(\($0[1])), 0)\(type == .decimal128 || isInteger ? "" : "::float8"))"
          + cast
      }
    case .minimum, .maximum:
      guard type.isNumeric || type == .string else {
        throw refused(path, "its values have no extremes")
      }
      let name = function == .minimum ? "min" : "max"
      let filter =
        [.float, .double, .decimal128].contains(type) ? " FILTER (WHERE \(text) <> 'NaN')" : ""
      return AggregateSQL("\(name)(\(text))\(filter)", partial: ["\(name)(\(text))\(filter)"]) {
        "\(name)(\($0[0]))"
      }
    }
  }
}
