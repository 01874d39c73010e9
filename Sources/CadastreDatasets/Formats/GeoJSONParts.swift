/// A record taken as GeoJSON: a Feature, a geometry, or an object of another kind.
struct JSONParts {
  private enum Kind { case feature, geometry, collection, other }

  /// The types that are geometries, RFC 7946, section 1.4.
  static let geometryNames = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ]

  /// Members of a Feature that are no fields.
  private static let reserved = ["type", "geometry", "properties", "bbox"]

  private let kind: Kind
  /// The geometry, as a node; nil where there is none, or null.
  let geometry: Int?
  private let properties: Int?

  init(_ record: JSONRecord) {
    let root = JSONRecord.root
    let type = record.member("type", of: root).flatMap { node in
      record[node].kind == .string ? record.text(node) : nil
    }
    if type == "Feature" {
      kind = .feature
      properties = record.member("properties", of: root)
      geometry = record.member("geometry", of: root).flatMap {
        record[$0].kind == .null ? nil : $0
      }
    } else if let type, Self.geometryNames.contains(type),
      record.member(type == "GeometryCollection" ? "geometries" : "coordinates", of: root) != nil
    {
      (kind, properties, geometry) = (.geometry, nil, root)
    } else {
      let isCollection = type == "FeatureCollection" && record.member("features", of: root) != nil
      (kind, properties, geometry) = (isCollection ? .collection : .other, nil, nil)
    }
  }

  /// Whether the record is a whole collection, which is none of objects.
  var isCollection: Bool { kind == .collection }

  /// Whether the record has a geometry beside its fields, be it null.
  var isGeographic: Bool { kind == .feature || kind == .geometry }

  /// Goes through the fields: the properties of a Feature, then its other members that no property
  /// has the name of; all members of an object that is none.
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
      Self.reserved.contains { text.elementsEqual($0.utf8) }
    }
    guard !isReserved else { return false }
    guard let properties else { return true }
    return record.member(record.text(name), of: properties) == nil
  }
}
