package import CadastreModel
import CadastrePredicate
package import CadastreStore

extension QuerySession {
  /// Calls a closure with the longitudes and latitudes of a point of some objects, batch by batch; both are null
  /// where there is no point.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects; nil for all objects of the class.
  ///   - className: The class.
  ///   - path: The path of the point.
  ///   - field: A field that is read in the same pass, so that it is in memory afterwards; nil for none.
  ///   - body: The closure.
  /// - Returns: False where the path does not end at an embedded point; the closure is not called then.
  /// - Throws: The error of a read.
  /// - Complexity: O(n), without boxing a value for each object.
  package func forEachPoint(
    _ keys: [Int64]?, of className: String, at path: PropertyPath,
    reading field: PropertyPath? = nil,
    _ body: (
      _ batch: borrowing ColumnBatch, _ longitudes: BatchColumn, _ latitudes: BatchColumn
    ) -> Void
  ) throws -> Bool {
    let root = try schema.queriedClass(className)
    return try executor.forEachPoint(
      keys, of: className, at: schema.resolve(path, from: root),
      reading: field.map { try schema.resolve($0, from: root) }, body)
  }
}
