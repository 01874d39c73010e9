import CadastreGeometry
import CadastreModel
package import CadastrePredicate

extension SeededGenerator {
  /// The predicate with some of its constants and regions replaced by others, which may not fit.
  package mutating func withOtherConstants(_ predicate: QueryPredicate) -> QueryPredicate {
    switch predicate {
    case .constant: return predicate
    case .not(let inner): return .not(withOtherConstants(inner))
    case .and(let parts): return .and(parts.map { withOtherConstants($0) })
    case .or(let parts): return .or(parts.map { withOtherConstants($0) })
    case .geoWithin(var within):
      if let circle = circle() { within.shape = .circle(circle) }
      return .geoWithin(within)
    case .relation(var relation):
      if case .geometry = relation.right { relation.right = .geometry(geometry()) }
      return .relation(relation)
    case .comparison(var comparison):
      comparison.right = withOtherConstants(comparison.right)
      return .comparison(comparison)
    }
  }

  private mutating func withOtherConstants(_ operand: Operand) -> Operand {
    switch operand {
    case .value(let value): return .value(other(value))
    case .list(let values):
      switch below(6) {
      case 0: return .list([])
      // BETWEEN with its bounds in the wrong order.
      case 1: return .list(values.reversed())
      default: return .list(values.map { other($0) })
      }
    default: return operand
    }
  }

  /// Another constant, usually of the same type.
  private mutating func other(_ value: Value) -> Value {
    if oneIn(8) { return .null }
    if oneIn(12) { return .double(.nan) }
    switch value {
    case .int(let number): return .int(number &+ Int64(below(40) - 20))
    case .double(let number): return .double(number + self.number(-5...5))
    case .float(let number): return .float(number + Float(self.number(-5...5)))
    case .bool: return .bool(oneIn(2))
    case .string(let text): return .string(oneIn(3) ? "" : String(text.dropLast(below(3))))
    case .date(let date): return oneIn(2) ? value : .date(date)
    default: return value
    }
  }

  private mutating func circle() -> GeoCircle? {
    guard
      let center = GeoPoint(latitude: number(-80...80), longitude: number(-180...180)),
      let radius = Distance.kilometers(number(0...6000))
    else { return nil }
    return GeoCircle(center: center, radius: radius)
  }
}
