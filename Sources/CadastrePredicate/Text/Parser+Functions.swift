import CadastreGeometry
import CadastreModel
import Foundation

/// The names that are functions where a bracket follows, in lower case.
enum Function: String, CaseIterable {
  case geoBox = "geobox"
  case geoCircle = "geocircle"
  case geoPolygon = "geopolygon"
  case geoMultiPolygon = "geomultipolygon"
  case geometry
  case geoDistance = "geodistance"
  case oid
  case uuid
  case decimal
  case bin
  case binary
  case obj
  case objKey = "objkey"
  case list
  case map
  case subquery
  case now
  case year
  case month
  case day
  case hour
  case minute
  case second

  /// The name as it is usually written.
  private var name: String {
    switch self {
    case .geoBox, .geoCircle, .geoPolygon, .geoMultiPolygon, .objKey: "\(self)"
    case .subquery: "SUBQUERY"
    case .geoDistance: "GEODISTANCE"
    default: rawValue
    }
  }

  /// The error at an unknown function name.
  static func unknown(_ name: String, _ span: TextSpan) -> QueryPredicateError {
    let nearest = NameSuggestion.nearest(to: name, among: allCases.map(\.name))
    return QueryPredicateError(
      .syntax,
      "unknown function '\(name.prefix(40))'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""),
      span: span)
  }
}

extension Parser {
  // MARK: Regions

  mutating func shape(_ function: Function, _ span: TextSpan) throws(QueryPredicateError)
    -> GeoShape
  {
    let unchecked: UncheckedShape
    switch function {
    case .geoCircle:
      let center = try position()
      guard try take(",") else { throw expected("',' and a radius such as 50km") }
      unchecked = .circle(center, radiusInRadians: try radius())
    case .geoBox:
      let first = try position()
      guard try take(",") else { throw expected("',' and the opposite corner") }
      unchecked = .box(first, try position())
    case .geoMultiPolygon: unchecked = .multiPolygon(try polygons())
    default: unchecked = .polygon(try rings())
    }
    do throws(RegionError) {
      return try unchecked.checked()
    } catch {
      throw QueryPredicateError(.invalidArgument, error.description, span: span)
    }
  }

  /// Reads a radius: a number and a unit, or a number of radians.
  mutating func radius() throws(QueryPredicateError) -> Double {
    let (number, unit) = try length()
    // A negative radius is refused when the region is checked.
    return unit?.distance(number)?.radians ?? number
  }

  /// Reads a number and the unit of distance after it; nil without one.
  mutating func length() throws(QueryPredicateError) -> (number: Double, unit: DistanceUnit?) {
    (try coordinate("a distance such as 50km"), try unit())
  }

  /// Reads a unit of distance; nil if the token is not a name.
  mutating func unit() throws(QueryPredicateError) -> DistanceUnit? {
    guard case .name(let symbol, isForced: false) = token.kind, orderingWord == nil else {
      return nil
    }
    guard let unit = DistanceUnit(symbol: symbol) else {
      let units = DistanceUnit.allCases.map(\.rawValue).joined(separator: ", ")
      throw expected("')' or a unit of distance, one of \(units)")
    }
    try advance()
    return unit
  }

  private mutating func polygons() throws(QueryPredicateError) -> [[[UncheckedShape.Position]]] {
    var polygons: [[[UncheckedShape.Position]]] = []
    repeat {
      guard case .name(let name, _) = token.kind,
        Function(rawValue: name.lowercased()) == .geoPolygon
      else { throw expected("geoPolygon(…)") }
      try advance()
      guard try take("(") else { throw expected("'('") }
      polygons.append(try rings())
      guard try take(")") else { throw expected("')'") }
    } while try take(",")
    return polygons
  }

  private mutating func rings() throws(QueryPredicateError) -> [[UncheckedShape.Position]] {
    var rings: [[UncheckedShape.Position]] = []
    repeat {
      guard try take("{") else { throw expected("'{' and the corners of a ring") }
      var ring = [try position()]
      while try take(",") { ring.append(try position()) }
      guard try take("}") else { throw expected("',' or '}'") }
      rings.append(ring)
    } while try take(",")
    return rings
  }

  private mutating func position() throws(QueryPredicateError) -> UncheckedShape.Position {
    guard try take("[") else { throw expected("'[' and a longitude") }
    let longitude = try coordinate("a longitude")
    guard try take(",") else { throw expected("',' and a latitude") }
    let latitude = try coordinate("a latitude")
    let altitude = try take(",") ? try coordinate("an altitude") : 0
    guard try take("]") else { throw expected("']'") }
    return UncheckedShape.Position(
      longitude: longitude, latitude: latitude, altitude: altitude)
  }

  private mutating func coordinate(_ what: String) throws(QueryPredicateError) -> Double {
    let span = token.span
    let value: Value?
    switch token.kind {
    case .constant(let constant): value = constant
    case .argument(let index): value = try argument(index, span).value
    case .nextArgument: value = try takeNextArgument(span).value
    default: throw expected(what)
    }
    guard let number = value?.doubleValue else {
      throw QueryPredicateError(.invalidArgument, "expected \(what) as a number", span: span)
    }
    try advance()
    return number
  }

  // MARK: Values without tokens of their own

  mutating func bytes() throws(QueryPredicateError) -> Value {
    let data: Data
    switch token.kind {
    case .constant(.string(let text)): data = Data(text.utf8)
    case .constant(.data(let bytes)): data = bytes
    default: throw expected("a string")
    }
    try advance()
    return .data(data)
  }

  /// An object id, a UUID or a decimal; the token is the opening bracket.
  mutating func identifier(
    _ function: Function, _ span: TextSpan
  ) throws(QueryPredicateError) -> Value {
    let text = try rawUntilBracket()
    switch function {
    case .oid:
      guard let bytes = Hexadecimal.bytes(text), bytes.count == 12 else {
        throw QueryPredicateError(
          .syntax, "expected oid(24 hexadecimal digits), found '\(text.prefix(80))'", span: span)
      }
      return .objectId(ObjectId(bytes: bytes))
    case .decimal:
      guard let number = Decimal128(parsing: text) else {
        throw QueryPredicateError(
          .syntax, "expected decimal(a number), found '\(text.prefix(80))'", span: span)
      }
      return .decimal(number)
    default:
      guard let uuid = UUID(uuidString: text) else {
        throw QueryPredicateError(
          .syntax, "expected uuid(8-4-4-4-12 hexadecimal digits), found '\(text.prefix(80))'",
          span: span)
      }
      return .uuid(uuid)
    }
  }

  /// `obj('Class', primary key)`, `objKey('Class', row key)`, or, of an object embedded in the row
  /// of its owner, `objKey('Class', number, 'Owner', row key, 'property', …)`.
  mutating func object(_ function: Function) throws(QueryPredicateError) -> ObjectReference {
    guard case .constant(.string(let className)) = token.kind else {
      throw expected("a class name in quotes")
    }
    try advance()
    guard try take(",") else { throw expected("','") }
    let value: Value
    switch token.kind {
    case .constant(let constant): value = constant
    case .argument(let index): value = try argument(index, token.span).value ?? .null
    case .nextArgument: value = try takeNextArgument(token.span).value ?? .null
    case .name(let name, _):
      guard let function = Function(rawValue: name.lowercased()),
        function == .oid || function == .uuid || function == .decimal
      else { throw expected("a primary key") }
      let span = token.span
      try advance()
      guard token.isMark("(") else { throw expected("'('") }
      value = try identifier(function, span)
      guard token.isMark(")") else { throw expected("')'") }
    default: throw expected("a primary key")
    }
    switch value {
    // No property of these types is a primary key.
    case .float, .double, .data, .geometry, .list, .map, .link, .object:
      throw expected("a primary key")
    case .null, .bool, .int, .string, .date, .objectId, .uuid, .decimal: break
    }
    try advance()
    guard function == .objKey else {
      return ObjectReference(className: className, identity: .primaryKey(value))
    }
    guard case .int(let key) = value else {
      return ObjectReference(className: className, identity: .unmanaged)
    }
    guard token.isMark(",") else {
      return ObjectReference(className: className, identity: .key(ObjectKey(key)))
    }
    return ObjectReference(className: className, identity: try embedded(number: key))
  }

  /// The owner's class and key and the names of properties; the token is the comma before them.
  private mutating func embedded(
    number: Int64
  ) throws(QueryPredicateError) -> ObjectReference.Identity {
    try advance()
    let ownerClass = try text("the owner's class name in quotes")
    guard try take(",") else { throw expected("','") }
    guard case .constant(.int(let key)) = token.kind else { throw expected("the owner's row key") }
    try advance()
    var names: [String] = []
    while try take(",") { names.append(try text("the name of a property in quotes")) }
    guard !names.isEmpty else { throw expected("','") }
    return .embedded(
      in: ObjectAddress(className: ownerClass, key: ObjectKey(key)), at: PropertyPath(names),
      number: number)
  }

  private mutating func text(_ what: String) throws(QueryPredicateError) -> String {
    guard case .constant(.string(let text)) = token.kind else { throw expected(what) }
    try advance()
    return text
  }
}
