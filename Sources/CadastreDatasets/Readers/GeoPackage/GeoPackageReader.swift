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
/// A table of attributes has no geometries. The fields are the columns of the layer's table without the geometry, including the key, usually
/// `fid`. Because a column of SQLite may contain values of any type, a value may have another type
/// than its field: a value that is no date or no Boolean is returned as stored. A gzip file is
/// decompressed into a temporary file.
package final class GeoPackageReader: TypedReader {
  package let path: String
  package let fields: [TypedField]
  package let totalBytes: Int?
  package var hasGeometry: Bool { layer.geometryColumn != nil }
  package var geometryName: String { layer.geometryColumn ?? "geometry" }
  private let file: GeoPackageFile
  private let layer: GeoPackageLayer
  private let transformation: CoordinateTransformation?
  private let statement: Statement
  private let lastKey: Int64
  private var key: Int64?
  private var count = 0
  private var isFinished = false

  /// Opens a layer.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - layer: The name of the layer; nil for the only layer.
  ///   - conversion: What to do with coordinates in other systems than WGS 84.
  /// - Throws: ``DatasetError`` if the file cannot be read or has no suitable layer.
  package init(
    path: String, layer: String? = nil, conversion: CoordinateConversion = .none
  ) throws(DatasetError) {
    self.path = path
    let file = try GeoPackageFile(path: path)
    let layer = try GeoPackageLayer.find(layer, in: file)
    transformation = try layer.transformation(file, conversion)
    let columns = try GeoPackageColumns(layer, file)
    self.file = file
    self.layer = layer
    fields = columns.fields
    totalBytes = file.totalBytes
    let table = SQL.quoted(layer.table)
    do throws(StoreError) {
      lastKey = try file.connection.integer("SELECT max(\(columns.key)) FROM \(table)") ?? 0
      statement = try file.connection.statement(
        "SELECT "
          + ([columns.key, layer.geometryColumn.map(SQL.quoted) ?? "NULL"]
          + columns.fields.map { SQL.quoted($0.name) }).joined(separator: ", ")
          + " FROM \(table)")
    } catch {
      throw file.error(error)
    }
  }

  package var progressBytes: Int {
    guard let totalBytes, !isFinished else { return totalBytes ?? 0 }
    guard let key, lastKey > 0 else { return 0 }
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
        try GeometryBlob.geometry(
          bytes, referenceSystem: layer.referenceSystem, converting: transformation?.degrees)
      }
    }
    do throws(GeometryBlob.Problem) {
      return try result.get()
    } catch {
      switch error {
      case .detail(let detail): throw rowError(.geometry(detail: detail))
      case .referenceSystem(let found):
        throw rowError(
          .otherReferenceSystem(found: found, expected: Int(layer.referenceSystem)))
      }
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
    signature: { $0.starts(with: Array("SQLite format 3\0".utf8)) }, options: [.referenceSystem],
    needsRandomAccess: true,
    reader: { settings, _ in
      TypedDataset { path throws(DatasetError) in
        try GeoPackageReader(path: path, layer: settings.layer, conversion: settings.conversion)
      }
    }, writer: .file { export, file in try export.writeLayers(to: file) })
}
