import CadastreModel
import CadastrePredicate

/// Translates bound predicates to conditions in SQL.
///
/// A condition may be null where the predicate is false. AND and OR preserve this meaning; NOT is translated to
/// `IS DISTINCT FROM true`.
protocol ConditionTranslator {
  /// The name of the database engine that would run the SQL.
  var engine: String { get }
  /// Returns the condition of a comparison.
  mutating func condition(_ comparison: BoundComparison) throws(UntranslatablePart) -> String
  /// Returns the condition of a region.
  mutating func condition(_ within: BoundGeoWithin) throws(UntranslatablePart) -> String
}

extension ConditionTranslator {
  /// Returns a condition that is true for exactly the objects that match a predicate.
  ///
  /// - Throws: ``UntranslatablePart``.
  mutating func condition(_ predicate: BoundPredicate) throws(UntranslatablePart) -> String {
    switch predicate {
    case .constant(let value): return value ? "true" : "false"
    case .not(let inner): return SQLTranslator.not(try condition(inner))
    case .and(let parts): return try joined(parts, "AND", empty: "true")
    case .or(let parts): return try joined(parts, "OR", empty: "false")
    case .comparison(let comparison): return try condition(comparison)
    case .geoWithin(let within): return try condition(within)
    case .relation(let relation):
      throw UntranslatablePart(
        part: "\(relation.kind)", reason: "relations of geometries are not translated yet",
        engine: engine)
    }
  }

  private mutating func joined(
    _ parts: [BoundPredicate], _ word: String, empty: String
  ) throws(UntranslatablePart) -> String {
    guard !parts.isEmpty else { return empty }
    var conditions: [String] = []
    for part in parts { conditions.append(try condition(part)) }
    return "(" + conditions.joined(separator: " \(word) ") + ")"
  }
}

/// The position of a number among the values of a column of another numeric type.
enum NumericBound<Number> {
  /// The column's type can represent the number.
  case exact(Number)
  /// The number lies between this value and the next greater one.
  case above(Number)
  /// The number is greater than all values.
  case aboveAll
  /// The number is less than all values.
  case belowAll
}

extension NumericBound<Int64> {
  /// Finds the position of a floating-point number other than NaN among the integers.
  init(_ number: Double) {
    if number >= 0x1p63 {
      self = .aboveAll
    } else if number < -0x1p63 {
      self = .belowAll
    } else {
      let floor = number.rounded(.down)
      self = floor == number ? .exact(Int64(floor)) : .above(Int64(floor))
    }
  }
}

extension NumericBound<Double> {
  /// Finds the position of an integer or a decimal other than NaN among the doubles.
  init(_ number: Value, near start: Double) {
    var lower = start
    // The start is the nearest double or its neighbour, so that few steps suffice.
    while Value.double(lower).numericOrdering(number) == .descending { lower = lower.nextDown }
    while Value.double(lower.nextUp).numericOrdering(number) != .descending, lower < .infinity {
      lower = lower.nextUp
    }
    self = Value.double(lower).numericOrdering(number) == .same ? .exact(lower) : .above(lower)
  }
}

/// The error for a part of a query without an exact translation to SQL.
public struct UntranslatablePart: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part in the predicate language.
  public let part: String
  /// The reason.
  public let reason: String
  /// The database engine that would run the SQL.
  public let engine: String

  init(part: String, reason: String, engine: String = "PostgreSQL") {
    (self.part, self.reason, self.engine) = (part, reason, engine)
  }

  /// One line: the part and the reason.
  public var description: String {
    "'\(part)' cannot be run on \(engine) with the same meaning: \(reason)"
  }
}
