import CadastreModel
import CadastrePredicate

/// Puts the filters of a plan in the order in which they are asked.
enum FilterOrder {
  /// Cheap ones first; what costs the same stays in the order of the question.
  static func cheapestFirst(
    _ filters: [QueryPredicate], _ schema: Schema, _ className: String
  ) -> [QueryPredicate] {
    guard let root = schema[className] else { return filters }
    let ranked = filters.enumerated().map {
      ($0.offset, rank($0.element, schema, root), $0.element)
    }
    return ranked.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.2)
  }

  /// The rank of the filter that is asked first; nil where it cannot be asked of columns in memory.
  static func firstRank(
    _ filters: [QueryPredicate], _ schema: Schema, _ className: String
  ) -> Int? {
    guard let root = schema[className] else { return nil }
    let first = filters.map { rank($0, schema, root) }.min() ?? 1
    return first < otherTables ? max(1, first) : nil
  }

  private static let otherTables = 16

  /// A rough cost of asking about one row: numbers 1, strings 2, parts of strings 4, geometry 8,
  /// what other tables must be read for 16.
  private static func rank(
    _ predicate: QueryPredicate, _ schema: Schema, _ root: ObjectSchema
  ) -> Int {
    switch predicate {
    case .constant: 0
    case .not(let inner): rank(inner, schema, root)
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + rank($1, schema, root) }
    case .geoWithin: 8
    case .comparison(let comparison): rank(comparison, schema, root)
    }
  }

  private static func rank(
    _ comparison: Comparison, _ schema: Schema, _ root: ObjectSchema
  ) -> Int {
    guard comparison.isOrdinary else { return otherTables }
    if comparison.operation.isSubstring || !comparison.options.isEmpty { return 4 }
    guard case .property(let path) = comparison.left,
      let resolved = try? schema.resolve(path, from: root)
    else { return 4 }
    switch resolved.leaf.type {
    case .int, .bool, .float, .double, .date, .object, .linkingObjects:
      return resolved.leaf.collection == nil ? 1 : 4
    case .string, .data, .objectId, .UUID: return 2
    case .decimal128, .any: return 3
    }
  }
}
