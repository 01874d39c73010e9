extension Geometry {
  /// Reads a geometry of any type from GeoJSON as bytes in UTF-8, such as a `Data`.
  ///
  /// The text is a geometry, a Feature, or a FeatureCollection, whose geometries become a collection
  /// unless there is only one. Numbers after the third of a position are ignored.
  ///
  /// - Parameter bytes: The text in UTF-8.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the number of bytes.
  public init(geoJSON bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    self = try TextReader.readGeoJSON(bytes).0
  }

  /// Reads a geometry of any type from GeoJSON text.
  ///
  /// - Parameter text: The text.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(geoJSON text: String) throws(GeometryTextError) {
    try self.init(geoJSON: text.utf8)
  }

  /// Creates the geometry of a GeoJSON object that another parser has read; nil for other objects.
  ///
  /// - Parameters:
  ///   - members: The members, with arrays, dictionaries, strings and numbers as values.
  ///   - number: Returns a number as a floating-point number; nil for other values.
  package init?(geoJSONObject members: [String: Any], number: (Any) -> Double?) {
    guard let geometry = try? TextReader.readGeoJSON(members, number) else { return nil }
    self = geometry
  }

  /// The geometry as GeoJSON; a position without an altitude has two numbers.
  ///
  /// An empty point has an empty array of coordinates.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var geoJSON: String {
    let name = "{\"type\":\"\(kind.rawValue)\","
    if case .collection(let members) = shape {
      return name + "\"geometries\":" + Self.array(members, \.geoJSON) + "}"
    }
    return name + "\"coordinates\":\(jsonCoordinates)}"
  }

  private var jsonCoordinates: String {
    switch shape {
    case .point(let position): position?.json ?? "[]"
    case .lineString(let line), .multiPoint(let line): Self.json(line)
    case .polygon(let lines), .multiLineString(let lines): Self.array(lines, Self.json)
    case .multiPolygon(let polygons):
      Self.array(polygons) { Self.array($0, Self.json) }
    case .collection: "[]"
    }
  }

  private static func json(_ line: [GeoPosition]) -> String { array(line, \.json) }

  private static func array<Element>(
    _ elements: [Element], _ text: (Element) -> String
  ) -> String {
    "[" + elements.map(text).joined(separator: ",") + "]"
  }
}

extension GeoPosition {
  /// The numbers as a JSON array.
  fileprivate var json: String {
    "[" + coordinates.map(\.description).joined(separator: ",") + "]"
  }
}

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
    guard let region = geometry.region else {
      throw reader.error(expected: "a Polygon or MultiPolygon", at: 0)
    }
    self = region
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
  /// A box becomes the polygon of its corners in their order.
  ///
  /// - Complexity: O(n) in the number of points.
  public var geoJSON: String? { geometry?.geoJSON }
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
  public var geoJSON: String { Geometry(self).geoJSON }
}
