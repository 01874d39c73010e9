/// The geometry and the fields of a record: of a Feature, a bare geometry, or another JSON object.
struct GeoJSONParts {
  private enum Kind { case feature, geometry, collection, other }

  /// The geometry types of RFC 7946, section 1.4.
  static let geometryNames = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ]

  /// The members of a Feature that are no fields.
  private static let reserved: [StaticString] = ["type", "geometry", "properties", "bbox"]

  private let kind: Kind
  /// The node of the geometry; nil if it is missing or null.
  let geometry: Int?
  /// Whether the record names its geometry, which may be null.
  let namesGeometry: Bool
  private let properties: Int?

  init(_ record: JSONRecord) {
    let root = JSONRecord.root
    let type = record.member("type", of: root).flatMap { node in
      record[node].kind == .string ? record.text(node) : nil
    }
    if type == "Feature" {
      kind = .feature
      properties = record.member("properties", of: root)
      let member = record.member("geometry", of: root)
      namesGeometry = member != nil
      geometry = member.flatMap { record[$0].kind == .null ? nil : $0 }
    } else if let type, Self.geometryNames.contains(type),
      record.member(type == "GeometryCollection" ? "geometries" : "coordinates", of: root) != nil
    {
      (kind, properties, geometry, namesGeometry) = (.geometry, nil, root, true)
    } else {
      let isCollection = type == "FeatureCollection" && record.member("features", of: root) != nil
      (kind, properties, geometry) = (isCollection ? .collection : .other, nil, nil)
      namesGeometry = false
    }
  }

  /// Whether the record is a FeatureCollection, which cannot become an object.
  var isCollection: Bool { kind == .collection }

  /// Whether the record has a geometry in addition to its fields; the geometry may be null.
  var isGeographic: Bool { kind == .feature || kind == .geometry }

  /// Calls a closure with each field of the record.
  ///
  /// The fields of a Feature are its properties, and its other members whose names are no property.
  /// The fields of other objects are all members.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - body: The closure; it receives the nodes of name and value.
  /// - Throws: The error of the closure.
  func forEachField<Failure: Error>(
    of record: JSONRecord, _ body: (_ name: Int, _ value: Int) throws(Failure) -> Void
  ) throws(Failure) {
    switch kind {
    case .geometry, .collection: return
    case .other:
      for member in record.members(of: JSONRecord.root) { try body(member.name, member.value) }
    case .feature:
      if let properties {
        for member in record.members(of: properties) { try body(member.name, member.value) }
      }
      for member in record.members(of: JSONRecord.root) where isForeign(member.name, record) {
        try body(member.name, member.value)
      }
    }
  }

  private func isForeign(_ name: Int, _ record: JSONRecord) -> Bool {
    let isReserved = record.withText(name) { text in
      Self.reserved.contains { name in
        ByteSearch.areEqual(
          text, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
      }
    }
    guard !isReserved else { return false }
    guard let properties else { return true }
    return record.member(record.text(name), of: properties) == nil
  }
}
