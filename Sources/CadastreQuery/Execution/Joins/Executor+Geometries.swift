package import CadastreGeometry
import CadastreModel
package import CadastrePredicate
import CadastreStore

/// A point in degrees, in range.
package typealias JoinPoint = (longitude: Double, latitude: Double)

extension Executor {
  /// Calls a closure with the geometries at the end of a path of some objects, in their order.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects; those without an object are skipped.
  ///   - path: The path from the objects.
  ///   - edges: How the edges run between positions.
  ///   - body: Called with the key and the geometries, none where they are missing or empty.
  /// - Throws: The error of a read or of the closure.
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are those of all
  ///   objects.
  package func forEachGeometry(
    _ keys: [Int64], at path: BoundPath, edges: EdgeModel,
    _ body: (Int64, [LocatedGeometry]) throws -> Void
  ) throws {
    let layout = try layout(path.root.className)
    var compiler = FilterCompiler(layout, reader, schema)
    let source = try compiler.geometries(path)
    try read(keys, layout, compiler.request.columns) { batch in
      for row in batch.allRows {
        try body(batch.key(row), source.geometries(row, batch, edges).geometries)
      }
    }
  }

  /// Calls a closure with the points at the end of a path of some objects, in their order, if the
  /// path leads to one embedded point in the rows of the objects.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects; those without an object are skipped.
  ///   - path: The path from the objects.
  ///   - body: Called with the key and the point, nil where it is missing or out of range.
  /// - Returns: False if the path leads to something else; the closure was not called then.
  /// - Throws: The error of a read or of the closure.
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are those of all
  ///   objects.
  package func forEachPoint(
    _ keys: [Int64], at path: BoundPath,
    _ body: (Int64, JoinPoint?) throws -> Void
  ) throws -> Bool {
    let layout = try layout(path.root.className)
    var compiler = FilterCompiler(layout, reader, schema)
    guard case .point(let slots) = try compiler.geometries(path) else { return false }
    try read(keys, layout, compiler.request.columns) { batch in
      for row in batch.allRows {
        guard case .point(let longitude, let latitude)? = slots.geometry(row, batch) else {
          try body(batch.key(row), nil)
          continue
        }
        try body(batch.key(row), (longitude, latitude))
      }
    }
    return true
  }
}
