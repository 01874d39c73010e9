package import CadastrePredicate
import CadastreModel
import CadastreStore
import Foundation

extension StoreQuery {
  /// Returns the columns of a Parquet file.
  ///
  /// - Parameter named: Paths separated by commas; nil for all properties.
  /// - Returns: The columns, followed by the distance if the query is sorted by it.
  /// - Throws: ``QueryPredicateError`` for an unknown path.
  package func columnarOutput(
    _ named: String?
  ) throws(QueryPredicateError) -> ColumnarOutput {
    let schema = snapshot.catalogue.schema
    var properties: [(path: PropertyPath, property: Property?)] = []
    if let named {
      for column in try columns(named) {
        let property = try? schema.property(at: column.path, from: layout.schema)
        properties.append((column.path, property))
      }
    } else {
      properties = layout.schema.properties.map { (PropertyPath([$0.name]), $0) }
      if let distance { properties.append((distance.path, nil)) }
    }
    return ColumnarOutput(properties, schema)
  }

  /// Returns keys in the order of a Hilbert curve through the first points of their objects.
  ///
  /// Objects without a point are last. The order of equal positions is kept.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The keys in spatial order.
  /// - Throws: `StoreError` if the store cannot be read.
  /// - Complexity: O(n log n) in the number of keys.
  package func inHilbertOrder(_ keys: [Int64]) throws -> [Int64] {
    let embedded = layout.fields.lazy.compactMap { field -> PointColumns? in
      if case .embedded(let embedded) = field { embedded.point } else { nil }
    }.first
    guard let point = embedded else { return keys }
    var rows = RowPrefetcher(layout, snapshot)
    var positions: [(position: UInt64, index: Int)] = []
    positions.reserveCapacity(keys.count)
    for index in keys.indices {
      guard let row = try rows.row(keys[index...]) else { continue }
      var position = UInt64.max
      if let longitude = row[point.longitude].doubleValue,
        let latitude = row[point.latitude].doubleValue
      {
        position = UInt64(HilbertCurve.position(longitude: longitude, latitude: latitude))
      }
      positions.append((position, index))
    }
    positions.sort { ($0.position, $0.index) < ($1.position, $1.index) }
    return positions.map { keys[$0.index] }
  }
}
