package import CadastrePredicate
package import CadastreStore

extension Executor {
  /// Calls a closure with the longitudes and latitudes of a point of some objects, batch by batch.
  ///
  /// Both are null where there is no point.
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
    _ keys: [Int64]?, of className: String, at path: BoundPath, reading field: BoundPath?,
    _ body: (
      _ batch: borrowing ColumnBatch, _ longitudes: BatchColumn, _ latitudes: BatchColumn
    ) -> Void
  ) throws -> Bool {
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    guard path.isPlain, let properties = path.properties,
      case .point(let point) = try compiler.request.leaf(properties).leaf
    else { return false }
    let position = compiler.request.position(of: point)
    if let field { _ = try compiler.request.valueSlot(field) }
    try read(keys, layout, compiler.request.columns) { batch in
      body(batch, batch.columns[position.longitude], batch.columns[position.latitude])
    }
    return true
  }
}
