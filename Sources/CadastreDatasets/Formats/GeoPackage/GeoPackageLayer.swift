import CadastreModel
import CadastreSQLite
import CadastreStore

/// A layer of a GeoPackage: a table of features, or a table of attributes without geometries.
///
/// Source: OGC 12-128r17, "GeoPackage Encoding Standard 1.2.1", sections 1.1.2, 1.1.3, 2.1.5 and 2.4.
struct GeoPackageLayer {
  var table: String
  /// The column of the geometries; nil in a table of attributes.
  var geometryColumn: String?
  /// The geometry type in upper case, for example POINT or GEOMETRY; ATTRIBUTES for a table of
  /// attributes.
  var geometryType: String
  var referenceSystem: Int64
  /// The other layers of the file, if none was named.
  var ignored: [String] = []

  /// The table as an identifier of SQL.
  var quotedTable: String { SQL.quoted(table) }

  /// Whether geometries may be points.
  private var mayContainPoints: Bool { geometryType == "POINT" || geometryType == "GEOMETRY" }

  /// The maximum number of layers and reference systems that are read.
  private static let limit = 20_000

  /// Returns the layer with a name, the only layer of features, the only layer of points, or the only
  /// table of attributes of a file without features.
  static func find(
    _ name: String?, in file: GeoPackageFile
  ) throws(DatasetError) -> GeoPackageLayer {
    let layers = try all(in: file)
    var ignored: [String] = []
    var layer: GeoPackageLayer
    if let name {
      guard let match = layers.first(where: { $0.table == name }) else {
        throw error(file, .noLayer(name: name, layers: layers.map(\.table)))
      }
      layer = match
    } else {
      let features = layers.filter { $0.geometryColumn != nil }
      let points = features.filter(\.mayContainPoints)
      let shapes = features.count == 1 || points.isEmpty ? features : points
      let candidates = shapes.isEmpty ? layers : shapes
      guard let first = candidates.first else { throw error(file, .noLayers) }
      guard candidates.count == 1 else {
        throw error(file, .severalLayers(layers.map { "\($0.table) (\($0.geometryType))" }))
      }
      layer = first
      ignored = layers.map(\.table).filter { $0 != first.table }
    }
    guard try isTable(layer.table, file, orView: true) else {
      throw error(file, .notATable(layer: layer.table))
    }
    layer.ignored = ignored
    return layer
  }

  /// Returns all layers of a file, those with geometries first.
  static func all(in file: GeoPackageFile) throws(DatasetError) -> [GeoPackageLayer] {
    for table in ["gpkg_contents", "gpkg_spatial_ref_sys"] {
      guard try isTable(table, file) else { throw error(file, .notGeoPackage) }
    }
    var features: Set<String> = []
    var attributes: [GeoPackageLayer] = []
    // GDAL adds the table `ogr_empty_table` to files that have no other features.
    try file.each(
      "SELECT table_name, data_type FROM gpkg_contents WHERE table_name <> 'ogr_empty_table' LIMIT \(limit)"
    ) { row in
      switch row.text(1) {
      case "features": features.insert(row.text(0).lowercased())
      case "attributes":
        attributes.append(
          GeoPackageLayer(table: row.text(0), geometryType: "ATTRIBUTES", referenceSystem: 0))
      default: break
      }
    }
    // A file without features need not have the table of geometry columns.
    if features.isEmpty { return attributes }
    guard try isTable("gpkg_geometry_columns", file) else { throw error(file, .notGeoPackage) }
    var layers: [GeoPackageLayer] = []
    try file.each(
      "SELECT table_name, column_name, geometry_type_name, srs_id FROM gpkg_geometry_columns "
        + "LIMIT \(limit)"
    ) { row in
      guard features.contains(row.text(0).lowercased()) else { return }
      layers.append(
        GeoPackageLayer(
          table: row.text(0), geometryColumn: row.text(1),
          geometryType: row.text(2).uppercased(), referenceSystem: row.integer(3)))
    }
    return layers + attributes
  }

  /// Returns whether a name refers to an ordinary table, or to a view without common table expressions.
  ///
  /// A recursive expression, and a virtual table, could have an unlimited number of rows.
  private static func isTable(
    _ name: String, _ file: GeoPackageFile, orView: Bool = false
  ) throws(DatasetError) -> Bool {
    do throws(StoreError) {
      let found = try file.connection.integer(
        "SELECT (type = 'table' AND rootpage > 0) + 2 * (type = 'view') FROM sqlite_schema "
          + "WHERE type IN ('table', 'view') AND lower(name) = lower(?)", .string(name))
      guard found == 2, orView else { return found == 1 }
    } catch {
      throw file.error(error)
    }
    var isBounded = true
    try file.each("SELECT sql FROM sqlite_schema WHERE type = 'view'") { row in
      if row.text(0).firstMatch(of: /\bwith\b/.ignoresCase()) != nil { isBounded = false }
    }
    return isBounded
  }

  // MARK: - Reference system

  /// Returns the conversion of the coordinates; nil for WGS 84.
  func transformation(
    _ file: GeoPackageFile, _ conversion: CoordinateConversion
  ) throws(DatasetError) -> CoordinateTransformation? {
    let system = conversion.system == nil ? try foreignSystem(file) : nil
    return try conversion.transformation(path: file.path, system) {
      .geoPackage(
        .referenceSystem(
          name: system?.name ?? "",
          command: ReferenceSystem.conversion(of: file.path, layer: table)))
    }
  }

  /// Returns the name and the definitions of the system; nil for WGS 84.
  private func foreignSystem(
    _ file: GeoPackageFile
  ) throws(DatasetError) -> (name: String, definitions: [String])? {
    // 0 is an undefined geographic system, which the standard requires in every file.
    if referenceSystem == 0 { return nil }
    var name = "reference system \(referenceSystem)"
    var definitions: [String] = []
    var isWGS84 = false
    try file.each(
      "SELECT srs_id, srs_name, organization, organization_coordsys_id, definition "
        + "FROM gpkg_spatial_ref_sys LIMIT \(Self.limit)"
    ) { row in
      guard row.integer(0) == referenceSystem else { return }
      name = row.text(1)
      let (organization, code) = (row.text(2).uppercased(), row.integer(3))
      isWGS84 =
        organization == "EPSG" && code == 4326
        || ReferenceSystem(wellKnownText: row.text(4)) == .wgs84
      definitions = (code > 0 ? ["\(organization):\(code)"] : []) + [row.text(4)]
    }
    return isWGS84 ? nil : (name, definitions)
  }

  private static func error(_ file: GeoPackageFile, _ problem: GeoPackageProblem) -> DatasetError {
    DatasetError(path: file.path, problem: .geoPackage(problem))
  }
}

extension GeoPackageFile {
  /// Returns whether a name refers to a view.
  func isView(_ name: String) throws(DatasetError) -> Bool {
    do throws(StoreError) {
      return try connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND lower(name) = lower(?)",
        .string(name)) == 1
    } catch {
      throw self.error(error)
    }
  }

  /// Runs a query and calls a closure with each row.
  func each(_ sql: String, _ body: (Statement) -> Void) throws(DatasetError) {
    do throws(StoreError) {
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      while try statement.step() { body(statement) }
    } catch {
      throw self.error(error)
    }
  }
}

/// The columns of the table of a layer.
struct GeoPackageColumns {
  /// The columns without the geometry, in the order of the table.
  var fields: [TypedField] = []
  /// The column that is the row key, as an SQL expression; nil in a view.
  var key: String? = "rowid"

  /// Reads the columns from SQLite, generated ones included.
  init(_ layer: GeoPackageLayer, _ file: GeoPackageFile) throws(DatasetError) {
    var hasGeometry = layer.geometryColumn == nil
    var columns = self
    let isView = try file.isView(layer.table)
    if isView { key = nil }
    columns.key = key
    try file.each("PRAGMA table_xinfo(\(SQL.quoted(layer.table)))") { row in
      let name = row.text(1)
      // A hidden column of a virtual table.
      if row.integer(6) == 1 { return }
      if name.lowercased() == layer.geometryColumn?.lowercased() {
        hasGeometry = true
        return
      }
      let type = row.text(2)
      if row.integer(5) == 1, type.uppercased() == "INTEGER" { columns.key = SQL.quoted(name) }
      columns.fields.append(
        TypedField(
          name: name, type: Self.type(declared: type),
          isDay: Self.typeName(declared: type) == "DATE"))
    }
    self = columns
    guard hasGeometry else {
      throw DatasetError(
        path: file.path,
        problem: .geoPackage(
          .corrupt(detail: "layer '\(layer.table)' has no column '\(layer.geometryColumn ?? "")'")))
    }
  }

  /// Returns the name in a declaration, without a size.
  private static func typeName(declared: String) -> Substring {
    declared.uppercased().prefix { $0 != "(" }.trimmingBlanks()
  }

  /// Returns the type for a declaration: a type of the standard, else by the affinity rules of SQLite.
  ///
  /// Source: OGC 12-128r17, table 1; sqlite.org/datatype3.html, section 3.1.
  static func type(declared: String) -> PropertyType {
    let word = typeName(declared: declared)
    switch word {
    case "BOOLEAN": return .bool
    case "DATE", "DATETIME": return .date
    case "BLOB": return .data
    case _ where word.contains("INT"): return .int
    case _ where ["REAL", "FLOA", "DOUB"].contains { word.contains($0) }: return .double
    default: return .string
    }
  }
}
