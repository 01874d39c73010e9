import CadastreModel
import CadastrePredicate

extension SQLTranslator {
  /// The terms of ORDER BY: null first, then NaN, then values, last what is behind a null link; rows
  /// that are equal in all keys are in order of their row keys.
  mutating func order(_ keys: [BoundSortKey]) throws(UntranslatablePart) -> String {
    var terms: [String] = []
    for key in keys {
      let operand = try operand(key.path)
      switch key.criterion {
      case .value: break
      case .distance(let origin):
        let location = try location(operand, key.path)
        let angle = Self.angle(
          degrees(origin), (location.longitude, location.latitude))
        terms.append("(\(angle)) \(key.isAscending ? "ASC" : "DESC") NULLS LAST")
        continue
      case .relevance: throw refused(key, "PostgreSQL ranks words by other rules")
      }
      let direction = key.isAscending ? " ASC" : " DESC"
      if let isBehindNull = operand.isBehindNull { terms.append("(\(isBehindNull))" + direction) }
      switch operand.kind {
      case .value(.date):
        // The parts of a row are compared one after the other.
        terms.append("(\(operand.text) IS NOT NULL)" + direction)
        terms.append(operand.text + direction)
      case .value(let type):
        guard type != .geometry else { throw refused(key, "geometries have another order there") }
        terms.append("(\(operand.text) IS NOT NULL)" + direction)
        if [.float, .double, .decimal128].contains(type) {
          terms.append("(\(operand.text) <> 'NaN')" + direction)
        }
        terms.append(operand.text + direction)
      case .link:
        terms.append("(\(operand.text) IS NOT NULL)" + direction)
        terms.append(operand.text + direction)
      case .embedded, .coordinates:
        throw refused(key, "an embedded object has no order")
      }
    }
    terms.append("\(Self.column(Self.rootAlias, ColumnName.key)) ASC")
    return terms.joined(separator: ", ")
  }
}
