import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreTestSupport

/// A text with parameters, and what its arguments are drawn from.
struct CachedPlanShape {
  /// What a parameter is compared with.
  struct Comparand {
    let path: String
    let type: PropertyType
    let isNullable: Bool

    init(_ path: String, _ type: PropertyType, isNullable: Bool = false) {
      self.path = path
      self.type = type
      self.isNullable = isNullable
    }
  }

  /// A parameter.
  enum Parameter {
    /// A value.
    case value(Comparand)
    /// The list of an IN.
    case list(Comparand)
    /// The list of a BETWEEN.
    case bounds(Comparand)
    /// The region of a GEOWITHIN or a GEODISTANCE.
    case region
    /// A port, or null.
    case object
    /// Several ports.
    case objects
  }

  private(set) var text = ""
  private(set) var parameters: [Parameter] = []
  private(set) var order: [SortKey] = []
  private(set) var offset = 0
  private(set) var limit: Int?

  /// Draws a shape.
  ///
  /// - Parameters:
  ///   - isOrdered: Whether the shape may have an order and a limit.
  ///   - random: The generator.
  init(isOrdered: Bool, _ random: inout SeededGenerator) {
    let isNumbered = random.oneIn(2)
    text = logic(depth: random.below(3), &random)
    // The parameters are numbered in the order of the text.
    if !isNumbered { for number in parameters.indices.reversed() { unnumber(number) } }
    guard isOrdered, random.oneIn(3) else { return }
    let paths = ["crew", "draft", "length", "name", "built", "id", "port.depth"]
    order = (0..<random.below(2) + 1).map { _ in
      SortKey(PropertyPath(random.pick(paths)), isAscending: random.oneIn(2))
    }
    if random.oneIn(2) { limit = random.pick([0, 1, 5, 1000]) }
    if random.oneIn(4) { offset = random.pick([1, 7]) }
  }

  private mutating func unnumber(_ number: Int) {
    text = text.replacing("$\(number)", with: "%@", maxReplacements: 1)
  }

  // MARK: Text

  private mutating func logic(depth: Int, _ random: inout SeededGenerator) -> String {
    guard depth > 0 else { return term(&random) }
    switch random.below(5) {
    case 0: return "NOT (\(logic(depth: depth - 1, &random)))"
    case 1:
      return "(\(logic(depth: depth - 1, &random)) OR \(logic(depth: depth - 1, &random)))"
    default:
      return (0..<random.below(2) + 2).map { _ in logic(depth: depth - 1, &random) }
        .joined(separator: " AND ")
    }
  }

  /// Adds a parameter and returns its placeholder.
  private mutating func placeholder(_ parameter: Parameter) -> String {
    parameters.append(parameter)
    return "$\(parameters.count - 1)"
  }

  private static let scalars = [
    Comparand("id", .int), Comparand("crew", .int), Comparand("crew", .int),
    Comparand("seats", .int, isNullable: true), Comparand("length", .float, isNullable: true),
    Comparand("draft", .double), Comparand("draft", .double),
    Comparand("fee", .decimal128, isNullable: true), Comparand("name", .string, isNullable: true),
    Comparand("name", .string, isNullable: true), Comparand("note", .string),
    Comparand("active", .bool), Comparand("rented", .bool, isNullable: true),
    Comparand("built", .date, isNullable: true), Comparand("key", .objectId),
    Comparand("uid", .UUID, isNullable: true), Comparand("blob", .data, isNullable: true),
    Comparand("extra", .any, isNullable: true), Comparand("gear.maker", .string, isNullable: true),
    Comparand("gear.power", .int, isNullable: true),
    Comparand("port.code", .string, isNullable: true),
    Comparand("port.depth", .double, isNullable: true),
  ]
  private static let area = Comparand("area", .geometry, isNullable: true)
  private static let mark = Comparand("marks", .int)

  private mutating func term(_ random: inout SeededGenerator) -> String {
    switch random.below(20) {
    case 0: return "place GEOWITHIN \(placeholder(.region))"
    case 1: return "place GEOWITHIN[planar] \(placeholder(.region))"
    case 2: return "area GEOWITHIN \(placeholder(.region))"
    case 3: return "area \(random.pick(["==", "!="])) \(placeholder(.value(Self.area)))"
    case 4: return "port \(random.pick(["==", "!="])) \(placeholder(.object))"
    case 5: return "port IN \(placeholder(.objects))"
    case 6:
      let quantifier = random.pick(["ANY", "ALL", "NONE"])
      let operation = random.pick(["==", "!=", "<", ">="])
      return "\(quantifier) marks \(operation) \(placeholder(.value(Self.mark)))"
    case 7: return "marks.@count >= \(placeholder(.value(Self.mark)))"
    case 8: return random.pick(["crew > 3", "name != null", "active == true", "draft < 1.5"])
    case 9:
      let function = random.pick(["@min", "@max", "@sum", "@avg"])
      let path = random.pick(["marks.\(function)", "visits.\(function).depth"])
      return "\(path) \(random.pick(["<", ">=", "=="])) \(placeholder(.value(Self.mark)))"
    case 10:
      let operation = random.pick(["+", "-", "*", "/"])
      return "crew \(operation) \(random.pick(["seats", "draft", "3"])) "
        + "\(random.pick(["<", ">="])) \(placeholder(.value(Self.mark)))"
    case 11:
      return "SUBQUERY(visits, $x, $x.depth > \(random.pick(["0", "1.5"]))).@count "
        + "\(random.pick([">", "==", "<="])) \(placeholder(.value(Self.mark)))"
    case 12:
      return "GEODISTANCE(place, \(placeholder(.region))) \(random.pick(["<=", ">"])) "
        + random.pick(["draft", "crew"])
    default: return comparison(&random)
    }
  }

  private mutating func comparison(_ random: inout SeededGenerator) -> String {
    let comparand = random.pick(Self.scalars)
    switch random.below(6) {
    case 0: return "\(comparand.path) IN \(placeholder(.list(comparand)))"
    case 1 where comparand.type != .any:
      return "\(comparand.path) BETWEEN \(placeholder(.bounds(comparand)))"
    default: break
    }
    var operations = ["==", "==", "!=", "<", "<=", ">", ">="]
    if comparand.type == .string {
      operations += ["BEGINSWITH", "ENDSWITH", "CONTAINS", "BEGINSWITH[c]", "==[c]", "LIKE"]
    }
    return "\(comparand.path) \(random.pick(operations)) \(placeholder(.value(comparand)))"
  }

  // MARK: Arguments

  /// Draws an argument for each parameter, many of them at the limits of their types.
  ///
  /// Of one in four vectors, arguments may not fit.
  func arguments(from objects: PlainObjects, _ random: inout SeededGenerator) -> [PredicateArgument]
  {
    let mustFit = !random.oneIn(4)
    let keys = objects.keys("Ship")
    return parameters.map { parameter in
      switch parameter {
      case .value(let comparand):
        return .value(value(comparand, objects, keys, mustFit: mustFit, &random))
      case .list(let comparand):
        if !mustFit, random.oneIn(6) { return .value(random.value(comparand.type)) }
        return .list(
          (0..<random.below(4)).map { _ in
            value(comparand, objects, keys, mustFit: mustFit, &random)
          })
      case .bounds(let comparand):
        let bound = Comparand(comparand.path, comparand.type)
        let count = !mustFit && random.oneIn(6) ? random.below(4) : 2
        return .list(
          (0..<count).map { _ in value(bound, objects, keys, mustFit: mustFit, &random) })
      case .region: return .shape(region(&random))
      case .object:
        return random.oneIn(5) ? .value(.null) : .object(port(mustFit: mustFit, &random))
      case .objects:
        return .objects((0..<random.below(3)).map { _ in port(mustFit: mustFit, &random) })
      }
    }
  }

  private static let numbers: [Value] = [
    .int(0), .double(0), .double(-0.0), .float(-0.0), .int(.max), .int(.min), .double(0x1p63),
    .double(-0x1p63), .double(0x1p53), .double(1e300), .double(0.1), .float(0.1), .double(2.5),
    .decimal("0.1"), .decimal("-0"), .int(3), .double(3), .float(3),
  ]

  private static let notFinite: [Value] = [
    .double(.nan), .float(.nan), .double(.infinity), .double(-.infinity), .decimal("NaN"),
  ]

  private static let texts: [Value] = [
    .string(""), .string("\u{10FFFF}"), .string("x\u{10FFFF}"), .string("\u{FFFF}"), .string("\0"),
    .string("a\0b"), .string("e\u{301}"), .string("\u{e9}"), .string("al"), .string("ALMA"),
    .string("*"), .string("?"),
  ]

  private func value(
    _ comparand: Comparand, _ objects: PlainObjects, _ keys: [Int64], mustFit: Bool,
    _ random: inout SeededGenerator
  ) -> Value {
    let type = comparand.type
    switch random.below(10) {
    case 0 where !mustFit || comparand.isNullable: return .null
    case 1 where !mustFit:
      return random.value(random.pick([.bool, .int, .double, .string, .data, .date, .UUID]))
    case 2, 3, 4, 5:
      guard let key = keys.randomElement(using: &random),
        case .value(let value)? = objects.object("Ship", key)?[comparand.path],
        !value.isNull || comparand.isNullable
      else { return random.value(type) }
      return value
    case 6, 7:
      switch type {
      case .int: return random.pick(Self.numbers + (mustFit ? [] : Self.notFinite))
      case .float, .double, .decimal128: return random.pick(Self.numbers + Self.notFinite)
      case .string: return random.pick(Self.texts)
      case .any: return random.pick(Self.numbers + Self.notFinite + Self.texts)
      default: return random.value(type)
      }
    default: return random.value(type)
    }
  }

  private func region(_ random: inout SeededGenerator) -> GeoShape {
    let (longitude, latitude) = random.place()
    let (other, height) = random.place()
    guard let center = GeoPoint(latitude: latitude, longitude: longitude),
      let corner = GeoPoint(latitude: height, longitude: other),
      let circle = GeoCircle(
        center: center, radiusInRadians: random.pick([0, 0.001, 0.5, 2, .pi, 4]))
    else { preconditionFailure("\(longitude), \(latitude) is a place") }
    return random.oneIn(2)
      ? .circle(circle) : .box(GeoBox(bottomLeft: center, topRight: corner))
  }

  private func port(mustFit: Bool, _ random: inout SeededGenerator) -> ObjectReference {
    let identity: ObjectReference.Identity =
      switch random.below(5) {
      case 0: .unmanaged
      case 1: .primaryKey(.string("P\(random.below(10))"))
      case 2: .key(ObjectKey(1 << 40))
      default: .key(ObjectKey(Int64(random.below(8)) + 1))
      }
    // An object of another class does not fit.
    return ObjectReference(
      className: !mustFit && random.oneIn(3) ? "Ship" : "Port", identity: identity)
  }
}
