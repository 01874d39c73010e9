import CadastreExecutor
package import CadastreModel
import CadastrePredicate
import CadastreStore

extension QuerySession {
  /// Calls a closure with the longitude and the latitude of a point of each object, in their order; nil where
  /// there is none.
  ///
  /// - Returns: False where the path does not end at an embedded point; the closure is not called then.
  /// - Throws: The error of a read.
  /// - Complexity: O(n), without boxing a value for each object.
  package func forEachPosition(
    _ keys: [Int64], of className: String, at path: PropertyPath,
    _ body: ((longitude: Double, latitude: Double)?) -> Void
  ) throws -> Bool {
    let path = try schema.resolve(path, from: schema.queriedClass(className))
    return try flushedExecutor().forEachPoint(keys, of: className, at: path) {
      longitudes, latitudes, rows in
      for row in rows {
        let isNull = longitudes.isNull(row) || latitudes.isNull(row)
        body(isNull ? nil : (longitudes.double(row), latitudes.double(row)))
      }
    }
  }
}
