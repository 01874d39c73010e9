import CadastrePredicate

/// Translates bound predicates to conditions in SQL, which may be null where they are false here: AND and
/// OR keep that meaning, and NOT is written as `IS DISTINCT FROM true`.
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

extension SQLTranslator: ConditionTranslator {
  var engine: String { "PostgreSQL" }
}

extension FileTranslator: ConditionTranslator {
  var engine: String { Self.name(dialect) }
}
