import CadastreModel
import CadastreSQLite
import CadastreStore

/// The tables of a layer of a GeoPackage in WGS 84, and its spatial index.
///
/// Source: OGC 12-128r15, "GeoPackage Encoding Standard 1.2", annexes C and F.3.
struct GeoPackageSchema {
  /// The name of the layer and its table.
  let layer: String
  /// The name of the key column, which differs from the names of all other columns.
  let key: String
  /// The name of the geometry column, which differs from all columns.
  let geometry: String
  /// The names of the columns in the file, which are distinct without letter case.
  let columns: [String]
  /// The SQL types of the columns.
  private let types: [String]
  /// The type of the geometries: POINT, or GEOMETRY for any.
  private let geometryType: String

  /// The ASCII codes of "GPKG".
  private static let applicationIdentifier = 0x4750_4B47
  /// Version 1.2, which GDAL and QGIS support since 2017.
  private static let version = 10200
  /// The EPSG code of WGS 84.
  private static let wgs84 = 4326
  /// The definition of WGS 84 by EPSG, which annex C requires.
  private static let definition =
    "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,"
    + "AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],PRIMEM[\"Greenwich\",0,"
    + "AUTHORITY[\"EPSG\",\"8901\"]],UNIT[\"degree\",0.0174532925199433,"
    + "AUTHORITY[\"EPSG\",\"9122\"]],AUTHORITY[\"EPSG\",\"4326\"]]"

  /// Creates a schema; columns whose names differ only in letter case are renamed.
  init(
    layer: String, columns: [(name: String, type: PropertyType?)], days: Set<String> = [],
    hasShapes: Bool
  ) {
    geometryType = hasShapes ? "GEOMETRY" : "POINT"
    self.layer = layer
    types = columns.map { days.contains($0.name) ? "DATE" : Self.columnType($0.type) }
    var names = DistinctNames("_", ignoresCase: true, reserved: Set(columns.map(\.name)))
    self.columns = columns.map { names.add($0.name) }
    key = names.addNew("fid")
    geometry = names.addNew("geom")
  }

  /// The name of the spatial index, which the standard prescribes.
  var index: String { "rtree_\(layer)_\(geometry)" }

  /// Returns whether a column contains text.
  func isText(_ column: Int) -> Bool { types[column] == "TEXT" }

  /// Returns the column type for a property type; TEXT if the standard has none.
  static func columnType(_ type: PropertyType?) -> String {
    switch type {
    case .int: "INTEGER"
    case .bool: "BOOLEAN"
    case .float: "FLOAT"
    case .double: "DOUBLE"
    case .date: "DATETIME"
    case .data: "BLOB"
    default: "TEXT"
    }
  }

  // MARK: - Tables

  /// Creates the tables of a file and inserts the reference systems.
  static func createTables(_ connection: Connection) throws(StoreError) {
    try connection.run("PRAGMA application_id = \(applicationIdentifier)")
    try connection.run("PRAGMA user_version = \(version)")
    for table in tables { try connection.run(table) }
    let systems: [(name: String, id: Int64, organization: String, definition: String)] = [
      ("Undefined Cartesian SRS", -1, "NONE", "undefined"),
      ("Undefined geographic SRS", 0, "NONE", "undefined"),
      ("WGS 84 geodetic", Int64(wgs84), "EPSG", definition),
    ]
    for system in systems {
      try connection.run(
        "INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)", .string(system.name),
        .int(system.id), .string(system.organization), .int(system.id),
        .string(system.definition))
    }
  }

  /// Creates the table of the layer and its index.
  func createLayer(_ connection: Connection) throws(StoreError) {
    let columns = zip(self.columns, types).map { ", \(SQL.quoted($0)) \($1)" }
    try connection.run(
      "CREATE TABLE \(SQL.quoted(layer)) (\(SQL.quoted(key)) INTEGER PRIMARY KEY AUTOINCREMENT "
        + "NOT NULL, \(SQL.quoted(geometry)) \(geometryType)\(columns.joined()))")
    try connection.run(
      "CREATE VIRTUAL TABLE \(SQL.quoted(index)) USING rtree(id, minx, maxx, miny, maxy)")
  }

  /// Registers the layer and its index in the metadata tables, after its rows were written.
  ///
  /// - Parameters:
  ///   - extent: West, south, east and north in degrees; nil without points.
  ///   - hasAltitude: Whether at least one point has an altitude.
  ///   - connection: The connection to the file.
  /// - Throws: `StoreError` if SQLite reports an error.
  func register(
    extent: SIMD4<Double>?, hasAltitude: Bool, _ connection: Connection
  ) throws(StoreError) {
    let sides = (0..<4).map { side in extent.map { Value.double($0[side]) } ?? .null }
    try connection.run(
      "INSERT INTO gpkg_contents VALUES (?, 'features', ?, '', "
        + "strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?, ?, ?, ?, \(Self.wgs84))",
      .string(layer), .string(layer), sides[0], sides[1], sides[2], sides[3])
    // The value 2 means that altitudes are optional.
    try connection.run(
      "INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, \(Self.wgs84), ?, 0)",
      .string(layer), .string(geometry), .string(geometryType), .int(hasAltitude ? 2 : 0))
    try connection.run(
      "INSERT INTO gpkg_extensions VALUES (?, ?, 'gpkg_rtree_index', "
        + "'http://www.geopackage.org/spec120/#extension_rtree', 'write-only')",
      .string(layer), .string(geometry))
    for trigger in triggers { try connection.run(trigger) }
  }

  private static let tables = [
    """
    CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
      organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL,
      definition TEXT NOT NULL, description TEXT)
    """,
    """
    CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL,
      identifier TEXT UNIQUE, description TEXT DEFAULT '',
      last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
      CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))
    """,
    """
    CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
      geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL,
      m TINYINT NOT NULL, CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
      CONSTRAINT uk_gc_table_name UNIQUE (table_name),
      CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
      CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))
    """,
    """
    CREATE TABLE gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL,
      definition TEXT NOT NULL, scope TEXT NOT NULL,
      CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name))
    """,
  ]

  // MARK: - Triggers

  /// The triggers that update the index when another program changes rows.
  private var triggers: [String] {
    let (fid, geom) = (SQL.quoted(key), SQL.quoted(geometry))
    let tree = SQL.quoted(index)
    let isThere = "(NEW.\(geom) NOTNULL AND NOT ST_IsEmpty(NEW.\(geom)))"
    let isNot = "(NEW.\(geom) ISNULL OR ST_IsEmpty(NEW.\(geom)))"
    let insert =
      "INSERT OR REPLACE INTO \(tree) VALUES (NEW.\(fid), ST_MinX(NEW.\(geom)), "
      + "ST_MaxX(NEW.\(geom)), ST_MinY(NEW.\(geom)), ST_MaxY(NEW.\(geom)));"
    let delete = "DELETE FROM \(tree) WHERE id = OLD.\(fid);"
    let deleteBoth = "DELETE FROM \(tree) WHERE id IN (OLD.\(fid), NEW.\(fid));"
    let isSameRow = "OLD.\(fid) = NEW.\(fid) AND "
    let isOtherRow = "OLD.\(fid) != NEW.\(fid) AND "
    return [
      trigger("insert", "INSERT", when: isThere, insert),
      trigger("update1", "UPDATE OF \(geom)", when: isSameRow + isThere, insert),
      trigger("update2", "UPDATE OF \(geom)", when: isSameRow + isNot, delete),
      trigger("update3", "UPDATE", when: isOtherRow + isThere, delete + " " + insert),
      trigger("update4", "UPDATE", when: isOtherRow + isNot, deleteBoth),
      trigger("delete", "DELETE", when: "OLD.\(geom) NOT NULL", delete),
    ]
  }

  private func trigger(
    _ name: String, _ event: String, when condition: String, _ action: String
  ) -> String {
    "CREATE TRIGGER \(SQL.quoted("\(index)_\(name)")) AFTER \(event) ON \(SQL.quoted(layer)) "
      + "WHEN \(condition) BEGIN \(action) END"
  }
}
