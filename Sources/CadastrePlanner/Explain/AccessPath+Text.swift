import CadastreGeometry
import CadastreModel
import CadastrePredicate

extension AccessPath: CustomStringConvertible {
  /// The line of a plan: the kind, the class, and what is looked for, in the user's names.
  package var description: String {
    switch self {
    case .nothing(let className): "Nothing \(className)"
    case .scan(let className): "Scan \(className)"
    case .keyLookup(let className, let path, let values):
      "KeyLookup \(className).\(path) \(Self.keys(values))"
    case .indexSearch(let className, let path, let ranges):
      "IndexSearch \(className).\(path) "
        + (ranges.isEmpty ? "nothing" : Self.shortened(ranges.map(Self.interval)))
    case .spatialSearch(let className, let path, let inside):
      "SpatialSearch \(className).\(path) \(Self.regions(inside))"
    case .orderedSearch(let className, let path, let isAscending):
      "OrderedSearch \(className).\(path) \(isAscending ? "ascending" : "descending")"
    case .nearestSearch(let className, let path, let origin):
      "NearestSearch \(className).\(path) from [\(origin.longitude), \(origin.latitude)]"
    case .placeSearch(let className, let path, let longitude, let latitude):
      "SpatialSearch \(className).\(path) at [\(longitude), \(latitude)]"
    case .intersection(let className, _): "Intersection \(className)"
    case .union(let className, _): "Union \(className)"
    case .complement(let className, _): "Complement \(className)"
    case .textSearch(let className, let path, let pattern):
      "TextSearch \(className).\(path) for \(pattern)"
    case .linkSearch(let className, let property, .objects(let objects)):
      "LinkSearch \(className).\(property) to "
        + Self.shortened(objects.map { "\(Operand.object($0))" })
    case .linkSearch(let className, let property, .found(let plan)):
      "LinkSearch \(className).\(property) to objects of \(plan.query.className)"
    case .linkedSearch(let className, let origin, let property, .objects(let objects)):
      "LinkSearch \(className) from \(origin).\(property) of "
        + Self.shortened(objects.map { "\(Operand.object($0))" })
    case .linkedSearch(let className, let origin, let property, .found):
      "LinkSearch \(className) from \(origin).\(property)"
    }
  }

  private static func keys(_ values: [Value]) -> String {
    values.count == 1
      ? "== \(Operand.value(values[0]))"
      : "in {" + shortened(values.map { "\(Operand.value($0))" }) + "}"
  }

  /// A range as an interval, `(500, 900]`, or `== 5` for a single value.
  private static func interval(_ range: ValueRange) -> String {
    if let single = range.single { return "== \(Operand.value(single))" }
    let lower = range.lower.map { ($0.isIncluded ? "[" : "(") + "\(Operand.value($0.value))" }
    let upper = range.upper.map { "\(Operand.value($0.value))" + ($0.isIncluded ? "]" : ")") }
    return "\(lower ?? "(…"), \(upper ?? "…)")"
  }

  private static func shortened(_ texts: [String]) -> String {
    let shown = texts.prefix(8).joined(separator: ", ")
    return texts.count > 8 ? shown + ", … \(texts.count) in all" : shown
  }

  /// One region as it is, several as the condition that they are in.
  private static func regions(_ inside: QueryPredicate) -> String {
    guard case .geoWithin(let within) = inside else { return "where \(inside.summary)" }
    return "within\(within.edges == .planar ? " planar" : "") \(within.shape.summary)"
  }
}
