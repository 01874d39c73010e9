/// The reference system in the `crs` member of a GeoJSON object.
///
/// Source: the GeoJSON format specification of 2008, section 3; RFC 7946 allows only WGS 84.
enum GeoJSONSystem {
  /// The types whose member `crs` is a reference system.
  private static let types = Set(GeoJSONParts.geometryNames + ["Feature", "FeatureCollection"])

  /// Returns the name of a system other than WGS 84 in a record or its geometry; nil if there is none.
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

  /// Returns the name of the system in a `crs` member; nil for WGS 84.
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
    return "a system that is defined in another document"
  }

  /// Returns whether a name means longitude and latitude in WGS 84.
  ///
  /// EPSG:4326 defines latitude as the first axis, but GeoJSON files with that name have longitude
  /// first.
  static func isWGS84(_ name: String) -> Bool {
    let words = name.lowercased().split { ":/#.".contains($0) }
    switch words.last {
    case "crs84", "crs84h": return words.contains("ogc")
    case "4326": return words.contains("epsg")
    default: return false
    }
  }
}
