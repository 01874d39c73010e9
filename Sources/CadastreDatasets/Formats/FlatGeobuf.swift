import CadastreColumnar
import CadastreGeometry
import CadastreModel
package import CadastrePredicate
import CadastreStore
import Foundation

/// A reader of the features of a FlatGeobuf file.
final class FlatGeobufRecords: TypedReader {
  let path: String
  let fields: [TypedField]
  private let reader: FlatGeobufReader
  private var record = ColumnarRecord()

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - bounds: The region of the envelopes; features outside may be read too.
  ///   - conversion: The treatment of coordinates in other systems than WGS 84.
  /// - Throws: ``DatasetError`` if the file is invalid or its coordinates cannot be converted.
  init(
    path: String, bounds: BoundingBox?, _ conversion: CoordinateConversion = .none
  ) throws(DatasetError) {
    self.path = path
    do throws(ColumnarError) {
      reader = try FlatGeobufReader(
        try ColumnarFile(path: path),
        box: bounds.map {
          ColumnarBox(west: $0.west, south: $0.south, east: $0.east, north: $0.north)
        })
      try reader.checkGeometries()
    } catch {
      throw DatasetError(path: path, error)
    }
    reader.conversion = try conversion.geometries(
      path: path, reader.foreignSystem, part: "header")
    fields = reader.fields.enumerated().map { index, field in
      TypedField(name: HeaderNames.name(field.name, at: index), type: field.type)
    }
  }

  var progressBytes: Int { reader.bytesRead }
  var totalBytes: Int? { reader.size }

  func nextRow(_ row: inout TypedRow) throws(DatasetError) -> Bool {
    do throws(ColumnarError) {
      guard try reader.next(&record) else { return false }
    } catch {
      throw DatasetError(path: path, error)
    }
    row.number = record.number
    row.values.removeAll(keepingCapacity: true)
    for (value, field) in zip(record.values, fields) {
      guard case .value(let value) = value else { continue }
      row.values.append(field.type == .date ? Self.date(value) : value)
    }
    row.point = nil
    row.geometry = record.geometry
    if let problem = record.geometryProblem {
      throw DatasetError(
        path: path, record: record.number, scope: .row,
        problem: .geometry(detail: CoordinateProblem.sentence(problem)))
    }
    if let point = record.point { row.point = try typed(point) }
    return true
  }

  private func typed(_ point: ColumnarPoint) throws(DatasetError) -> TypedPoint {
    do throws(CoordinateProblem) {
      var typed = try TypedPoint(longitude: point.x, latitude: point.y, altitude: point.z)
      if typed.altitude == 0 { typed.altitude = nil }
      return typed
    } catch {
      throw DatasetError(
        path: path, record: record.number, scope: .row,
        problem: .geometry(detail: error.sentence))
    }
  }

  /// Returns the date that a text denotes; the text if it is none.
  private static func date(_ value: Value) -> Value {
    guard case .string(var text) = value else { return value }
    return text.withUTF8 { FieldParsing.date($0) }.map(Value.date) ?? value
  }
}

extension FormatDescriptor {
  /// FlatGeobuf files.
  package static let fgb = FormatDescriptor(
    name: "fgb", help: "FlatGeobuf", noun: "FlatGeobuf file", extensions: ["fgb"],
    signature: { $0.starts(with: [0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62]) },
    options: [.referenceSystem], needsRandomAccess: true, isReadGzipped: false,
    reader: { settings, _ in
      TypedDataset { path throws(DatasetError) in
        try FlatGeobufRecords(path: path, bounds: settings.readerBounds, settings.conversion)
      }
    }, writer: .file { export, file in try export.writeFlatGeobuf(to: file) })
}

/// The output of objects as a FlatGeobuf file.
///
/// The geometry is the first column with geometries, else the first with points. Nested content is
/// JSON text. If all objects have a geometry, the file has an index; the features are in its order.
package struct FlatGeobufOutput {
  private let query: StoreQuery
  private let layer: FeatureColumns
  private let name: String
  /// Receives sentences about values that the file does not contain exactly.
  package var notice: (String) -> Void = { _ in }

  /// Creates the output of columns of a class.
  ///
  /// - Throws: `QueryPredicateError`.
  package init(
    _ query: StoreQuery, _ columns: [OutputColumn], name: String
  ) throws(QueryPredicateError) {
    self.query = query
    self.name = name
    layer = FeatureColumns(columns, of: try query.columns(nil))
  }

  /// Writes the objects of keys and finishes the file.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - file: The file.
  /// - Returns: The number of objects.
  /// - Throws: `StoreError` if the store cannot be read, ``OutputError`` if writing fails.
  /// - Complexity: O(n log n) time and O(n) memory in the number of keys.
  package func write(_ keys: [Int64], to file: OutputFile) throws -> Int {
    guard let partialPath = file.partialPath else { throw OutputError(.special, path: file.path) }
    let placement = try placement(keys)
    let writer = try FlatGeobufWriter(
      name: name, columns: layer.columnTypes, count: placement.keys.count,
      extent: placement.extent, kind: layer.hasShapes ? placement.kind : .point,
      hasAltitude: placement.hasAltitude
    ) { try file.write($0) }
    var isUndivided = false
    try query.forEachRecord(placement.keys) { record in
      let values = zip(layer.values(record), layer.columnTypes).map { value, column in
        Self.value(value, column.type)
      }
      if layer.hasShapes {
        let (geometry, isDivided) = layer.planarShape(record)
        if !isDivided { isUndivided = true }
        try writer.append(values, geometry: geometry)
      } else {
        try writer.append(values, point: point(record))
      }
    }
    if isUndivided { notice(FeatureColumns.undividedNotice) }
    let index = writer.finish()
    if !index.isEmpty {
      let handle = try FileHandle(forUpdating: URL(filePath: partialPath))
      try handle.seek(toOffset: UInt64(writer.indexOffset))
      try handle.write(contentsOf: index)
      try handle.close()
    }
    try file.finish()
    return placement.keys.count
  }

  /// The order of the objects, and the metadata of the header.
  private struct Placement {
    var keys: [Int64] = []
    var extent: Envelope?
    /// The type of all geometries; nil if there are several.
    var kind: Geometry.Kind?
    var hasAltitude = false
  }

  private func placement(_ keys: [Int64]) throws -> Placement {
    var placement = Placement()
    var centers: [(x: Double, y: Double)] = []
    var existing: [Int64] = []
    var extent: Envelope?
    var kinds: Set<Geometry.Kind> = []
    for key in keys {
      guard let record = try query.record(key) else { continue }
      existing.append(key)
      let envelope: Envelope
      if layer.hasShapes {
        guard let shape = layer.planarShape(record).geometry, let bounds = shape.planarEnvelope
        else {
          continue
        }
        envelope = bounds
        kinds.insert(shape.kind)
        if shape.hasAltitude { placement.hasAltitude = true }
      } else {
        guard let point = point(record) else { continue }
        envelope = Envelope(west: point.x, south: point.y, east: point.x, north: point.y)
        if point.z != nil { placement.hasAltitude = true }
      }
      centers.append(envelope.center)
      extent?.formUnion(envelope)
      extent = extent ?? envelope
    }
    if kinds.count == 1 { placement.kind = kinds.first }
    // A null geometry has no envelope, so the file has no index.
    guard let extent, centers.count == existing.count else {
      placement.keys = existing
      return placement
    }
    placement.extent = extent
    placement.keys = FlatGeobufWriter.order(centers, extent: extent).map { existing[$0] }
    return placement
  }

  private func point(_ record: StoredRecord) -> ColumnarPoint? {
    layer.point(record).map {
      ColumnarPoint(x: $0[0], y: $0[1], z: $0.count > 2 ? $0[2] : nil)
    }
  }

  private static func value(_ value: Value, _ type: PropertyType?) -> Value {
    if value.isNull || !FlatGeobufWriter.isText(type) { return value }
    if case .string = value { return value }
    return .string(FieldText.exact(value))
  }
}

extension Envelope {
  /// The longitude and the latitude in the middle of the sides.
  var center: (x: Double, y: Double) {
    ((west + east) / 2, (south + north) / 2)
  }
}
