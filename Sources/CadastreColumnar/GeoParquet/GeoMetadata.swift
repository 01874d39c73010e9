import Foundation

/// The metadata of GeoParquet, in the key `geo` of the footer.
///
/// Source: OGC GeoParquet 1.1.0.
struct GeoMetadata {
  /// The name of the primary geometry column.
  let primaryColumn: String
  /// The encoding of the primary geometry.
  let encoding: String
  /// The geometry types; empty if the metadata names none.
  let types: [String]
  /// Whether edges are great circles; otherwise they are straight in longitude and latitude.
  let hasSphericalEdges: Bool
  /// The reference system of the primary geometry.
  let system: System
  /// The paths of the covering columns, with xmin, ymin, xmax and ymax of each geometry; nil without them.
  let covering: [[String]]?
  /// The names of the other columns with well-known binary in WGS 84.
  let otherColumns: Set<String>

  /// A coordinate reference system.
  enum System: Equatable {
    /// Longitude and latitude in WGS 84, or an unknown system.
    case wgs84
    /// Another system, with its name and its definitions, the best one first.
    case other(name: String, definitions: [String])
  }

  /// The maximum size of the metadata, in bytes.
  private static let maximumBytes = 16 << 20

  /// Parses the metadata; nil if it is invalid.
  init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes,
      let root = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let name = root["primary_column"] as? String,
      let columns = root["columns"] as? [String: Any],
      let column = columns[name] as? [String: Any]
    else { return nil }
    primaryColumn = name
    otherColumns = Set(
      columns.compactMap { key, value in
        guard key != name, let other = value as? [String: Any],
          other["encoding"] as? String ?? "WKB" == "WKB",
          // Null is an unknown system.
          !(other["crs"] is NSNull),
          other["crs"].map({ System(projJSON: $0) }) ?? .wgs84 == .wgs84
        else { return nil }
        return key
      })
    encoding = column["encoding"] as? String ?? "WKB"
    types = column["geometry_types"] as? [String] ?? []
    hasSphericalEdges = column["edges"] as? String == "spherical"
    system = column["crs"].map { System(projJSON: $0) } ?? .wgs84
    let box = (column["covering"] as? [String: Any])?["bbox"] as? [String: Any]
    let paths = ["xmin", "ymin", "xmax", "ymax"].compactMap { box?[$0] as? [String] }
    covering = paths.count == 4 && Set(paths.compactMap(\.first)).count == 1 ? paths : nil
  }
}

extension GeoMetadata.System {
  /// The name and the definitions of a system other than WGS 84; nil for WGS 84.
  var foreign: (name: String, definitions: [String])? {
    if case .other(let name, let definitions) = self { (name, definitions) } else { nil }
  }

  /// Classifies a system in PROJJSON; null is an unknown system.
  init(projJSON value: Any) {
    guard let object = value as? [String: Any] else {
      self = .wgs84
      return
    }
    let name = object["name"] as? String ?? "an unnamed system"
    let text = (try? JSONSerialization.data(withJSONObject: object)).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let id = object["id"] as? [String: Any] else {
      self =
        name == "WGS 84" || name == "WGS 84 (CRS84)"
        ? .wgs84 : .other(name: name, definitions: [text].compactMap(\.self))
      return
    }
    self.init(
      authority: "\(id["authority"] ?? "")", code: "\(id["code"] ?? "")", name: name,
      definition: text)
  }

  /// Classifies a system by its authority and code.
  init(authority: String, code: String, name: String, definition: String? = nil) {
    switch (authority.uppercased(), code.uppercased()) {
    case ("OGC", "CRS84"), ("OGC", "CRS84H"), ("EPSG", "4326"), ("EPSG", "4979"): self = .wgs84
    default:
      self = .other(
        name: name, definitions: ["\(authority):\(code)", definition].compactMap(\.self))
    }
  }

  /// Classifies the `crs` of a native geometry type; nil is longitude and latitude in WGS 84.
  ///
  /// `srid:N` is the system of EPSG with the number, and `projjson:KEY` names an entry of the file's metadata.
  ///
  /// Source: Apache Parquet, "Geospatial Definitions", "Coordinate Reference System".
  init(native text: String?, _ metadata: [String: String] = [:]) {
    guard var text, !text.isEmpty else {
      self = .wgs84
      return
    }
    if text.lowercased().hasPrefix("projjson:"), let found = metadata[String(text.dropFirst(9))] {
      text = found
    } else if text.lowercased().hasPrefix("srid:") {
      let number = text.dropFirst(5)
      if number == "4326" || number == "0" {
        self = .wgs84
        return
      }
      text = "EPSG:\(number)"
    }
    if text.hasPrefix("{") {
      let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
      self =
        value.map { Self(projJSON: $0) } ?? .other(name: "an invalid definition", definitions: [])
      return
    }
    let parts = text.split(separator: ":").map(String.init)
    self =
      parts.count == 2
      ? Self(authority: parts[0], code: parts[1], name: text)
      : .other(name: text, definitions: [text])
  }
}
