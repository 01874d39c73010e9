import CadastreGeometry
import CadastreModel
import CadastrePredicate

extension AccessPath: CustomStringConvertible {
  /// The line of a plan: the kind, the class, and the condition, in the user's names.
  package var description: String {
    switch self {
    case .nothing(let className): "Nothing \(className)"
    case .scan(let className): "Scan \(className)"
    case .keyLookup(let path, let values):
      "KeyLookup \(path.root.className).\(path) \(Self.keys(values))"
    case .indexSearch(let index, let ranges):
      "IndexSearch \(index) "
        + (ranges.isEmpty ? "nothing" : Self.shortened(ranges.map { Self.interval($0, index) }))
    case .spatialSearch(let index, let inside):
      "SpatialSearch \(index) \(Self.regions(inside.predicate))"
    case .relationSearch(let index, let relation):
      "SpatialSearch \(index) where \(BoundPredicate.relation(relation).summary)"
    case .distanceSearch(let index, let search):
      "SpatialSearch \(index) within the greatest distance of "
        + "\(BoundPredicate.comparison(search.comparison).summary)"
    case .orderedSearch(let index, let ranges, let isAscending):
      "OrderedSearch \(index) "
        + (ranges == EntryRange.everything
          ? "" : Self.shortened(Self.intervals(ranges, index)) + " ")
        + (isAscending ? "ascending" : "descending")
    case .nearestSearch(let index, let origin):
      "NearestSearch \(index) from [\(origin.longitude), \(origin.latitude)]"
    case .pointSearch(let index, let longitude, let latitude):
      "SpatialSearch \(index) at [\(longitude), \(latitude)]"
    case .textSearch(let index, let pattern): "TextSearch \(index) for \(pattern)"
    case .intersection(let className, _): "Intersection \(className)"
    case .union(let className, _): "Union \(className)"
    case .complement(let className, _): "Complement \(className)"
    case .linkSearch(let className, let link, .objects(let objects)):
      "LinkSearch \(className).\(link.property.name) to "
        + Self.shortened(objects.map { "\(Operand.object($0))" })
    case .linkSearch(let className, let link, .found(let plan)):
      "LinkSearch \(className).\(link.property.name) to objects of \(plan.query.className)"
    case .linkedSearch(let className, let links, .objects(let objects)):
      "LinkSearch \(className) from \(Self.origin(of: links)) of "
        + Self.shortened(objects.map { "\(Operand.object($0))" })
    case .linkedSearch(let className, let links, .found):
      "LinkSearch \(className) from \(Self.origin(of: links))"
    }
  }

  /// The property whose links a property of linking objects contains.
  private static func origin(of links: Property) -> String {
    "\(links.objectClassName ?? "").\(links.linkOriginPropertyName ?? "")"
  }

  private static func keys(_ values: [Value]) -> String {
    values.count == 1
      ? "== \(Operand.value(values[0]))"
      : "in {" + shortened(values.map { "\(Operand.value($0))" }) + "}"
  }

  /// Ranges as intervals; only the leading values where all entries with them are in the ranges.
  private static func intervals(_ ranges: [EntryRange], _ index: IndexReference) -> [String] {
    let leading = ranges.first?.leading ?? []
    guard !leading.isEmpty,
      ranges == ValueRange.everything.map({ EntryRange(leading: leading, $0) })
    else { return ranges.map { interval($0, index) } }
    return [given(leading, index).joined(separator: " and ")]
  }

  /// A range of entries, with the values of the leading properties.
  private static func interval(_ range: EntryRange, _ index: IndexReference) -> String {
    guard !index.isSingle else { return interval(range.values) }
    let last = "\(index.properties[range.leading.count]) \(interval(range.values))"
    return (given(range.leading, index) + [last]).joined(separator: " and ")
  }

  private static func given(_ leading: [Value], _ index: IndexReference) -> [String] {
    leading.enumerated().map { "\(index.properties[$0]) == \(Operand.value($1))" }
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

  /// A single region as it is, several with the logic around them.
  private static func regions(_ inside: BoundPredicate) -> String {
    guard case .geoWithin(let within) = inside else { return "where \(inside.summary)" }
    return "within\(within.edges == .planar ? " planar" : "") \(within.shape.written.summary)"
  }
}

extension IndexReference: CustomStringConvertible {
  /// The class and the property, or the properties of a compound index in parentheses.
  package var description: String {
    isSingle
      ? "\(className).\(path)"
      : "\(className)(\(properties.map(\.description).joined(separator: ", ")))"
  }
}
