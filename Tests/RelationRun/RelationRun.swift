import CadastreGeometry

/// Prints the relations of pairs of geometries, for comparisons with other libraries.
///
/// Each line of the standard input has two geometries as WKT, separated by a tab. The line of output
/// has `intersects`, `contains`, `isWithin` and `equals` as 0 or 1, and the distance in radians
/// (`-` without one). The argument is `spherical` or `planar`.
@main
struct RelationRun {
  static func main() throws {
    guard let edges = edges else {
      print("usage: RelationRun spherical|planar < pairs")
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
