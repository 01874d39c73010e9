/// The coordinate system that a GeoJSON object says its coordinates are in.
///
/// Source: the GeoJSON format specification of 2008, section 3; RFC 7946 knows WGS 84 alone.
enum GeoJSONSystem {
  /// The types that may have a member `crs`; other objects mean what they want by it.
  private static let types = Set(JSONParts.geometryNames + ["Feature", "FeatureCollection"])

  /// The name of a system that is not WGS 84, if a record or its geometry names one.
  static func foreignName(in record: JSONRecord) -> String? {
    foreignName(ofGeoJSON: JSONRecord.root, record)
      ?? record.member("geometry", of: JSONRecord.root).flatMap {
        foreignName(ofGeoJSON: $0, record)
      }
  }

  private static func foreignName(ofGeoJSON node: Int, _ record: JSONRecord) -> String? {
    guard let crs = record.member("crs", of: node), let type = record.member("type", of: node),
      record[type].kind == .string, types.contains(record.text(type))
    else { return nil }
    return foreignName(ofSystem: crs, record)
  }

  /// The name that a value of `crs` gives to a system that is not WGS 84; nil if it is.
  static func foreignName(ofSystem crs: Int, _ record: JSONRecord) -> String? {
    if record[crs].kind == .null { return nil }
    guard let properties = record.member("properties", of: crs) else { return "an unnamed system" }
    // Before 2008, `crs` was an EPSG code.
    if let code = record.member("code", of: properties) {
      let name = "EPSG:\(record.text(code))"
      return isWGS84(name) ? nil : name
    }
    if let name = record.member("name", of: properties), record[name].kind == .string {
      return isWGS84(record.text(name)) ? nil : record.text(name)
    }
    return "a system that is described elsewhere"
  }

  /// Whether a name means longitude and latitude in WGS 84.
  ///
  /// EPSG:4326 is latitude before longitude by its definition; GeoJSON files that name it write
  /// longitude first nonetheless.
  static func isWGS84(_ name: String) -> Bool {
    let words = name.lowercased().split { ":/#.".contains($0) }
    switch words.last {
    case "crs84", "crs84h": return words.contains("ogc")
    case "4326": return words.contains("epsg")
    default: return false
    }
  }
}
