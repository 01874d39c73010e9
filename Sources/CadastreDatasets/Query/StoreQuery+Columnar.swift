import CadastreGeometry
package import CadastrePredicate
package import CadastreModel
import CadastreStore
import Foundation

extension StoreQuery {
  /// Returns the columns of a Parquet file.
  ///
  /// - Parameters:
  ///   - named: Paths and calculations separated by commas; nil for all properties.
  ///   - omitted: Paths of columns that are left out.
  /// - Returns: The columns, followed by the distance if the query is sorted by it.
  /// - Throws: ``QueryPredicateError`` for an unknown path.
  package func columnarOutput(
    _ named: String?, without omitted: Set<PropertyPath> = []
  ) throws(QueryPredicateError) -> ColumnarOutput {
    let schema = snapshot.catalogue.schema
    var properties: [(column: OutputColumn, property: Property?)] = []
    if let named {
      for column in try columns(named) {
        let property =
          column.expression == nil
          ? try? schema.property(at: column.path, from: layout.schema) : nil
        properties.append((column, property))
      }
    } else {
      properties = layout.schema.properties.map { (OutputColumn($0.name, type: $0.type), $0) }
      if let distance { properties.append((OutputColumn(distance.path, type: .double), nil)) }
    }
    return ColumnarOutput(properties.filter { !omitted.contains($0.column.path) }, schema)
  }

  /// Returns keys in the order of a Hilbert curve through the geometries of their objects.
  ///
  /// The position of an object is the centre of the envelope of its first geometry, or its first
  /// point if the class has no geometry. Objects without a position are last. The order of equal positions is kept.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The keys in spatial order.
  /// - Throws: `StoreError` if the store cannot be read.
  /// - Complexity: O(n log n) in the number of keys.
  package func inHilbertOrder(_ keys: [Int64]) throws -> [Int64] {
    guard let location = positionColumns else { return keys }
    var rows = RowPrefetcher(layout, snapshot)
    var positions: [(position: UInt64, index: Int)] = []
    positions.reserveCapacity(keys.count)
    for index in keys.indices {
      guard let row = try rows.row(keys[index...]) else { continue }
      var position = UInt64.max
      if let (longitude, latitude) = location.position(in: row) {
        position = UInt64(HilbertCurve.position(longitude: longitude, latitude: latitude))
      }
      positions.append((position, index))
    }
    positions.sort { ($0.position, $0.index) < ($1.position, $1.index) }
    return positions.map { keys[$0.index] }
  }

  private var positionColumns: PositionColumns? {
    for (property, field) in zip(layout.schema.properties, layout.fields) {
      if property.type == .geometry, case .scalar(let column) = field { return .shape(column) }
    }
    for case .embedded(let embedded) in layout.fields {
      if let point = embedded.point { return .point(point) }
    }
    return nil
  }
}

/// The columns of a row that decide its position in spatial order.
private enum PositionColumns {
  case shape(Int)
  case point(PointColumns)

  /// Returns the longitude and latitude; nil if they are null.
  func position(in row: [Value]) -> (x: Double, y: Double)? {
    switch self {
    case .shape(let column):
      guard case .geometry(let geometry) = row[column] else { return nil }
      return geometry.planarEnvelope?.center
    case .point(let point):
      guard let longitude = row[point.longitude].doubleValue,
        let latitude = row[point.latitude].doubleValue
      else { return nil }
      return (longitude, latitude)
    }
  }
}

extension ObjectExport {
  /// Writes a Parquet file; returns the number of objects.
  func writeParquet(_ write: @escaping ([UInt8]) throws -> Void) throws -> Int {
    let rows = keepsOrder ? keys : try query.inHilbertOrder(keys)
    let report = try query.columnarOutput(select).withDateForms(of: query)
      .write(query, rows, groupRows: groupRows, to: write)
    for sentence in report.notices { notice(sentence) }
    return report.objects
  }

  /// Writes a FlatGeobuf file; returns the number of objects.
  func writeFlatGeobuf(to file: OutputFile) throws -> Int {
    try FlatGeobufOutput(query, try query.columns(select), name: query.className)
      .write(keys, to: file)
  }
}
