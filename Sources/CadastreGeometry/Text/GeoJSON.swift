// GeoJSON: Point, Polygon and MultiPolygon, also inside a Feature or a collection.
//
// Source: RFC 7946. Unknown members and numbers after the third of a position are ignored; the
// orientation of rings is ignored.

extension GeoShape {
  /// Reads a region from GeoJSON as bytes in UTF-8, such as a `Data`.
  ///
  /// The text is a Polygon, a MultiPolygon, a Feature, a FeatureCollection or a GeometryCollection.
  /// The polygons of a collection become one region.
  ///
  /// - Parameter bytes: The text in UTF-8.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the number of bytes.
  public init(geoJSON bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readGeoJSON(bytes)
    guard let shape = geometry.shape else {
      throw reader.error(expected: "a Polygon or MultiPolygon", at: 0)
    }
    self = shape
  }

  /// Reads a region from GeoJSON text.
  ///
  /// The text is a Polygon, a MultiPolygon, a Feature, a FeatureCollection or a GeometryCollection.
  /// The polygons of a collection become one region.
  ///
  /// - Parameter text: The text.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(geoJSON text: String) throws(GeometryTextError) {
    try self.init(geoJSON: text.utf8)
  }

  /// The region as GeoJSON; nil for a circle, for which GeoJSON has no type.
  ///
  /// A box becomes the polygon of its corners in their given order.
  ///
  /// - Complexity: O(n) in the number of points.
  public var geoJSON: String? {
    switch self {
    case .circle: nil
    case .polygon(let polygon): Self.geoJSON("Polygon", polygon.jsonRings)
    case .multiPolygon(let polygons):
      Self.geoJSON("MultiPolygon", "[" + polygons.map(\.jsonRings).joined(separator: ",") + "]")
    case .box(let box): box.corners.map { Self.geoJSON("Polygon", $0.jsonRings) }
    }
  }

  fileprivate static func geoJSON(_ type: String, _ coordinates: String) -> String {
    "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
  }
}

extension GeoPoint {
  /// Reads a point from GeoJSON as bytes in UTF-8: a Point, or a Feature with a Point.
  ///
  /// - Parameter bytes: The text in UTF-8.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the number of bytes.
  public init(geoJSON bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readGeoJSON(bytes)
    guard let point = geometry.point else { throw reader.error(expected: "a Point", at: 0) }
    self = point
  }

  /// Reads a point from GeoJSON text: a Point, or a Feature with a Point.
  ///
  /// - Parameter text: The text.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(geoJSON text: String) throws(GeometryTextError) {
    try self.init(geoJSON: text.utf8)
  }

  /// The point as a GeoJSON Point; the altitude is omitted if it is 0.
  public var geoJSON: String {
    GeoShape.geoJSON("Point", jsonPosition)
  }

  fileprivate var jsonPosition: String {
    "[" + coordinates.map(\.description).joined(separator: ",") + "]"
  }
}

extension GeoPolygon {
  fileprivate var jsonRings: String {
    let rings = rings.map { "[" + $0.map(\.jsonPosition).joined(separator: ",") + "]" }
    return "[" + rings.joined(separator: ",") + "]"
  }
}

extension TextReader {
  /// Reads a text to its end; returns the geometry and the reader, which makes errors.
  fileprivate static func readGeoJSON(
    _ bytes: some Sequence<UInt8>
  ) throws(GeometryTextError) -> (GeometryText, TextReader) {
    var reader = TextReader(bytes)
    let value = try reader.json()
    try reader.requireEnd()
    return (try reader.geometry(value), reader)
  }

  /// Returns the geometry of a GeoJSON object; `json` has bounded the depth of the recursion.
  private func geometry(_ value: JSONValue) throws(GeometryTextError) -> GeometryText {
    let members = try members(value)
    let type = try member("type", of: members, value)
    switch type.content {
    case .string("Feature"):
      return try geometry(try member("geometry", of: members, value))
    case .string("FeatureCollection"):
      return try union(of: try member("features", of: members, value))
    case .string("GeometryCollection"):
      return try union(of: try member("geometries", of: members, value))
    case .string("Point"):
      return .point(try point(try member("coordinates", of: members, value)))
    case .string("Polygon"):
      let polygon = try polygon(try member("coordinates", of: members, value))
      return .polygons([polygon], isMultiple: false)
    case .string("MultiPolygon"):
      var polygons: [GeoPolygon] = []
      for element in try elements(try member("coordinates", of: members, value)) {
        polygons.append(try polygon(element))
      }
      return .polygons(polygons, isMultiple: true)
    default:
      throw error(
        expected: "\"Point\", \"Polygon\", \"MultiPolygon\", \"Feature\" or a collection",
        at: type.offset)
    }
  }

  /// Returns the only geometry of a list, or the polygons of several as one region.
  private func union(of list: JSONValue) throws(GeometryTextError) -> GeometryText {
    let values = try elements(list)
    if values.count == 1 { return try geometry(values[0]) }
    var all: [GeoPolygon] = []
    for value in values {
      guard case .polygons(let polygons, _) = try geometry(value) else {
        throw error(expected: "a Polygon or MultiPolygon", at: value.offset)
      }
      all += polygons
    }
    return .polygons(all, isMultiple: true)
  }

  private func polygon(_ value: JSONValue) throws(GeometryTextError) -> GeoPolygon {
    var rings: [[GeoPoint]] = []
    for ring in try elements(value) {
      var points: [GeoPoint] = []
      for position in try elements(ring) { points.append(try point(position)) }
      rings.append(points)
    }
    return try polygon(rings, from: value.offset)
  }

  private func point(_ value: JSONValue) throws(GeometryTextError) -> GeoPoint {
    var numbers: [Double] = []
    for element in try elements(value) {
      guard case .number(let number) = element.content else {
        throw error(expected: "a number", at: element.offset)
      }
      numbers.append(number)
    }
    return try point(numbers, from: value.offset)
  }

  private func elements(_ value: JSONValue) throws(GeometryTextError) -> [JSONValue] {
    guard case .array(let elements) = value.content else {
      throw error(expected: "an array", at: value.offset)
    }
    return elements
  }

  private func members(_ value: JSONValue) throws(GeometryTextError) -> [String: JSONValue] {
    guard case .object(let members) = value.content else {
      throw error(expected: "an object", at: value.offset)
    }
    return members
  }

  private func member(
    _ name: String, of members: [String: JSONValue], _ value: JSONValue
  ) throws(GeometryTextError) -> JSONValue {
    guard let member = members[name] else {
      throw error(expected: "an object with the member \"\(name)\"", at: value.offset)
    }
    return member
  }
}
