import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore
import Foundation
import Synchronization

extension FormatDescriptor {
  /// The formats that GDAL reads and Cadastre does not.
  package static let gdal = FormatDescriptor(
    name: "gdal", help: "the formats of the library GDAL where it is installed",
    noun: "GDAL file",
    extensions: [
      "gml", "tab", "mif", "dxf", "dgn", "gdb", "pbf", "osm", "xlsx", "xls", "ods", "sqlite", "e00",
      "jml", "itf", "gmt", "sxf", "000", "mvt", "vdv",
    ],
    // Tables with tabs and MapInfo files have the extension `.tab`.
    signature: { $0.prefix(6).map { $0 | 0x20 }.elementsEqual("!table".utf8.map { $0 | 0x20 }) },
    options: [.referenceSystem, .layer], needsRandomAccess: true,
    isReadGzipped: false,
    reader: { settings, _ in
      let copies = GDALCopies()
      return TypedDataset { path throws(DatasetError) in
        try GeoPackageReader(
          path: try copies.copy(of: path, layer: settings.layer).path, layer: settings.layer,
          conversion: settings.conversion, hidesKey: true)
      }
    })

  /// Returns the format of a driver of GDAL; nil if there is none with the name.
  static func gdal(named name: String) -> FormatDescriptor? {
    GDALLibrary.drivers.first { $0.name.lowercased() == name.lowercased() }.map(gdal)
  }

  /// Returns the format of a driver of GDAL that writes files with an extension; nil if there is none.
  static func gdal(writing suffix: String) -> FormatDescriptor? {
    // Extensions of many formats name none.
    guard !["txt", "dat", "xml", "log"].contains(suffix) else { return nil }
    return GDALLibrary.drivers.first { $0.isWritable && $0.extensions.contains(suffix) }.map(gdal)
  }

  /// Returns the format of a driver.
  private static func gdal(_ driver: GDALLibrary.Driver) -> FormatDescriptor {
    var format = gdal
    format.name = driver.name
    format.help = driver.longName
    format.noun = "GDAL file"
    format.extensions = driver.extensions
    if driver.isWritable {
      format.writer = .file { export, file in
        try GDALExport(driver: driver.name).write(export, to: file)
      }
    }
    return format
  }

  /// The name of GDAL's driver for one of our formats with reference systems; nil for others.
  var projectingName: String? {
    switch self {
    case .gpkg: "GPKG"
    case .fgb: "FlatGeobuf"
    case .geojson: "GeoJSON"
    case .parquet: "Parquet"
    default: nil
    }
  }

  /// The driver of GDAL that writes files of the format in another reference system; nil if there is none.
  var projectingDriver: String? {
    let name = projectingName ?? name
    return GDALLibrary.drivers.first { $0.name == name && $0.isWritable }?.name
  }
}

/// Files converted by GDAL to temporary GeoPackages, which both passes of an import read.
private final class GDALCopies: Sendable {
  private let copies = Mutex<[String: GDALCopy]>([:])

  /// Returns the copy of a file, which is made once.
  func copy(of path: String, layer: String?) throws(DatasetError) -> GDALCopy {
    if let known = copies.withLock({ $0[path] }) { return known }
    let copy = try GDALCopy(of: path, layer: layer)
    copies.withLock { $0[path] = copy }
    return copy
  }
}

/// A file converted by GDAL to a GeoPackage in a temporary folder, which is deleted when the instance is released.
final class GDALCopy: Sendable {
  /// The path of the GeoPackage.
  let path: String
  private let folder: TemporaryFolder

  /// The name of the key that the GeoPackage adds.
  static let keyName = "cadastre_gdal_key"

  /// Converts a file, or one of its layers.
  ///
  /// - Throws: ``DatasetError`` if GDAL is not installed or cannot read the file.
  init(of source: String, layer: String?) throws(DatasetError) {
    do throws(StoreError) {
      folder = try TemporaryFolder(in: .disk)
    } catch {
      throw DatasetError(
        path: source, problem: .unreadable(reason: "cannot convert it: \(error)"))
    }
    path = folder.path + "/copy.gpkg"
    var status = stat()
    guard stat(source, &status) == 0 else {
      throw DatasetError(path: source, problem: OpenFile.problem(errno))
    }
    let arguments =
      [
        "-f", "GPKG", "-dsco", "ADD_GPKG_OGR_CONTENTS=NO", "-lco", "SPATIAL_INDEX=NO",
        "-lco", "FID=\(Self.keyName)", "-lco", "GEOMETRY_NAME=\(ImportedClass.geometryName)",
        "-gt", "65536",
      ] + (layer.map { [$0] } ?? [])
    if case .failure(let failure) = GDALLibrary.translate(source, to: path, arguments) {
      throw DatasetError(
        path: source,
        problem: .unreadable(
          reason: failure.reason
            + (GDALLibrary.version == nil
              ? ", which reads this format; or save the data as GeoPackage or CSV" : "")))
    }
  }
}

extension GeoPackageWriter.Content {
  /// The type of the shapes of a Shapefile as an argument of `ogr2ogr`; nil for geometries of several dimensions, and for
  /// none.
  fileprivate var shapeType: String? {
    let name: String
    if kinds.isEmpty {
      return nil
    } else if kinds.isSubset(of: [.polygon, .multiPolygon]) {
      name = "POLYGON"
    } else if kinds.isSubset(of: [.lineString, .multiLineString]) {
      name = "LINESTRING"
    } else if kinds == [.point] {
      name = "POINT"
    } else if kinds.isSubset(of: [.point, .multiPoint]) {
      name = "MULTIPOINT"
    } else {
      return nil
    }
    return hasAltitude ? name + "25D" : name
  }
}

/// An export through GDAL: a temporary GeoPackage, which GDAL converts.
struct GDALExport {
  /// The short name of the driver.
  let driver: String
  /// The reference system of the coordinates; nil for WGS 84.
  var system: String?

  /// The drivers of tables without geometries.
  private static let tables: Set<String> = ["XLSX", "ODS"]

  /// The drivers of drawings without other fields than geometries.
  private static let drawings: Set<String> = ["DXF"]

  /// Writes the objects of an export and finishes the file.
  ///
  /// - Parameters:
  ///   - export: The export.
  ///   - file: The file; further files of the format, such as the table of a Shapefile, are written beside it.
  /// - Returns: The number of objects.
  /// - Throws: The errors of ``ObjectExport/write(to:)``, or ``OutputError`` if GDAL cannot write the file.
  func write(_ export: ObjectExport, to file: OutputFile) throws -> Int {
    let folder = try TemporaryFolder(in: .disk)
    let source = folder.path + "/source.gpkg"
    guard system == nil || !Self.tables.contains(driver) else {
      throw OutputError(
        .failed(reason: "the format \(driver) has no reference system; leave --crs out"),
        path: file.path)
    }
    // GDAL takes systems of heights too, and then leaves coordinates as they are.
    if let system, let failure = CoordinateTransformation.failure(of: system), !failure.isMissing {
      throw OutputError(
        .failed(reason: "--crs '\(printable(system))': \(failure.description)"), path: file.path)
    }
    let geometry = FeatureColumns(try export.query.columns(export.select)).geometryPath
    var export = export
    if Self.drawings.contains(driver) {
      guard let geometry else {
        throw OutputError(
          .failed(reason: "the format \(driver) has geometries only, and there is none"),
          path: file.path)
      }
      export.select = geometry.description
      export.notice("the format \(driver) has geometries only; other fields are left out")
    }
    let (count, content) = try export.writeLayers(
      to: try OutputFile(path: source, OutputRules(replacing: .none, stores: [])))
    let name = URL(filePath: file.path).lastPathComponent
    let target = folder.path + "/target"
    try FileManager.default.createDirectory(
      atPath: target, withIntermediateDirectories: false)
    var arguments = ["-f", driver] + (system.map { ["-t_srs", $0] } ?? [])
    if driver == "ESRI Shapefile" {
      // Otherwise the first object decides the type of all shapes, and texts are cut to ISO-8859-1.
      arguments += ["-lco", "ENCODING=UTF-8"] + (content.shapeType.map { ["-nlt", $0] } ?? [])
      // The table of a Shapefile has days only.
      arguments += ["-mapFieldType", "DateTime=String"]
      if !content.times.isEmpty {
        export.notice("dates with a time are text in a Shapefile: \(listed(content.times))")
      }
    }
    if Self.tables.contains(driver), geometry != nil {
      // Spreadsheets have no geometries, so that these become a column of text.
      let layer = export.query.className.replacing("\"", with: "\\\"")
      arguments += [
        "-dialect", "OGRSQL", "-sql", "SELECT *, OGR_GEOM_WKT AS geometry FROM \"\(layer)\"",
      ]
    }
    switch GDALLibrary.translate(source, to: "\(target)/\(name)", arguments) {
    case .success(let warning):
      if let warning { export.notice("GDAL says: \(warning)") }
    case .failure(let failure):
      throw OutputError(.failed(reason: failure.reason), path: file.path)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: target).sorted()
    guard names.contains(name) else {
      throw OutputError(
        .failed(reason: "GDAL's driver \(driver) wrote \(listed(names))"), path: file.path)
    }
    let parent = URL(filePath: file.path).deletingLastPathComponent()
    let others = try names.filter { $0 != name }.map { other in
      let sibling = try file.sibling(parent.appendingPathComponent(other).path)
      try sibling.append(contentsOf: "\(target)/\(other)")
      return sibling
    }
    try file.append(contentsOf: "\(target)/\(name)")
    for other in others { try other.finish() }
    try file.finish()
    return count
  }
}
