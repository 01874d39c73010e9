import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation

/// A reader of a GeoPackage layer, row by row.
///
///     let reader = try GeoPackageReader(path: "cities.gpkg", layer: "cities")
///     var row = TypedRow()
///     while try reader.nextRow(&row) { … }
///
/// A table of attributes has no geometries. The fields are the columns of the layer's table without
/// the geometry, including the key, usually `fid`. Because a column of SQLite may contain values of
/// any type, a value may have another type than its field: a value that is neither a date nor a
/// Boolean is returned as stored. A gzip file is decompressed into a temporary file.
package final class GeoPackageReader: TypedReader {
  package let path: String
  package let fields: [TypedField]
  package let totalBytes: Int?
  package var hasGeometry: Bool { layer.geometryColumn != nil }
  package var geometryName: String { layer.geometryColumn ?? "geometry" }
  private let file: GeoPackageFile
  private let layer: GeoPackageLayer
  private let conversion: GeometryConversion
  private let statement: Statement
  /// The last key; nil in a view, whose rows have none.
  private let lastKey: Int64?
  private var key: Int64?
  package let notices: ReaderNotices? = ReaderNotices()
  private var count = 0
  private var isFinished = false

  /// Opens a layer.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - layer: The name of the layer; nil for the only layer.
  ///   - conversion: The treatment of coordinates in other systems than WGS 84.
  ///   - hidesKey: Whether the key is no field, because the file is a copy of another one.
  /// - Throws: ``DatasetError`` if the file cannot be read or has no suitable layer.
  package init(
    path: String, layer: String? = nil, conversion: CoordinateConversion = .none,
    hidesKey: Bool = false
  ) throws(DatasetError) {
    self.path = path
    let file = try GeoPackageFile(path: path)
    let layer = try GeoPackageLayer.find(layer, in: file)
    self.conversion = conversion.geometries(try layer.transformation(file, conversion))
    var columns = try GeoPackageColumns(layer, file)
    if hidesKey { columns.fields.removeAll { SQL.quoted($0.name) == columns.key } }
    self.file = file
    self.layer = layer
    fields = columns.fields
    if !layer.ignored.isEmpty {
      notices?.add(
        "only the layer '\(printable(layer.table))' is read; --layer names another one: \(listed(layer.ignored))"
      )
    }
    totalBytes = file.totalBytes
    let table = SQL.quoted(layer.table)
    let geometry = conversion.ignoresGeometries ? nil : layer.geometryColumn
    var selected: [String] = [columns.key ?? "0", geometry.map(SQL.quoted) ?? "NULL"]
    selected += columns.fields.map { SQL.quoted($0.name) }
    let list = selected.joined(separator: ", ")
    do throws(StoreError) {
      lastKey =
        if let key = columns.key {
          try file.connection.integer("SELECT max(\(key)) FROM \(table)") ?? 0
        } else {
          nil
        }
      statement = try file.connection.statement("SELECT \(list) FROM \(table)")
    } catch {
      throw file.error(error)
    }
  }

  package var progressBytes: Int {
    guard let totalBytes, !isFinished else { return totalBytes ?? 0 }
    guard let key, let lastKey, lastKey > 0 else { return 0 }
    return Int(Double(totalBytes) * min(max(Double(key) / Double(lastKey), 0), 1))
  }

  package func nextRow(_ row: inout TypedRow) throws(DatasetError) -> Bool {
    guard !isFinished else { return false }
    do throws(DatasetError) {
      isFinished = try !step()
      guard !isFinished else { return false }
      count += 1
      row.number = count
      row.values.removeAll(keepingCapacity: true)
      for (index, field) in fields.enumerated() {
        row.values.append(try value(index + 2, field))
      }
      let geometry = try geometry()
      row.point = geometry?.point.map(TypedPoint.init)
      row.geometry = row.point == nil ? geometry : nil
      return true
    } catch {
      isFinished = error.scope == .file
      throw error
    }
  }

  /// Moves to the next row, whose key must be greater, because the pages of a corrupt file may form
  /// a cycle.
  private func step() throws(DatasetError) -> Bool {
    do throws(StoreError) {
      guard try statement.step() else { return false }
    } catch {
      throw file.error(error)
    }
    if lastKey == nil { return true }
    let next = statement.integer(0)
    if let key, next <= key {
      throw DatasetError(
        path: path, problem: .geoPackage(.corrupt(detail: "the rows are not in order")))
    }
    key = next
    return true
  }

  private func rowError(_ problem: GeoPackageProblem) -> DatasetError {
    DatasetError(path: path, record: count, scope: .row, problem: .geoPackage(problem))
  }

  // MARK: - Values

  private func geometry() throws(DatasetError) -> Geometry? {
    switch statement.storage(1) {
    case .null: return nil
    case .integer, .real, .text:
      throw rowError(.geometry(detail: "found a value that is no blob"))
    case .blob: break
    }
    let result = statement.withBlobBytes(1) { bytes in
      Result { () throws(GeometryBlob.Problem) in
        if let found = GeometryBlob.referenceSystem(bytes), found != 0,
          found != layer.referenceSystem
        {
          notices?.add(
            "geometries name the reference system \(found) and are read in that of the layer, "
              + "\(layer.referenceSystem)")
        }
        return try GeometryBlob.geometry(bytes, converting: conversion)
      }
    }
    do throws(GeometryBlob.Problem) {
      return try result.get()
    } catch {
      throw rowError(.geometry(detail: error.detail))
    }
  }

  private func value(_ column: Int, _ field: TypedField) throws(DatasetError) -> Value {
    switch (statement.storage(column), field.type) {
    case (.null, _): return .null
    case (.integer, .bool) where 0...1 ~= statement.integer(column):
      return .bool(statement.integer(column) == 1)
    case (.integer, .double): return .double(statement.real(column))
    case (.integer, _): return .int(statement.integer(column))
    case (.real, _): return .double(statement.real(column))
    case (.blob, _): return .data(statement.withBlobBytes(column) { Data($0) })
    case (.text, let type):
      let value: Value? = statement.withTextBytes(column) { bytes in
        guard UTF8Check.firstInvalidOffset(in: bytes) == nil else { return nil }
        if type == .date, let date = FieldParsing.date(bytes) { return .date(date) }
        return .string(String(decoding: bytes, as: UTF8.self))
      }
      guard let value else { throw rowError(.text(field: field.name)) }
      return value
    }
  }
}

// Not Sendable: every call moves the position in the table.
@available(*, unavailable)
extension GeoPackageReader: Sendable {}

extension FormatDescriptor {
  /// GeoPackages, which are SQLite files.
  package static let gpkg = FormatDescriptor(
    name: "gpkg", help: "GeoPackage", noun: "GeoPackage", extensions: ["gpkg"],
    signature: { $0.starts(with: Array("SQLite format 3\0".utf8)) },
    options: [.referenceSystem, .layer],
    needsRandomAccess: true,
    reader: { settings, _ in
      TypedDataset { path throws(DatasetError) in
        try GeoPackageReader(path: path, layer: settings.layer, conversion: settings.conversion)
      }
    }, writer: .file { export, file in try export.writeLayers(to: file).count })
}

/// The storage format of geometries in a GeoPackage: a header followed by well-known binary.
///
/// Source: OGC 12-128r17, "GeoPackage Encoding Standard 1.2.1", section 2.1.3.
enum GeometryBlob {
  /// An error in a blob.
  struct Problem: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }
  }

  private static let magic = Array("GP".utf8)
  private static let headerBytes = 8
  /// The size of the envelope after the header, by its type: none, XY, XYZ, XYM, XYZM.
  private static let envelopeBytes = [0, 32, 48, 48, 64]

  private enum Flag {
    static let littleEndian: UInt8 = 1
    static let empty: UInt8 = 1 << 4
    static let extended: UInt8 = 1 << 5
  }

  /// Returns the geometry in a blob.
  ///
  /// - Parameters:
  ///   - bytes: The blob.
  ///   - conversion: The conversion of the coordinates; nil for degrees.
  /// - Returns: Nil for an empty geometry.
  /// - Throws: ``Problem`` if the blob is not a geometry.
  static func geometry(
    _ bytes: UnsafeBufferPointer<UInt8>, converting conversion: GeometryConversion? = nil
  ) throws(Problem) -> Geometry? {
    if bytes.isEmpty { return nil }
    guard bytes.count >= headerBytes, bytes.starts(with: magic) else {
      throw Problem("found no GeoPackage header")
    }
    guard bytes[2] == 0 else { throw Problem("found version \(bytes[2]); expected 0") }
    let flags = bytes[3]
    guard flags & Flag.extended == 0 else {
      throw Problem("found an extended geometry; expected a standard one")
    }
    let kind = Int(flags >> 1 & 7)
    guard kind < envelopeBytes.count else {
      throw Problem("found envelope type \(kind); expected 0 to 4")
    }
    if flags & Flag.empty != 0 { return nil }
    let start = headerBytes + envelopeBytes[kind]
    guard start <= bytes.count else { throw Problem("found the end inside the envelope") }
    do throws(GeometryTextError) {
      let geometry = try Geometry(
        wkb: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])),
        converting: conversion)
      return geometry.isEmpty ? nil : geometry
    } catch {
      throw Problem("\(error)")
    }
  }

  /// Returns the number of the reference system in a blob; nil if it has no header.
  static func referenceSystem(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard bytes.count >= headerBytes else { return nil }
    let word = UnsafeRawBufferPointer(bytes).littleEndian(at: 4, as: Int32.self)
    return Int64(bytes[3] & Flag.littleEndian != 0 ? word : word.byteSwapped)
  }

  /// Returns the blob of a geometry in WGS 84; a point has no envelope.
  ///
  /// - Parameters:
  ///   - geometry: The geometry, which is not empty.
  ///   - envelope: Its envelope with planar edges.
  /// - Returns: The header, the envelope and the well-known binary.
  static func bytes(_ geometry: Geometry, _ envelope: Envelope?) -> [UInt8] {
    let body = geometry.point?.wkb() ?? geometry.fileWKB
    guard geometry.point == nil, let envelope else {
      return magic + [0, Flag.littleEndian, 0xE6, 0x10, 0, 0] + body
    }
    let sides = [
      envelope.west, envelope.east, envelope.south, envelope.north,
    ]
    let header = magic + [0, Flag.littleEndian | 1 << 1, 0xE6, 0x10, 0, 0]
    return header
      + sides.flatMap { side in
        withUnsafeBytes(of: side.bitPattern.littleEndian) { Array($0) }
      } + body
  }
}
