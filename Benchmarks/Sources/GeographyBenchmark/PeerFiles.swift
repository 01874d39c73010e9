import BenchmarkPlaces
import CadastreGeometry
import Foundation

/// The input of the peers: the coordinates as doubles, and the queries as text.
enum PeerFiles {
  static func write(_ places: [Place], _ queries: [RegionQuery], to folder: URL) throws {
    try write(places.map(\.longitude), to: folder.appendingPathComponent("longitudes.f64"))
    try write(places.map(\.latitude), to: folder.appendingPathComponent("latitudes.f64"))
    let lines = queries.map { query in
      switch query.shape {
      case .circle(let circle):
        "\(query.name)\tcircle\t\(circle.center.longitude)\t\(circle.center.latitude)\t"
          + "\(circle.radiusInRadians)"
      case .box, .polygon, .multiPolygon:
        "\(query.name)\tshape\t\(query.shape.wkt ?? "")"
      }
    }
    try (lines.joined(separator: "\n") + "\n").write(
      to: folder.appendingPathComponent("queries.tsv"), atomically: true, encoding: .utf8)
  }

  private static func write(_ numbers: [Double], to url: URL) throws {
    try numbers.withUnsafeBytes { try Data($0).write(to: url) }
  }
}
