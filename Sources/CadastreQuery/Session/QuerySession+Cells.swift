package import CadastreGeometry
package import CadastreModel
import CadastrePredicate

/// Places of objects in a grid.
extension QuerySession {
  /// The cells of a grid that contain the geometries at a path of some objects, in their order; nil for
  /// an object without one.
  ///
  /// A geometry that is not a point is in the cell of its centroid.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - className: The class.
  ///   - path: The path to a geometry or embedded point; of several, the first one counts.
  ///   - grid: The grid.
  /// - Returns: The codes of the cells.
  /// - Throws: ``QueryPredicateError`` for a path that leads to no geometry, or the error of a
  ///   read.
  /// - Complexity: O(n), a row read for each key, or one scan where the keys are those of all
  ///   objects.
  package func cells(
    _ keys: [Int64], of className: String, at path: PropertyPath, in grid: GeoGrid
  ) throws -> [Int64?] {
    let bound = try schema.geometries(at: path, from: className)
    var cells: [Int64?] = []
    cells.reserveCapacity(keys.count)
    try executor.forEachGeometry(keys, at: bound, edges: .spherical) { _, geometries in
      let point = geometries.first.flatMap {
        $0.point ?? $0.prepared(.spherical).geometry?.centroid
      }
      cells.append(point.map { GridCell(containing: $0, in: grid).code })
    }
    return cells
  }
}
