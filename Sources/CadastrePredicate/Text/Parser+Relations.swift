import CadastreGeometry
import CadastreModel

/// Reads relations between geometries.
extension Parser {
  /// Reads the relation that a word after its left side begins; nil for other words.
  mutating func relation(
    _ left: Side, _ start: TextSpan
  ) throws(QueryPredicateError) -> QueryPredicate? {
    guard case .keyword(let keyword) = token.kind,
      let kind = GeometryRelation.Kind.named.first(where: { $0.word == keyword })
    else { return nil }
    try advance()
    let edges = try edgeModel()
    let span = token.span
    let (first, quantifier) = try geometrySide(left, keyword.rawValue, start)
    if try takeParameter(.geometry) {
      return .relation(
        GeometryRelation(
          first, kind, .geometry(Geometry()), edges: edges, quantifier: quantifier))
    }
    if let objects = try objectGeometries() {
      return .regular(
        GeometryRelation(first, kind, .objects(objects), edges: edges, quantifier: quantifier))
    }
    let right = try wholeRegion { (parser) throws(QueryPredicateError) in try parser.side() }
    let (second, other) = try geometrySide(right, keyword.rawValue, span)
    guard other == .any else {
      throw QueryPredicateError(
        .syntax, "ANY, ALL and NONE can only be on the left of \(keyword.rawValue)", span: span)
    }
    return .regular(
      GeometryRelation(first, kind, second, edges: edges, quantifier: quantifier))
  }

  /// `[spherical]` or `[planar]`; spherical where neither is written.
  mutating func edgeModel() throws(QueryPredicateError) -> EdgeModel {
    guard let word = try bracketedWord() else { return .spherical }
    guard let model = EdgeModel(rawValue: word.text.lowercased()) else {
      throw QueryPredicateError(
        .syntax, "expected [spherical] or [planar], found [\(word.text)]", span: word.span)
    }
    return model
  }

  func geometrySide(
    _ side: Side, _ word: String, _ span: TextSpan
  ) throws(QueryPredicateError) -> (GeometryRelation.Side, Quantifier) {
    switch side {
    case .shape(let shape): return (.region(shape), .any)
    case .operand(.value(.geometry(let geometry))): return (.geometry(geometry), .any)
    case .operand(.value(.string(let text))):
      return (try Self.geometrySide(text, span), .any)
    case .operand(.content(.members(let members))):
      if let point = Self.point(members) { return (.geometry(point), .any) }
    case .operand(let operand):
      if let (quantifier, path) = operand.values { return (.path(path), quantifier) }
    }
    throw QueryPredicateError(
      .invalidArgument,
      "\(word) needs a property, geoBox, geoCircle, geoPolygon, geometry, or an argument that holds "
        + "one on each side", span: span)
  }

  /// Returns the geometry of the members of a GeoJSON point; nil for others.
  private static func point(_ members: [EmbeddedMember]) -> Geometry? {
    func content(_ name: String) -> PredicateArgument? {
      members.first { $0.name == name }?.content
    }
    guard case .value(.string("Point")) = content("type"),
      case .list(let numbers) = content("coordinates"), numbers.count >= 2,
      let longitude = numbers[0].doubleValue, let latitude = numbers[1].doubleValue,
      let position = GeoPosition(longitude: longitude, latitude: latitude)
    else { return nil }
    return try? Geometry(.point(position))
  }

  /// Reads `ANY Class.path WHERE (predicate)`, the geometries of objects of a class, where it begins.
  mutating func objectGeometries() throws(QueryPredicateError) -> ObjectGeometries? {
    guard token.kind == .keyword(.any) || token.kind == .keyword(.some) else { return nil }
    try advance()
    try enter(&subqueries, Self.maximumSubqueries, "subqueries")
    variables.append(Self.noVariable)
    defer {
      variables.removeLast()
      subqueries -= 1
    }
    let path = try propertyPath("a class and a path to its geometries after ANY")
    guard path.steps.count > 1, case .property(let className) = path.steps[0] else {
      throw QueryPredicateError(
        .syntax,
        "expected a class and a path to its geometries after ANY, such as ANY Country.border, found "
          + "'\(path)'; the geometries of this object's properties can be several on the left only",
        span: path.span)
    }
    let geometries = PropertyPath(
      steps: Array(path.steps.dropFirst()), span: path.span,
      stepSpans: path.steps.indices.dropFirst().compactMap { path.span(ofStep: $0) })
    guard case .name(let word, _) = token.kind, word.uppercased() == "WHERE" else {
      return ObjectGeometries(of: className, at: geometries)
    }
    try advance()
    guard try take("(") else { throw expected("'(' and a predicate after WHERE") }
    let predicate = try predicate()
    guard try take(")") else { throw expected("')'") }
    return ObjectGeometries(of: className, at: geometries, where: predicate)
  }

  /// Reads a region or geometry given as a string: a region in the syntax of predicates, WKT or
  /// GeoJSON.
  private static func geometrySide(
    _ text: String, _ span: TextSpan
  ) throws(QueryPredicateError) -> GeometryRelation.Side {
    if let geometry = try? Self.geometry(text, span) { return .geometry(geometry) }
    do throws(QueryPredicateError) {
      var parser = try Parser(text, arguments: [])
      if case .shape(let shape) = try parser.side(), parser.token.kind == .end {
        return .region(shape)
      }
    } catch {
      throw QueryPredicateError(.invalidArgument, "region '\(text)': \(error.message)", span: span)
    }
    throw QueryPredicateError(
      .invalidArgument,
      "expected geoBox, geoCircle, geoPolygon, WKT or GeoJSON, found '\(text)'", span: span)
  }

  /// `geometry('WKT or GeoJSON')`, from after its opening bracket.
  mutating func geometryLiteral() throws(QueryPredicateError) -> Value {
    let span = token.span
    let value: Value?
    switch token.kind {
    case .constant(let constant): value = constant
    case .argument(let index): value = try argument(index, span).value
    case .nextArgument: value = try takeNextArgument(span).value
    default: value = nil
    }
    guard case .string(let text)? = value else { throw expected("WKT or GeoJSON in quotes") }
    try advance()
    return .geometry(try Self.geometry(text, span))
  }

  private static func geometry(
    _ text: String, _ span: TextSpan
  ) throws(QueryPredicateError) -> Geometry {
    do throws(GeometryTextError) {
      let isJSON = text.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")
      return isJSON ? try Geometry(geoJSON: text) : try Geometry(wkt: text)
    } catch {
      throw QueryPredicateError(.invalidArgument, "geometry: \(error.description)", span: span)
    }
  }
}
