import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Translates bound predicates to SQL over an exported Parquet file.
struct FileTranslator: ConditionTranslator {
  /// The alias of the file.
  static let alias = "t"

  let dialect: SQLDialect
  let schema: Schema
  /// The property of the geometry column, and whether its values are points; nil for none.
  let geometry: (property: String, isPoint: Bool)?
  /// Sentences about possible differences of the result.
  private(set) var notes: [String] = []
  private var aliasCount = 0

  /// Creates a translator for the objects of a class.
  ///
  /// - Throws: ``UntranslatablePart`` if the store has no such class.
  init(_ dialect: SQLDialect, _ schema: Schema, _ className: String) throws(UntranslatablePart) {
    self.dialect = dialect
    self.schema = schema
    guard let root = schema[className] else {
      throw UntranslatablePart(
        part: className, reason: "there is no such class", engine: Self.name(dialect))
    }
    // The export chooses the geometry column in the same way.
    let shape = root.properties.first { $0.type == .geometry && $0.collection == nil }
    let property = shape ?? root.properties.first(where: schema.isPoint)
    geometry = property.map { ($0.name, shape == nil) }
  }

  var engine: String { Self.name(dialect) }

  /// Returns the name of the engine.
  static func name(_ dialect: SQLDialect) -> String {
    switch dialect {
    case .duckdb: "DuckDB"
    case .sedona: "SedonaDB"
    case .postgis: "PostgreSQL"
    }
  }

  mutating func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

  mutating func newAlias() -> String {
    aliasCount += 1
    return "u\(aliasCount)"
  }

  func refused(_ part: some CustomStringConvertible, _ reason: String) -> UntranslatablePart {
    UntranslatablePart(part: "\(part)", reason: reason, engine: Self.name(dialect))
  }

  // MARK: Literals

  /// Returns a text as a literal.
  static func literal(_ text: String) -> String {
    "'" + text.replacing("'", with: "''") + "'"
  }

  /// Returns an integer as a literal.
  static func literal(_ number: Int64) -> String { "CAST('\(number)' AS BIGINT)" }

  /// Returns a floating-point number as a literal.
  static func literal(_ number: Double) -> String {
    let text = number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    return "CAST('\(text)' AS DOUBLE)"
  }
}

extension FileTranslator {
  /// A value at the end of a path.
  struct Operand {
    let type: PropertyType
    /// The expression.
    let text: String
  }

  /// Returns the value at the end of a path to one value.
  func operand(_ path: BoundPath) throws(UntranslatablePart) -> Operand {
    try operand(path.hops[...], from: nil, isObject: true, path)
  }

  /// Returns the value at the end of a part of a path.
  ///
  /// - Parameters:
  ///   - hops: The part.
  ///   - start: The expression of the start of the part; nil for a row of the file.
  ///   - isObject: Whether the part begins at an object.
  ///   - path: The path, for messages.
  /// - Returns: The value.
  /// - Throws: ``UntranslatablePart``.
  func operand(
    _ hops: ArraySlice<BoundPath.Hop>, from start: String?, isObject: Bool, _ path: BoundPath
  ) throws(UntranslatablePart) -> Operand {
    var text = start
    var type: PropertyType?
    var isObject = isObject
    var hops = hops
    while let hop = hops.popFirst() {
      guard isObject, case .property(let bound) = hop else {
        throw refused(path, "a part of it is not translated")
      }
      let property = bound.property
      text = member(property.name, of: text)
      if property.collection != nil {
        guard hops.count == 1, hops.first == .count(ofLink: false), property.type != .linkingObjects
        else {
          throw refused(path, "a whole collection is not compared")
        }
        let function = property.collection == .map ? "cardinality" : "array_length"
        return Operand(type: .int, text: "coalesce(\(function)(\(text ?? "")), 0)")
      }
      isObject = property.type == .object && bound.target.contains(.inline)
      if isObject, bound.target.contains(.point) {
        throw refused(path, "a point is compared by GEOWITHIN only")
      }
      type = property.type
    }
    guard let type, let text, !isObject, type != .object, type != .linkingObjects else {
      throw refused(path, "links and embedded objects are not compared")
    }
    guard ![.any, .decimal128, .objectId, .geometry].contains(type) else {
      throw refused(path, "values of type '\(type)' are text or binary in the file")
    }
    return Operand(type: type, text: text)
  }

  /// Returns the expression of a member of a row or a structure.
  func member(_ name: String, of structure: String?) -> String {
    guard let structure else { return SQLTranslator.column(Self.alias, name) }
    let member = "\(structure)[\(Self.literal(name))]"
    // SedonaDB returns 0 or an empty text for a required member of a structure that is null.
    return dialect == .sedona
      ? "(CASE WHEN \(structure) IS NULL THEN NULL ELSE \(member) END)" : member
  }

  /// Returns the condition that any, all or none of the elements of a list satisfy a condition.
  mutating func quantified(
    _ quantifier: Quantifier, _ path: BoundPath,
    _ leaf: (inout FileTranslator, Operand) throws(UntranslatablePart) -> String
  ) throws(UntranslatablePart) -> String {
    guard let index = path.hops.firstIndex(of: .elements), index > 0,
      case .property(let list) = path.hops[index - 1], list.property.collection != .map,
      list.property.type != .linkingObjects,
      list.property.type != .object || list.target.contains(.embedded),
      !path.hops[(index + 1)...].contains(where: \.selectsElements)
    else { throw refused(path, "only the elements of one list are compared") }
    guard dialect == .duckdb else {
      throw refused(path, "SedonaDB runs no subquery over the elements of a list")
    }
    var array: String?
    for case .property(let bound) in path.hops[..<index] {
      array = member(bound.property.name, of: array)
    }
    let value = "\(newAlias())"
    let element = "\(value).v"
    let rest = path.hops[(index + 1)...]
    let operand =
      rest.isEmpty && list.property.type != .object
      ? try self.element(list.property.type, element, path)
      : try self.operand(rest, from: element, isObject: true, path)
    let condition = try leaf(&self, operand)
    let filter = quantifier == .all ? SQLTranslator.not(condition) : condition
    let exists = "EXISTS (SELECT 1 FROM unnest(\(array ?? "")) AS \(value)(v) WHERE \(filter))"
    return quantifier == .any ? exists : SQLTranslator.not(exists)
  }

  private func element(
    _ type: PropertyType, _ text: String, _ path: BoundPath
  ) throws(UntranslatablePart) -> Operand {
    guard ![.any, .decimal128, .objectId, .geometry].contains(type) else {
      throw refused(path, "values of type '\(type)' are text or binary in the file")
    }
    return Operand(type: type, text: text)
  }
}

/// Regions as conditions on the coordinates of points.
extension FileTranslator {
  private static let column = "geometry"

  /// Returns the condition that a point lies in a region.
  mutating func condition(_ within: BoundGeoWithin) throws(UntranslatablePart) -> String {
    guard within.path.hops.count == 1, case .property(let bound)? = within.path.hops.first,
      bound.property.name == geometry?.property
    else { throw refused(within.path, "only the first geometry of the class has a column") }
    guard geometry?.isPoint == true else {
      throw refused(within.path, "regions are translated for points only")
    }
    let point = SQLTranslator.column(Self.alias, Self.column)
    let longitude = "ST_X(\(point))"
    let latitude = "ST_Y(\(point))"
    var parts: [String] = []
    for outline in within.shape.prepared.outlines {
      let part = try contains(outline, longitude: longitude, latitude: latitude)
      // SedonaDB returns NaN for the coordinates of null.
      parts.append("(\(point) IS NOT NULL AND \(part))")
    }
    if dialect == .duckdb { note("Needs the extension spatial: LOAD spatial;") }
    return "(" + parts.joined(separator: " OR ") + ")"
  }

  private mutating func contains(
    _ outline: RegionOutline, longitude: String, latitude: String
  ) throws(UntranslatablePart) -> String {
    switch outline {
    case .everything: return "true"
    case .envelope(let envelope):
      return "\(longitude) BETWEEN \(Self.literal(envelope.west)) AND "
        + "\(Self.literal(envelope.east)) AND \(latitude) BETWEEN "
        + "\(Self.literal(envelope.south)) AND \(Self.literal(envelope.north))"
    case .circle(let circle): return self.circle(circle, longitude, latitude)
    case .planar(let rings):
      return "ST_Intersects(ST_GeomFromText(\(Self.wellKnownText(rings))), "
        + "ST_Point(\(longitude), \(latitude)))"
    case .spherical(let rings):
      guard dialect == .sedona else {
        throw refused(
          "GEOWITHIN",
          "its polygons have straight edges on the map, not great circles; --edges planar has the same"
        )
      }
      guard !rings.contains(where: WellKnownBinary.hasHalfCircle) else {
        throw refused("GEOWITHIN", "an edge of the region is half of a great circle")
      }
      note("ST_Intersects may differ for points within a micrometre of the border of a region.")
      return "ST_Intersects(ST_GeogFromText(\(Self.wellKnownText(rings))), "
        + "ST_GeogPoint(\(longitude), \(latitude)))"
    case .mixed:
      throw refused("GEOWITHIN", "the region has edges of 360° of longitude beside other edges")
    case .line: throw refused("GEOWITHIN", "the region is a line")
    }
  }

  private mutating func circle(
    _ circle: GeoCircle, _ longitude: String, _ latitude: String
  ) -> String {
    note(
      "The distance is computed by its formula, on a sphere of 6,378,100 m; distance functions use another radius or "
        + "an ellipsoid. Rounding may decide points within a micrometre of the circle.")
    let center = (Self.literal(circle.center.longitude), Self.literal(circle.center.latitude))
    // The bounding box column allows to skip row groups.
    let reach = circle.radiusInRadians * 180 / .pi + 1e-5
    let (south, north) = (circle.center.latitude - reach, circle.center.latitude + reach)
    let angle = SQLTranslator.angle(center, (longitude, latitude))
    return "\(Self.side("ymax")) >= \(Self.literal(south)) AND "
      + "\(Self.side("ymin")) <= \(Self.literal(north)) AND "
      + "\(angle) <= \(Self.literal(circle.radiusInRadians))"
  }

  private static func side(_ name: String) -> String {
    "\(SQLTranslator.column(alias, "bbox"))[\(literal(name))]"
  }

  /// Returns a polygon as well-known text, as a literal.
  private static func wellKnownText(_ rings: [[RegionOutline.Position]]) -> String {
    let texts = rings.map { ring in
      "(" + ring.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ", ") + ")"
    }
    return literal("POLYGON (\(texts.joined(separator: ", ")))")
  }
}
