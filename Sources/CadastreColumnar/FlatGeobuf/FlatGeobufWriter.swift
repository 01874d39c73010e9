package import CadastreGeometry
package import CadastreModel
import Foundation

/// A writer of FlatGeobuf files, with an index if all features have a geometry.
///
/// The number of features is a parameter, because the sizes of the header and the index depend on it.
/// The features are appended in the order of the index. ``finish()`` returns the index, which the caller
/// writes over the zeros at ``indexOffset``.
package final class FlatGeobufWriter {
  /// The offset of the index in the file, in bytes.
  package let indexOffset: Int

  private let columns: [(name: String, type: PropertyType?)]
  private let hasAltitude: Bool
  /// The type of all geometries; nil if there are several.
  private let kind: Geometry.Kind?
  private let isIndexed: Bool
  private let write: ([UInt8]) throws -> Void
  private var envelopes: [Envelope] = []
  private var offsets: [UInt64] = []
  private var offset: UInt64 = 0

  /// Writes the header, and zeros where the index will be.
  ///
  /// - Parameters:
  ///   - name: The name of the layer.
  ///   - columns: The names and types of the columns; a type of nil means text.
  ///   - count: The number of features.
  ///   - extent: The envelope of all geometries; nil if a feature has none.
  ///   - kind: The type of all geometries; nil if there are several.
  ///   - hasAltitude: Whether positions have altitudes.
  ///   - write: Receives the bytes of the file in order.
  /// - Throws: The error of writing.
  package init(
    name: String, columns: [(name: String, type: PropertyType?)], count: Int,
    extent: Envelope?, kind: Geometry.Kind? = .point, hasAltitude: Bool,
    write: @escaping ([UInt8]) throws -> Void
  ) throws {
    self.columns = columns
    self.hasAltitude = hasAltitude
    self.kind = kind
    self.write = write
    isIndexed = extent != nil && count > 0
    guard columns.count <= Int(UInt16.max) else {
      throw ColumnarError(.notWritable("\(columns.count) columns; FlatGeobuf has 65,535 at most"))
    }
    let tables = columns.map { column -> [(slot: Int, field: FlatBufferBuilder.Field)] in
      [
        (0, .reference { $0.appendString(column.name) }),
        (1, .byte(FlatGeobufColumn.Kind(column.type).rawValue)),
      ]
    }
    var fields: [(slot: Int, field: FlatBufferBuilder.Field)] = [
      (0, .reference { $0.appendString(name) }),
      (2, .byte(kind.map(FlatGeobufGeometry.type) ?? 0)),
      (7, .reference { $0.appendTables(tables) }),
      (8, .long(UInt64(count))),
      (9, .short(isIndexed ? UInt16(FlatGeobufIndexBuilder.nodeSize) : 0)),
      (
        10,
        .reference { builder in
          builder.appendTable([
            (0, .reference { $0.appendString("EPSG") }), (1, .int(4326)),
            (2, .reference { $0.appendString("WGS 84") }),
          ])
        }
      ),
    ]
    if hasAltitude { fields.append((3, .byte(1))) }
    if let extent, count > 0 {
      fields.append((1, .reference { $0.appendDoubles(extent.sides) }))
    }
    let header = FlatBufferBuilder(root: fields).bytes
    indexOffset = 8 + header.count
    try write(FlatGeobufHeader.magic + [0] + header)
    if isIndexed {
      try write([UInt8](repeating: 0, count: FlatGeobufIndexBuilder.bytes(count: count)))
    }
  }

  /// Appends a feature with a point.
  ///
  /// - Parameters:
  ///   - values: A value for each column, in their order.
  ///   - point: The geometry; nil for none.
  /// - Throws: The error of writing.
  package func append(_ values: [Value], point: ColumnarPoint?) throws {
    try append(
      values, point.map { FlatGeobufGeometry($0, hasAltitude: hasAltitude) }, point?.envelope)
  }

  /// Appends a feature with a geometry of any type.
  ///
  /// - Parameters:
  ///   - values: A value for each column, in their order.
  ///   - geometry: The geometry; nil for none.
  /// - Throws: The error of writing.
  package func append(_ values: [Value], geometry: Geometry?) throws {
    let geometry = geometry.flatMap { $0.isEmpty ? nil : $0 }
    try append(
      values, geometry.map { FlatGeobufGeometry($0, hasAltitude: hasAltitude) },
      geometry?.planarEnvelope)
  }

  private func append(
    _ values: [Value], _ geometry: FlatGeobufGeometry?, _ envelope: Envelope?
  ) throws {
    var fields: [(slot: Int, field: FlatBufferBuilder.Field)] = []
    if let geometry {
      let table = geometry.fields(hasType: kind == nil)
      fields.append((0, .reference { $0.appendTable(table) }))
    }
    if let envelope { envelopes.append(envelope) }
    let properties = properties(values)
    if !properties.isEmpty { fields.append((1, .reference { $0.appendBytes(properties) })) }
    let feature = FlatBufferBuilder(root: fields).bytes
    offsets.append(offset)
    offset += UInt64(feature.count)
    try write(feature)
  }

  /// Returns the bytes of the index; empty if there is none.
  package func finish() -> [UInt8] {
    isIndexed ? FlatGeobufIndexBuilder.index(envelopes, offsets) : []
  }

  private func properties(_ values: [Value]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, (value, column)) in zip(values, columns).enumerated() where !value.isNull {
      bytes.appendWord(UInt16(index))
      switch (FlatGeobufColumn.Kind(column.type), value) {
      case (.bool, .bool(let value)): bytes.append(value ? 1 : 0)
      case (.int64, .int(let value)): bytes.appendWord(value)
      case (.float, .float(let value)): bytes.appendWord(value.bitPattern)
      case (.double, .double(let value)): bytes.appendWord(value.bitPattern)
      case (.binary, .data(let value)): Self.append(Array(value), &bytes)
      case (_, .string(let value)): Self.append(Array(value.utf8), &bytes)
      // The caller converts other values to text.
      default: bytes.removeLast(2)
      }
    }
    return bytes
  }

  private static func append(_ value: [UInt8], _ bytes: inout [UInt8]) {
    bytes.appendWord(UInt32(value.count))
    bytes += value
  }

  /// Returns whether values of a type are written as text.
  package static func isText(_ type: PropertyType?) -> Bool {
    [.string, .dateTime].contains(FlatGeobufColumn.Kind(type))
  }

  /// Returns the order of points in the index.
  ///
  /// - Parameters:
  ///   - points: The longitudes and latitudes.
  ///   - extent: An envelope of the points.
  /// - Returns: The indexes of the points, in descending order on the Hilbert curve.
  /// - Complexity: O(n log n) in the number of points.
  package static func order(_ points: [(x: Double, y: Double)], extent: Envelope) -> [Int] {
    func cell(_ value: Double, _ low: Double, _ high: Double) -> UInt32 {
      high > low ? UInt32(min(max(65535 * (value - low) / (high - low), 0), 65535)) : 0
    }
    return points.enumerated().map { index, point in
      (
        hilbert(
          cell(point.x, extent.west, extent.east),
          cell(point.y, extent.south, extent.north)), index
      )
    }.sorted { $0 > $1 }.map(\.1)
  }

  /// Returns the position of a cell on the Hilbert curve of order 16.
  static func hilbert(_ column: UInt32, _ row: UInt32) -> UInt32 {
    var (x, y) = (column, row)
    var position: UInt32 = 0
    var side: UInt32 = 1 << 15
    while side > 0 {
      let right: UInt32 = x & side != 0 ? 1 : 0
      let upper: UInt32 = y & side != 0 ? 1 : 0
      position &+= side &* side &* ((3 * right) ^ upper)
      if upper == 0 {
        if right == 1 { (x, y) = (65535 - x, 65535 - y) }
        swap(&x, &y)
      }
      side >>= 1
    }
    return position
  }
}

// Not Sendable: every feature changes the state of the index.
@available(*, unavailable)
extension FlatGeobufWriter: Sendable {}

extension FlatGeobufColumn.Kind {
  /// Creates the column type for a property type; nil means text.
  init(_ type: PropertyType?) {
    switch type {
    case .bool: self = .bool
    case .int: self = .int64
    case .float: self = .float
    case .double: self = .double
    case .data: self = .binary
    case .date: self = .dateTime
    default: self = .string
    }
  }
}
