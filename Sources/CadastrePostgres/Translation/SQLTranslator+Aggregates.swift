import CadastreModel
import CadastrePredicate

/// A function of the values of many objects.
package enum AggregateFunction: String, Sendable {
  /// The number of values that are not null.
  case count
  case sum, average, minimum, maximum
}

extension SQLTranslator {
  /// The SQL of an aggregate; NaN is left out of extremes, as a value without order.
  mutating func aggregate(
    _ function: AggregateFunction, _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    let operand = try operand(path)
    guard case .value(let type) = operand.kind else {
      throw refused(path, "it has no single value")
    }
    let text = operand.text
    switch function {
    case .count:
      return type == .date
        ? "count(*) FILTER (WHERE \(text) IS NOT NULL)" : "count(\(text))"
    case .sum, .average:
      guard type.isNumeric else { throw refused(path, "its values are no numbers") }
      let name = function == .sum ? "sum" : "avg"
      // The sum of integers is numeric on the server.
      switch type {
      case .int: return function == .sum ? "sum(\(text))::numeric" : "avg(\(text))::float8"
      case .float, .double: return "\(name)(\(text)::float8)"
      default: return "\(name)(\(text))"
      }
    case .minimum, .maximum:
      guard type.isNumeric || type == .string else {
        throw refused(path, "its values have no extremes")
      }
      let name = function == .minimum ? "min" : "max"
      let filter =
        [.float, .double, .decimal128].contains(type) ? " FILTER (WHERE \(text) <> 'NaN')" : ""
      return "\(name)(\(text))\(filter)"
    }
  }
}
