import CadastreGeometry

/// Prints relations and measures of geometries, for comparisons with other libraries.
///
/// Each line of the standard input has two geometries as WKT, separated by a tab. The line of output
/// has `intersects`, `contains`, `isWithin` and `equals` as 0 or 1, and the distance in radians
/// (`-` without one). The argument is `spherical` or `planar`.
///
/// With the argument `measures` each line has one geometry, and the output has area, perimeter and
/// length in square metres and metres, and the longitude and latitude of the centroid.
@main
struct RelationRun {
  static func main() throws {
    if CommandLine.arguments.dropFirst().first == "measures" { return try printMeasures() }
    guard let edges = edges else {
      print("usage: RelationRun spherical|planar|measures < geometries")
      return
    }
    while let line = readLine() {
      let texts = line.split(separator: "\t")
      guard texts.count == 2 else { throw BadLine(line: line) }
      let first = PreparedGeometry(try Geometry(wkt: String(texts[0])), edges: edges)
      let second = PreparedGeometry(try Geometry(wkt: String(texts[1])), edges: edges)
      let bits = [
        first.intersects(second), first.covers(second), second.covers(first),
        first.equals(second),
      ]
      let distance = first.distance(to: second).map { "\($0.radians)" } ?? "-"
      print(bits.map { $0 ? "1" : "0" }.joined(separator: " "), distance)
    }
  }

  private static func printMeasures() throws {
    while let line = readLine() {
      let geometry = try Geometry(wkt: line)
      let centroid = geometry.centroid.map { "\($0.longitude) \($0.latitude)" } ?? "- -"
      print(geometry.area, geometry.perimeter, geometry.length, centroid)
    }
  }

  private static var edges: EdgeModel? {
    switch CommandLine.arguments.dropFirst().first {
    case "spherical": .spherical
    case "planar": .planar
    default: nil
    }
  }

  /// A line that is not a pair of geometries.
  private struct BadLine: Error {
    let line: String
  }
}
