import CadastreColumnar
import CadastreModel

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
  /// - Throws: ``DatasetError`` if the file is invalid or its geometries are not in WGS 84.
  init(path: String, bounds: BoundingBox?) throws(DatasetError) {
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
    fields = reader.fields.map { TypedField(name: $0.name, type: $0.type) }
    var numbers: [String: Int] = [:]
    for (index, field) in fields.enumerated() {
      if field.name.isEmpty {
        throw DatasetError(path: path, problem: .unnamedColumn(number: index + 1))
      }
      guard let first = numbers.updateValue(index + 1, forKey: field.name) else { continue }
      throw DatasetError(
        path: path,
        problem: .repeatedColumn(name: field.name, first: first, second: index + 1))
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
        problem: .geometry(detail: problem))
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
    needsRandomAccess: true, isReadGzipped: false,
    reader: { settings, _ in
      TypedDataset { path throws(DatasetError) in
        try FlatGeobufRecords(path: path, bounds: settings.readerBounds)
      }
    }, writer: .file { export, file in try export.writeFlatGeobuf(to: file) })
}
