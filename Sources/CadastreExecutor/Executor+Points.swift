package import CadastrePredicate
package import CadastreStore

extension Executor {
  /// Calls a closure with the longitudes and latitudes of a point, batch by batch, and the objects' rows.
  ///
  /// Both are null where there is no point.
  ///
  /// - Returns: False where the path does not end at an embedded point; the closure is not called then.
  /// - Throws: The error of a read.
  /// - Complexity: O(n), without boxing a value for each object.
  package func forEachPoint(
    _ keys: [Int64], of className: String, at path: BoundPath,
    _ body: (_ longitudes: BatchColumn, _ latitudes: BatchColumn, _ rows: RowSet) -> Void
  ) throws -> Bool {
    let layout = try layout(className)
    var compiler = FilterCompiler(layout, reader, schema)
    guard path.isPlain, let properties = path.properties,
      case .point(let point) = try compiler.request.leaf(properties).leaf
    else { return false }
    try read(keys, layout, compiler.request.columns) { batch in
      body(batch.columns[point.longitude], batch.columns[point.latitude], batch.allRows)
    }
    return true
  }
}
