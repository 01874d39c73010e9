import CadastreGeometry

/// Prints relations and measures of geometries, for comparisons with other libraries.
///
/// Each line of the standard input has two geometries as WKT, separated by a tab. The line of output
/// has `intersects`, `contains`, `isWithin` and `equals` as 0 or 1, and the distance in radians
/// (`-` without one). The argument is `spherical` or `planar`.
///
/// With the argument `measures` each line has one geometry, and the output has area, perimeter and
/// length in square metres and metres, and the longitude and latitude of the centroid.
///
/// With the argument `operations` each line has two geometries and a distance in metres, and the output, separated by tabs,
/// the union, the intersection, the difference, and of the first geometry the hull, the buffer and the simplified geometry as
/// WKT; an operation that fails is `!` with the reason.
@main
struct RelationRun {
  static func main() throws {
    if CommandLine.arguments.dropFirst().first == "measures" { return try printMeasures() }
    if CommandLine.arguments.dropFirst().first == "operations" { return try printOperations() }
    guard let edges = edges else {
      print("usage: RelationRun spherical|planar|measures|operations < geometries")
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

  private static func printOperations() throws {
    while let line = readLine() {
      let parts = line.split(separator: "\t").map(String.init)
      guard parts.count == 3, let metres = Double(parts[2]),
        let distance = Distance.kilometers(metres / 1_000)
      else { throw BadLine(line: line) }
      let (first, second) = (try Geometry(wkt: parts[0]), try Geometry(wkt: parts[1]))
      let results = [
        text { () throws(GeometryError) in try first.sphericalUnion(second) },
        text { () throws(GeometryError) in try first.sphericalIntersection(second) },
        text { () throws(GeometryError) in try first.sphericalDifference(second) },
        text { () throws(GeometryError) in try first.sphericalConvexHull() },
        text { () throws(GeometryError) in try first.buffered(by: distance) },
        text { () throws(GeometryError) in try first.simplified(within: distance) },
      ]
      print(results.joined(separator: "\t"))
    }
  }

  /// Returns the result of an operation as WKT, or why it fails.
  private static func text(_ operation: () throws(GeometryError) -> Geometry) -> String {
    do throws(GeometryError) {
      return try operation().wkt
    } catch {
      return "!\(error)"
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
