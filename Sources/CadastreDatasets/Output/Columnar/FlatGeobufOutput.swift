import CadastreColumnar
import CadastreGeometry
import CadastreModel
package import CadastrePredicate
import CadastreStore
import Foundation

/// The output of objects as a FlatGeobuf file.
///
/// The geometry is the first column with geometries, else the first with points. Nested content is
/// JSON text. If all objects have a geometry, the file has an index; the features are in its order.
package struct FlatGeobufOutput {
  private let query: StoreQuery
  private let layer: LayerColumns
  private let name: String

  /// Creates the output of columns of a class.
  ///
  /// - Throws: `QueryPredicateError`.
  package init(
    _ query: StoreQuery, _ columns: [OutputColumn], name: String
  ) throws(QueryPredicateError) {
    self.query = query
    self.name = name
    layer = LayerColumns(columns, of: try query.columns(nil))
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
    try query.forEachRecord(placement.keys) { record in
      let values = zip(layer.values(record), layer.columnTypes).map { value, column in
        Self.value(value, column.type)
      }
      if layer.hasShapes {
        try writer.append(values, geometry: layer.geometry(record))
      } else {
        try writer.append(values, point: point(record))
      }
    }
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

  /// The order of the objects, and what the header says about them.
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
    var found: [Int64] = []
    var extent: Envelope?
    var kinds: Set<Geometry.Kind> = []
    for key in keys {
      guard let record = try query.record(key) else { continue }
      found.append(key)
      let envelope: Envelope
      if layer.hasShapes {
        guard let shape = layer.geometry(record), let bounds = shape.planarEnvelope else {
          continue
        }
        envelope = bounds
        kinds.insert(shape.kind)
        if shape.hasAltitude { placement.hasAltitude = true }
      } else {
        guard let point = point(record) else { continue }
        envelope = Envelope(
          minLongitude: point.x, maxLongitude: point.x, minLatitude: point.y, maxLatitude: point.y)
        if point.z != nil { placement.hasAltitude = true }
      }
      centers.append(envelope.center)
      extent?.formUnion(envelope)
      extent = extent ?? envelope
    }
    if kinds.count == 1 { placement.kind = kinds.first }
    // A geometry that is null has no box, so there is no index.
    guard let extent, centers.count == found.count else {
      placement.keys = found
      return placement
    }
    placement.extent = extent
    placement.keys = FlatGeobufWriter.order(centers, extent: extent).map { found[$0] }
    return placement
  }

  private func point(_ record: StoredRecord) -> ColumnarPoint? {
    layer.features.point(record).map {
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
    ((minLongitude + maxLongitude) / 2, (minLatitude + maxLatitude) / 2)
  }
}
