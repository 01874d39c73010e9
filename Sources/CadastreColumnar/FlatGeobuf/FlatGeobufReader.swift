package import CadastreGeometry
package import CadastreModel
import Foundation

/// A reader of the features of a FlatGeobuf file.
///
/// It keeps one feature in memory at a time. With a box and an index, it reads only the index nodes and
/// the features whose bounding boxes intersect the box.
package final class FlatGeobufReader {
  /// The names and the types of the columns.
  package let fields: [(name: String, type: PropertyType)]
  /// The number of bytes of the file that were read.
  package var bytesRead: Int { file.bytesRead }
  /// The size of the file in bytes.
  package var size: Int { file.size }

  /// The name and the definitions of the reference system, the best one first; nil for WGS 84.
  package var foreignSystem: (name: String, definitions: [String])? { header.system.foreign }
  /// The conversion of the coordinates and the treatment of open rings; nil for degrees.
  package var conversion: GeometryConversion?

  let header: FlatGeobufHeader
  let index: FlatGeobufIndex?
  private let file: ColumnarFile
  /// The offset of the first feature.
  private let start: Int
  /// The offset of the next feature.
  private var offset: Int
  private var count = 0
  /// The remaining matches of the index; nil to read all features.
  private var hits: ArraySlice<FlatGeobufIndex.Hit>?

  private static let maximumFeatureBytes = 256 << 20

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - box: The region of the features; features outside may be read too.
  /// - Throws: ``ColumnarError`` if the file is invalid.
  package init(_ file: ColumnarFile, box: ColumnarBox? = nil) throws(ColumnarError) {
    self.file = file
    let first = try file.read(at: 0, count: min(12, file.size))
    guard first.count == 12, Array(first[..<7]) == FlatGeobufHeader.magic else {
      throw .corrupt(found: "other first bytes", expected: "a FlatGeobuf file of version 3")
    }
    let headerBytes = Int(first.word(at: 8, as: UInt32.self))
    guard headerBytes >= 8, headerBytes <= min(FlatGeobufHeader.maximumBytes, file.size - 12)
    else {
      throw .corrupt(
        found: "a header of \(headerBytes) bytes", expected: "at most \(file.size - 12)",
        offset: 8)
    }
    let buffer = FlatBuffer(bytes: try file.read(at: 12, count: headerBytes), base: 12)
    do throws(ColumnarError) {
      header = try FlatGeobufHeader(buffer)
    } catch {
      throw error.within("header")
    }
    let end = 12 + headerBytes
    if header.nodeSize > 0, header.featureCount > 0 {
      guard
        let index = FlatGeobufIndex(
          count: header.featureCount, nodeSize: header.nodeSize, at: end, limit: file.size - end)
      else {
        throw .corrupt(
          found: "an index of \(header.featureCount) features",
          expected: "at most \(file.size - end) bytes", part: "header")
      }
      self.index = index
      start = end + index.bytes
    } else {
      index = nil
      start = end
    }
    offset = start
    fields = header.columns.map { ($0.name, $0.kind.propertyType) }
    // The bounds in the file have its coordinates, the box has degrees.
    if let box, let index, header.system.foreign == nil {
      hits = try index.search(box, in: file)[...]
    }
  }

  /// Checks that the geometries are simple features.
  ///
  /// - Throws: ``ColumnarError`` for curves and surfaces.
  package func checkGeometries() throws(ColumnarError) {
    guard header.geometryType <= FlatGeobufGeometry.collection else {
      throw .unsupported(
        "geometries of type \(header.geometryType) (curves or surfaces)", part: "header")
    }
  }

  /// Reads the next feature as a record.
  ///
  /// - Parameter record: Receives the record; its memory is reused.
  /// - Returns: False at the end of the file.
  /// - Throws: ``ColumnarError`` if the file is corrupt; then no further record can be read.
  package func next(_ record: inout ColumnarRecord) throws(ColumnarError) -> Bool {
    record.removeAll()
    guard let feature = try nextFeature() else { return false }
    record.number = feature.number
    for value in try feature.values(header) { record.values.append(.value(value)) }
    guard conversion?.ignoresGeometries != true, let geometry = try feature.geometry(header)
    else { return true }
    if geometry.type != 1 {
      do throws(GeometryProblem) {
        record.geometry = try geometry.geometry(conversion)
      } catch {
        record.geometryProblem = error.sentence
      }
    } else if geometry.xy.count >= 2, !(geometry.xy[0].isNaN && geometry.xy[1].isNaN) {
      record.set(
        ColumnarPoint(x: geometry.xy[0], y: geometry.xy[1], z: geometry.z.first), conversion)
    }
    return true
  }

  /// Reads the next feature; nil at the end.
  func nextFeature() throws(ColumnarError) -> FlatGeobufFeature? {
    if let hits {
      guard let hit = hits.first else { return nil }
      self.hits = hits.dropFirst()
      guard hit.offset <= UInt64(max(file.size - start - 4, 0)) else {
        throw .corrupt(
          found: "a feature at \(hit.offset)", expected: "an offset in the file", part: "index")
      }
      offset = start + Int(hit.offset)
      count = hit.number
    } else {
      if header.featureCount > 0 {
        guard count < header.featureCount else { return nil }
      } else if offset == file.size {
        return nil
      }
    }
    count += 1
    guard offset <= file.size - 4 else { throw truncated(offset) }
    let bytes = Int(try file.read(at: offset, count: 4).word(at: 0, as: UInt32.self))
    guard bytes >= 4, bytes <= min(file.size - offset - 4, Self.maximumFeatureBytes) else {
      throw truncated(offset)
    }
    let buffer = FlatBuffer(
      bytes: try file.read(at: offset + 4, count: bytes), base: offset + 4)
    offset += 4 + bytes
    return FlatGeobufFeature(number: count, buffer: buffer)
  }

  private func truncated(_ offset: Int) -> ColumnarError {
    .corrupt(
      found: "\(file.size - offset) bytes", expected: "feature \(count)", offset: offset)
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension FlatGeobufReader: Sendable {}

extension FlatGeobufColumn.Kind {
  /// The type of a property with the values.
  var propertyType: PropertyType {
    switch self {
    case .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string, .json: .string
    case .dateTime: .date
    case .binary: .data
    }
  }
}

/// A feature of a FlatGeobuf file.
struct FlatGeobufFeature {
  /// The number in the file, from 1.
  let number: Int
  let buffer: FlatBuffer

  /// Returns the geometry; nil if there is none.
  func geometry(_ header: FlatGeobufHeader) throws(ColumnarError) -> FlatGeobufGeometry? {
    guard let table = try buffer.table(0, of: try buffer.root()) else { return nil }
    return try FlatGeobufGeometry(buffer, table, type: header.geometryType)
  }

  /// Returns a value for each column of the header; null if the feature has none.
  ///
  /// A time stays text; the caller converts it.
  func values(_ header: FlatGeobufHeader) throws(ColumnarError) -> [Value] {
    var values = [Value](repeating: .null, count: header.columns.count)
    let root = try buffer.root()
    guard let vector = try buffer.vector(1, of: root, elementBytes: 1) else { return values }
    guard try buffer.vector(2, of: root, elementBytes: 4) == nil else {
      throw .unsupported("feature \(number) has columns of its own")
    }
    var input = ByteReader(
      buffer.bytes, vector.start..<vector.start + vector.count, base: buffer.base)
    var seen = Set<Int>()
    while input.remaining > 0 {
      let index = Int(try input.integer(UInt16.self))
      guard index < values.count, seen.insert(index).inserted else {
        throw input.corrupt(
          "column \(index)", expected: "each of \(values.count) columns at most once")
      }
      values[index] = try value(header.columns[index].kind, &input)
    }
    return values
  }

  private func value(
    _ kind: FlatGeobufColumn.Kind, _ input: inout ByteReader
  ) throws(ColumnarError) -> Value {
    switch kind {
    case .int8: return .int(Int64(Int8(bitPattern: try input.byte())))
    case .uint8: return .int(Int64(try input.byte()))
    case .bool: return .bool(try input.byte() != 0)
    case .int16: return .int(Int64(Int16(bitPattern: try input.integer(UInt16.self))))
    case .uint16: return .int(Int64(try input.integer(UInt16.self)))
    case .int32: return .int(Int64(Int32(bitPattern: try input.integer(UInt32.self))))
    case .uint32: return .int(Int64(try input.integer(UInt32.self)))
    case .int64: return .int(Int64(bitPattern: try input.integer(UInt64.self)))
    case .uint64:
      let word = try input.integer(UInt64.self)
      if let number = Int64(exactly: word) { return .int(number) }
      return .decimal(Decimal128(isNegative: false, exactly: UInt128(word), exponent: 0))
    case .float: return .float(Float(bitPattern: try input.integer(UInt32.self)))
    case .double: return .double(Double(bitPattern: try input.integer(UInt64.self)))
    case .string, .json, .dateTime:
      return .string(String(decoding: try bytes(&input), as: UTF8.self))
    case .binary: return .data(Data(try bytes(&input)))
    }
  }

  private func bytes(_ input: inout ByteReader) throws(ColumnarError) -> ArraySlice<UInt8> {
    let count = Int(try input.integer(UInt32.self))
    return input.bytes[try input.skip(count, "a value")]
  }
}
